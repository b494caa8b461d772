/** The lines of a file to be patched, and how close a hunk's lines must be to them. */
import { LineIndex } from './line-index.ts';
import type { HunkLine, LineEnd } from './patch.ts';
import { splitFile } from './patch-text.ts';

/**
 * From the closest on. `exact`: every byte. `line-ends`: LF for CR LF, or a final newline, may differ.
 * `blanks`: blanks and tabs at line ends too (fuzz). Indentation never.
 */
export const CLOSENESSES = ['exact', 'line-ends', 'blanks'] as const;
export type Closeness = (typeof CLOSENESSES)[number];

export class FileLines {
  /** Latin-1, each with its line end. */
  readonly raw: readonly string[];
  private counted: { readonly lf: number; readonly crlf: number } | null = null;
  private readonly indexes: { [closeness in Closeness]?: LineIndex } = {};

  constructor(bytes: Uint8Array) {
    this.raw = splitFile(bytes);
  }

  get length(): number {
    return this.raw.length;
  }

  /** The file is empty or ends in LF. */
  get hasFinalNewline(): boolean {
    return this.raw.at(-1)?.endsWith('\n') ?? true;
  }

  /** The only line end of the file; null where there are two kinds, or none. */
  get onlyLineEnd(): LineEnd | null {
    const { lf, crlf } = this.lineEnds();
    return lf > 0 === crlf > 0 ? null : this.usualLineEnd;
  }

  /** The line end that most lines have. */
  get usualLineEnd(): LineEnd {
    const { lf, crlf } = this.lineEnds();
    return crlf > lf ? '\r\n' : '\n';
  }

  private lineEnds(): { readonly lf: number; readonly crlf: number } {
    if (this.counted !== null) return this.counted;
    const ended = this.length - (this.hasFinalNewline ? 0 : 1);
    const crlf = this.raw.filter((line) => line.endsWith('\r\n')).length;
    this.counted = { lf: ended - crlf, crlf };
    return this.counted;
  }

  index(closeness: Closeness): LineIndex {
    this.indexes[closeness] ??= new LineIndex(this.raw, (line) => lineKey(line, closeness));
    return this.indexes[closeness];
  }

  standsAt(keys: readonly string[], at: number, closeness: Closeness): boolean {
    if (at < 0 || at + keys.length > this.length) return false;
    return keys.every((key, i) => key === lineKey(this.raw[at + i]!, closeness));
  }
}

/** Equal for lines that are equal under a closeness. */
export function lineKey(raw: string, closeness: Closeness): string {
  if (closeness === 'exact') return raw;
  const text = textOf(raw);
  return closeness === 'line-ends' ? text : withoutEndBlanks(text);
}

export function rawOf(line: HunkLine): string {
  return line.text + line.end;
}

export function lineEndOf(raw: string): LineEnd {
  return raw.endsWith('\r\n') ? '\r\n' : raw.endsWith('\n') ? '\n' : '';
}

export function textOf(raw: string): string {
  return raw.slice(0, raw.length - lineEndOf(raw).length);
}

/** A loop, as the regular expression takes quadratic time on a long run of blanks inside a line. */
function withoutEndBlanks(text: string): string {
  let to = text.length;
  while (to > 0 && ' \t\r'.includes(text[to - 1]!)) to -= 1;
  return text.slice(0, to);
}

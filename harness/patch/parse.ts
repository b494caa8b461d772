/** Bytes → patch. Everything is parsed before anything is looked for; nothing of the patch is dropped silently. */
import { type FileHeader, isFileStart, readFileHeader } from './file-header.ts';
import {
  type Counts,
  closesFence,
  countsOf,
  fenceOf,
  hunkExtent,
  hunkLines,
  isHunkStart,
  type Reading,
  refuseCut,
  UNTERMINATED,
} from './hunk-lines.ts';
import {
  type CountsMode,
  errorOf,
  type Hunk,
  inPlace,
  type Patch,
  type PatchError,
  PatchFault,
  type PatchFile,
} from './patch.ts';
import { isBlank, type PatchLine, patchLines, quote } from './patch-text.ts';

/** Reads a unified diff of any number of files, with prose or a Markdown fence around it. */
export function parsePatch(bytes: Uint8Array, counts: CountsMode = 'recount'): Patch | PatchError {
  const lines = patchLines(bytes);
  const first = new PatchReader(lines, counts, 'counts');
  const read = first.read();
  if (!first.hasOtherReading) return 'kind' in read ? read : { files: read.files, otherwise: null };
  const other = new PatchReader(lines, counts, 'headers').read();
  if ('kind' in read) return 'kind' in other ? read : { files: other.files, otherwise: null };
  return { files: read.files, otherwise: 'kind' in other ? other : other.files };
}

class PatchReader {
  hasOtherReading = false;
  private readonly lines: readonly PatchLine[];
  private readonly counts: CountsMode;
  private readonly reading: Reading;
  private at = 0;
  /** The Markdown fence that is open. */
  private fence: string | null = null;

  constructor(lines: readonly PatchLine[], counts: CountsMode, reading: Reading) {
    this.lines = lines;
    this.counts = counts;
    this.reading = reading;
  }

  read(): { readonly files: readonly PatchFile[] } | PatchError {
    try {
      const files: PatchFile[] = [];
      while (this.at < this.lines.length) {
        if (isFileStart(this.lines, this.at)) files.push(this.readFile());
        else this.passProse();
      }
      if (files.length === 0) throw new PatchFault('empty', this.whyEmpty());
      return { files };
    } catch (fault) {
      return errorOf(fault);
    }
  }

  /** Prose is ignored, as git does. */
  private passProse(): void {
    const line = this.lines[this.at]!;
    if (closesFence(line, this.fence)) this.fence = null;
    else this.fence ??= fenceOf(line);
    if (this.counts === 'strict') this.refuseCutLine(line);
    this.refusePatchText(line);
    this.at += 1;
  }

  private refuseCutLine(line: PatchLine): void {
    const isHalfHeader = line.text.startsWith('--- ') && this.isEnd(this.at + 1);
    if (isHalfHeader) throw new PatchFault('truncated', 'the patch ends in a file header; send it again whole');
    if (line.terminated || isBlank(line.text) || fenceOf(line) !== null) return;
    throw new PatchFault('truncated', `${UNTERMINATED}; send it again whole`);
  }

  /** What must have been meant as a part of the patch is no prose. */
  private refusePatchText(line: PatchLine): void {
    const { text } = line;
    const place = `line ${this.at + 1} of the patch, ${quote(text)},`;
    if (/^(@@@|diff --(cc|combined) )/.test(text)) {
      throw new PatchFault('malformed', `${place} is of a combined diff (of a merge); send one against one parent`);
    }
    if (isHunkStart(line)) {
      const missing = 'no file header (--- a/x, +++ b/x) stands right before it';
      throw new PatchFault('malformed', `${place} begins a hunk, but ${missing}${this.formatHint()}`);
    }
    if (/^(--- |\+\+\+ )/.test(text) && isHunkStart(this.lines[this.at + 1])) {
      throw new PatchFault('malformed', `${place} is half a file header: --- and +++ stand together`);
    }
    if (/^Binary files .* differ$/.test(text)) {
      throw new PatchFault('binary', `${place} is about binary files; only text can be patched`);
    }
  }

  private readFile(): PatchFile {
    const header = readFileHeader(this.lines, this.at);
    this.at = header.end;
    return inPlace({ file: header.to }, () => {
      this.refuseBinary();
      const hunks = this.readHunks(header);
      if (hunks.length === 0 && this.counts === 'strict') this.refuseCutHeader(header);
      refuseContradiction(header, hunks);
      const { from, to, executable, crlfTransport } = header;
      const action = header.action === 'mode' && hunks.length > 0 ? 'edit' : header.action;
      return { action, from, to, executable, crlfTransport, hunks };
    });
  }

  /** An entry without hunks at the end of a patch that may be cut: its header must be whole, and rule hunks out. */
  private refuseCutHeader({ end, saysNoHunk }: FileHeader): void {
    if (!this.isEnd(this.at)) return;
    const isWhole = this.lines[end - 1]!.terminated;
    if (isWhole && saysNoHunk) return;
    throw new PatchFault(
      'truncated',
      'the patch ends after the header of a file: it may have been cut; send it again whole',
    );
  }

  private refuseBinary(): void {
    const text = this.lines[this.at]?.text ?? '';
    if (!/^(GIT binary patch|Binary files .* differ$)/.test(text)) return;
    throw new PatchFault('binary', 'the patch holds binary content; only text can be patched');
  }

  private readHunks(header: FileHeader): readonly Hunk[] {
    const hunks: Hunk[] = [];
    for (;;) {
      const next = this.afterBlanks(this.at);
      if (!isHunkStart(this.lines[next])) return hunks;
      this.at = next;
      const hunk = inPlace({ file: header.to, hunk: hunks.length + 1 }, () => this.readHunk(header));
      if (hunk !== null) hunks.push(hunk);
    }
  }

  private afterBlanks(from: number): number {
    let at = from;
    while (at < this.lines.length && isBlank(this.lines[at]!.text)) at += 1;
    return at;
  }

  /** Only what comes last can have been cut: a short hunk that something follows has wrong counts. */
  private isEnd(at: number): boolean {
    return this.afterBlanks(at) === this.lines.length;
  }

  /** Null for a hunk without lines in a created file: the file is empty. */
  private readHunk(header: FileHeader): Hunk | null {
    const start = this.at + 1;
    const numbers = hunkNumbers(this.lines[this.at]!.text);
    const place = { lines: this.lines, start, declared: numbers?.declared ?? null, fence: this.fence };
    const extent = hunkExtent(place, this.reading);
    this.hasOtherReading ||= extent.holdsHeader;
    const raw = this.lines.slice(start, extent.end);
    const lines = hunkLines(raw, header.crlfTransport);
    const found = countsOf(lines);
    if (this.counts === 'strict' && this.isEnd(extent.end)) refuseCut(place.declared, found, raw.at(-1));
    this.at = extent.end;
    if (lines.length === 0 && header.action === 'create') return null;
    if (lines.length === 0) throw new PatchFault('empty', `the hunk at line ${start} of the patch has no lines`);
    if (lines.every(({ op }) => op === ' ')) {
      throw new PatchFault(
        'empty',
        `the hunk at line ${start} of the patch changes nothing: none of its lines begins with + or -`,
      );
    }
    const oldStart = numbers?.oldStart ?? null;
    const correction = numbers === null ? null : correctionOf(numbers, found);
    return { patchLine: start, oldStart, declaredOld: place.declared?.old ?? null, lines, correction };
  }

  private whyEmpty(): string {
    const missing = 'no file header (--- a/x and +++ b/x) and no file operation';
    return `the patch has ${missing}, so it would change nothing${this.formatHint()}`;
  }

  private formatHint(): string {
    const isOther = this.lines.some(({ text }) =>
      /^\*\*\* (Begin Patch|(Add|Update|Delete) File: |\d+,\d+ \*\*\*\*$)/.test(text),
    );
    return isOther ? '; this is another patch format, wanted is a unified diff' : '';
  }
}

interface HunkNumbers {
  readonly oldStart: number;
  readonly newStart: number;
  readonly declared: Counts;
}

const NUMBERS = /^@@\s*-(\d+)(?:,(\d+))?\s+\+(\d+)(?:,(\d+))?/;

/** Null for a bare `@@` and for one whose numbers cannot be read. */
function hunkNumbers(text: string): HunkNumbers | null {
  const found = NUMBERS.exec(text);
  if (found === null) return null;
  const [, oldStart, old = '1', newStart, added = '1'] = found;
  return { oldStart: Number(oldStart), newStart: Number(newStart), declared: { old: Number(old), new: Number(added) } };
}

function correctionOf({ oldStart, newStart, declared }: HunkNumbers, found: Counts): string | null {
  if (declared.old === found.old && declared.new === found.new) return null;
  return `counts corrected to -${oldStart},${found.old} +${newStart},${found.new}`;
}

function refuseContradiction({ action, executable, to }: FileHeader, hunks: readonly Hunk[]): void {
  if (hunks.length === 0 && action === 'edit' && executable === null) {
    throw new PatchFault('empty', 'the entry has no hunk and no operation, so it would change nothing');
  }
  if (action !== 'create') return;
  if (hunks.length > 1)
    throw new PatchFault('malformed', 'a created file has one hunk, not several', { file: to, hunk: 2 });
  const other = hunks[0]?.lines.find(({ op }) => op !== '+');
  if (other === undefined) return;
  const which = `${quote(other.op + other.text)} does not`;
  throw new PatchFault('malformed', `all lines of a created file begin with +, ${which}`, { file: to, hunk: 1 });
}

/** The lines of a `ctl` message that could give it structure, wherever they stand: in a frame or within a value. */
import { readArgLine, readCallLine } from '../harness/parsers/ctl-line.ts';

interface LinePlace {
  /** Index of its first character. */
  readonly start: number;
  /** Index after its LF; the length of the message where the end stands for the LF. */
  readonly next: number;
}

export type CallHeader = LinePlace & { readonly type: 'call'; readonly id: string; readonly name: string };

export type ArgumentLine = LinePlace & { readonly type: 'arg'; readonly key: string } & (
    | { readonly form: 'length'; readonly declared: number }
    | {
        /** An inline or heredoc value. */
        readonly form: 'stated';
        /** The value, and where the next line starts; `null` if a heredoc is never closed. */
        readonly valueFrom: number;
        readonly valueTo: number | null;
        readonly valueEnd: number | null;
      }
  );

/** What may stand at a line start inside a call. */
export type InsideLine = ArgumentLine | (LinePlace & { readonly type: 'end' });
export type FrameLine = CallHeader | InsideLine;

export class Frames {
  readonly message: string;
  readonly ends: readonly InsideLine[];
  /** `arg` and `end` lines, in order. */
  readonly #inside: readonly InsideLine[];
  readonly #insideByStart = new Map<number, InsideLine>();
  readonly #calls = new Map<number, CallHeader>();
  /** By key: where its last `arg` line starts. */
  readonly #lastOfKey = new Map<string, number>();
  /** By tag: the last line found that closes it, `null` where none does any more. */
  readonly #tagLines: TagLines = new Map();
  /** Where the first line starts that begins with `call `, valid or not; -1 if there is none. */
  readonly #firstHeader: number;

  /** Lines of `lineLimit` bytes and more (LF included) are no headers: the parser refuses them. */
  constructor(message: string, lineLimit: number) {
    this.message = message;
    const inside: InsideLine[] = [];
    let firstHeader = -1;
    for (let start = 0; start < message.length; ) {
      const lf = message.indexOf('\n', start);
      const end = lf < 0 ? message.length : lf;
      const place = { start, next: lf < 0 ? end : lf + 1 };
      if (firstHeader < 0 && message.startsWith('call ', start)) firstHeader = start;
      if (end - start < lineLimit) this.#file(frameLine(message, place, { end, tagLines: this.#tagLines }), inside);
      start = place.next;
    }
    this.#inside = inside;
    this.ends = inside.filter(({ type }) => type === 'end');
    this.#firstHeader = firstHeader;
  }

  #file(line: FrameLine | null, inside: InsideLine[]): void {
    if (line === null) return;
    if (line.type === 'call') {
      this.#calls.set(line.start, line);
      return;
    }
    inside.push(line);
    this.#insideByStart.set(line.start, line);
    if (line.type === 'arg') this.#lastOfKey.set(line.key, line.start);
  }

  /** Some line begins with `call `. */
  get hasHeader(): boolean {
    return this.#firstHeader >= 0;
  }

  /** The header of the first call: the first line that begins with `call `; `null` if there is none or it is malformed. */
  firstCall(): CallHeader | null {
    return this.callAt(this.#firstHeader);
  }

  callAt(start: number): CallHeader | null {
    return this.#calls.get(start) ?? null;
  }

  /** The first call header at or after `from`, whatever stands between. */
  nextCall(from: number): CallHeader | null {
    for (const [start, line] of this.#calls) if (start >= from) return line;
    return null;
  }

  /** The `arg` or `end` line that starts there. */
  insideAt(start: number): InsideLine | undefined {
    return this.#insideByStart.get(start);
  }

  /** The `arg` and `end` lines at or after `from`, in order. */
  *insideFrom(from: number): Generator<InsideLine, undefined> {
    let low = 0;
    let high = this.#inside.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#inside[middle]!.start < from) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < this.#inside.length; i++) yield this.#inside[i]!;
  }

  isRepeatedAfter(key: string, start: number): boolean {
    return (this.#lastOfKey.get(key) ?? -1) > start;
  }
}

type TagLines = Map<string, number | null>;

function frameLine(
  message: string,
  place: LinePlace,
  { end, tagLines }: { end: number; tagLines: TagLines },
): FrameLine | null {
  const { start, next } = place;
  if (message.startsWith('call ', start)) {
    const call = readCallLine(message.slice(start, end));
    return call === null ? null : { ...place, type: 'call', ...call };
  }
  if (end - start === 3 && message.startsWith('end', start)) return { ...place, type: 'end' };
  if (!message.startsWith('arg ', start)) return null;
  const arg = readArgLine(message.slice(start, end));
  if (arg.form === 'length') {
    // More digits than a number holds: the parser refuses it, and nothing could be measured.
    if (!Number.isSafeInteger(arg.declared)) return null;
    return { ...place, type: 'arg', form: 'length', key: arg.key, declared: arg.declared };
  }
  if (arg.form === 'inline') {
    const value = { valueFrom: end - arg.valueLength, valueTo: end, valueEnd: next };
    return { ...place, type: 'arg', form: 'stated', key: arg.key, ...value };
  }
  if (arg.form !== 'heredoc') return null;
  const close = tagLine(message, { from: next, tag: arg.tag }, tagLines);
  const valueEnd = close === null ? null : Math.min(message.length, close + arg.tag.length + 1);
  return { ...place, type: 'arg', form: 'stated', key: arg.key, valueFrom: next, valueTo: close, valueEnd };
}

/** Where the line that equals the tag starts, or null. */
function tagLine(message: string, { from, tag }: { from: number; tag: string }, known: TagLines): number | null {
  const last = known.get(tag);
  if (last === null || (last !== undefined && last >= from)) return last;
  const found = findTagLine(message, from, tag);
  known.set(tag, found);
  return found;
}

function findTagLine(message: string, from: number, tag: string): number | null {
  const before = message.indexOf(`\n${tag}\n`, from - 1);
  if (before >= 0) return before + 1;
  const lastLine = message.lastIndexOf('\n') + 1;
  return lastLine >= from && message.slice(lastLine) === tag ? lastLine : null;
}

/** What of a message tells its framing, kept while it streams by: memory does not grow with the text. */
import { MarkerScan } from '../parsers/marker-scan.ts';

/** What `guessFraming` looks for at the start of a line. */
const TELLING = /^(call |arg |end$|<minimax:tool_call>)/;
const XML_BLOCK = '<minimax:tool_call>';
/** What it looks for anywhere in a line. */
const DIALECT_OPENERS = {
  tagged: '<tool_call>',
  deepseek: '<｜tool▁calls▁begin｜>',
  kimi: '<|tool_calls_section_begin|>',
  harmony: '<|channel|>',
};
type DialectOpener = keyof typeof DIALECT_OPENERS;
/** Bytes behind an opener that tell the dialect. */
const MOST_BEHIND_OPENER = 80;
const THINK_OPEN = Buffer.from('<think>');
const THINK_CLOSE = Buffer.from('</think>');
/** No telling line is longer: a longer one tells by its beginning, or not at all. */
const MOST_OF_A_LINE = 256;
/** The first call decides; nobody writes so many such lines before. */
const MOST_LINES = 20_000;
const LF = 0x0a;
const NOTHING = Buffer.alloc(0);
const INDENT = Buffer.from(' ');

export class TellingLines {
  readonly #lines: string[] = [];
  /** `start`: only blanks, or what may become a leading `<think>`; `think`: inside it. */
  #phase: 'start' | 'think' | 'text' = 'start';
  /** What is held: in `start` its bytes, in `think` what may begin the closing tag, in `text` the line under way. */
  #held = NOTHING;
  /** Blanks that were let go stand in the line under way, so that nothing tells at its start. */
  #indented = false;
  /** The opener of a dialect under way with what stands behind it: its place among the lines, and what may still come. */
  #opened: { readonly line: number; room: number } | null = null;
  readonly #openers = new MarkerScan<DialectOpener>(DIALECT_OPENERS, (bytes, from, to) =>
    this.#behindOpener(bytes, from, to),
  );

  push(bytes: Uint8Array): void {
    if (this.#phase === 'start') this.#start(Buffer.concat([this.#held, bytes]));
    else if (this.#phase === 'think') this.#think(Buffer.concat([this.#held, bytes]));
    else this.#text(bytes);
  }

  /** A text of which the framing is that of the whole. */
  text(): string {
    if (this.#phase !== 'text') return '';
    this.#openers.flush();
    // Where the text stops behind an opener, no line ends.
    if (this.#opened !== null) this.#lines[this.#opened.line] += '\0';
    this.#endLine();
    // A line before all others: a second think block is no leading one.
    return ['.', ...this.#lines].join('\n');
  }

  #start(bytes: Buffer): void {
    const first = bytes.findIndex((byte) => byte !== LF && byte !== 0x0d && byte !== 0x20 && byte !== 0x09);
    const head = bytes.subarray(first === -1 ? bytes.length : first);
    if (first !== 0 && bytes.length > 0) this.#indented = bytes[bytes.length - head.length - 1] !== LF;
    this.#held = Buffer.from(head.subarray(0, THINK_OPEN.length));
    if (head.length < THINK_OPEN.length && THINK_OPEN.subarray(0, head.length).equals(head)) return;
    const isThink = this.#held.equals(THINK_OPEN);
    this.#phase = isThink ? 'think' : 'text';
    this.#held = this.#indented && !isThink ? INDENT : NOTHING;
    if (isThink) this.#think(head.subarray(THINK_OPEN.length));
    else this.#text(head);
  }

  #think(bytes: Buffer): void {
    const close = bytes.indexOf(THINK_CLOSE);
    this.#held = close === -1 ? Buffer.from(bytes.subarray(-THINK_CLOSE.length + 1)) : NOTHING;
    if (close === -1) return;
    this.#phase = 'text';
    this.#text(bytes.subarray(close + THINK_CLOSE.length));
  }

  #text(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const to = this.#openers.scan(bytes, from, bytes.length, 0);
      const { found } = this.#openers;
      // Of the line under way, what stands before the opener.
      this.#intoLines(bytes.subarray(from, to));
      if (found !== null) this.#open(DIALECT_OPENERS[found]);
      from = to;
    }
  }

  #open(opener: string): void {
    // Behind the opener before it stands this one, and that begins so.
    if (this.#opened !== null) this.#lines[this.#opened.line] += '<';
    this.#opened = null;
    if (this.#lines.length >= MOST_LINES) return;
    const line = this.#held.toString('utf8');
    // The line is told by its start, and that is before the opener.
    if (line.startsWith(XML_BLOCK)) this.#lines.push(XML_BLOCK);
    this.#opened = { line: this.#lines.push(opener) - 1, room: MOST_BEHIND_OPENER };
  }

  #behindOpener(bytes: Uint8Array, from: number, to: number): void {
    const opened = this.#opened;
    if (opened === null) return;
    const end = Math.min(to, from + opened.room);
    // One character a byte: what tells a dialect is ASCII.
    const text = Buffer.from(bytes.subarray(from, end)).toString('latin1');
    this.#lines[opened.line] += text.replaceAll('\n', ' ');
    opened.room -= end - from;
    if (opened.room === 0) this.#opened = null;
  }

  #intoLines(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const lf = bytes.indexOf(LF, from);
      const to = lf === -1 ? bytes.length : lf;
      const room = MOST_OF_A_LINE - this.#held.length;
      if (room > 0) this.#held = Buffer.concat([this.#held, bytes.subarray(from, Math.min(to, from + room))]);
      if (lf !== -1) this.#endLine();
      from = to + 1;
    }
  }

  #endLine(): void {
    const line = this.#held.toString('utf8');
    this.#held = NOTHING;
    if (this.#lines.length < MOST_LINES && TELLING.test(line)) this.#lines.push(line);
  }
}

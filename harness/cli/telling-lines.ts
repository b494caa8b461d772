/** The lines of a message that tell its framing, kept while it streams by: memory does not grow with the text. */

/** What `guessFraming` looks for at the start of a line. */
const TELLING = /^(call |arg |end$|<minimax:tool_call>)/;
const THINK_OPEN = '<think>';
const THINK_CLOSE = '</think>';
/** No telling line is longer: a longer one tells by its beginning, or not at all. */
const MOST_OF_A_LINE = 256;
/** The first call decides; nobody writes so many lines before. */
const MOST_LINES = 20_000;
const LF = 0x0a;

export class TellingLines {
  readonly #lines: string[] = [];
  #line = Buffer.alloc(0);
  /** Text that is not blank has come. */
  #started = false;
  /** In a leading think block: the last characters, which may begin its closing tag; null outside. */
  #thinking: string | null = null;

  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      if (this.#thinking !== null) {
        from = this.#inThink(bytes, from);
        continue;
      }
      const lf = bytes.indexOf(LF, from);
      const to = lf === -1 ? bytes.length : lf;
      const room = Math.max(0, MOST_OF_A_LINE - this.#line.length);
      this.#line = Buffer.concat([this.#line, bytes.subarray(from, Math.min(to, from + room))]);
      from = lf === -1 ? to : lf + 1;
      if (this.#opensThink()) from = this.#startThink(bytes, to);
      else if (lf !== -1) this.#endLine();
    }
  }

  /** A text of which the framing is that of the whole. */
  text(): string {
    if (this.#thinking !== null) return '';
    this.#endLine();
    // A line before all others: a second think block is no leading one.
    return ['.', ...this.#lines].join('\n');
  }

  #opensThink(): boolean {
    return !this.#started && this.#line.toString('latin1').trimStart().startsWith(THINK_OPEN);
  }

  /** The opening tag and what follows it in its line have been taken; they are looked at again for the closing tag. */
  #startThink(_bytes: Uint8Array, to: number): number {
    this.#started = true;
    this.#thinking = '';
    const line = this.#line;
    this.#line = Buffer.alloc(0);
    const rest = this.#inThink(line, 0);
    if (this.#thinking === null) this.push(line.subarray(rest));
    return to;
  }

  #inThink(bytes: Uint8Array, from: number): number {
    const before = this.#thinking ?? '';
    const text = before + Buffer.from(bytes.subarray(from)).toString('latin1');
    const close = text.indexOf(THINK_CLOSE);
    this.#thinking = close === -1 ? text.slice(-THINK_CLOSE.length + 1) : null;
    return close === -1 ? bytes.length : from + close + THINK_CLOSE.length - before.length;
  }

  #endLine(): void {
    const line = this.#line.toString('utf8');
    this.#line = Buffer.alloc(0);
    this.#started ||= line.trim() !== '';
    if (this.#lines.length < MOST_LINES && TELLING.test(line)) this.#lines.push(line);
  }
}

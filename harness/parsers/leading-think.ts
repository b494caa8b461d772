/**
 * The sub-grammar that all text readings share: a leading `<think>…</think>` in content is reasoning and is not
 * searched (xml.md; docs/decisions/0002 "All parsers").
 */
import { isBlank, LF } from './bytes.ts';

/** What stands behind the filter: the grammar of the protocol. */
export interface TextGrammar {
  /** Message text `bytes[from, to)`, whose first byte has the content offset `offset`. */
  text(bytes: Uint8Array, from: number, to: number, offset: number): void;
  /** The think block is over: the next byte stands at the start of a line; `lineFeeds` LFs were in the block. */
  startLine(lineFeeds: number): void;
}

const OPENER = Buffer.from('<think>');
const CLOSER = Buffer.from('</think>');
const LESS_THAN = 0x3c;

type ThinkPhase = 'start' | 'inside' | 'over';

export class LeadingThink {
  #phase: ThinkPhase = 'start';
  /** Bytes of OPENER (start) or CLOSER (inside) that have matched. */
  #matched = 0;
  /** Bytes of the marker that ends the block, too, that have matched. It holds no further `<`, and no LF. */
  #markerMatched = 0;
  readonly #marker: Uint8Array;
  #lineFeeds = 0;
  /** Content offset of the first byte that is held back. */
  #heldFrom = 0;
  readonly #grammar: TextGrammar;

  /** @param marker ends the block like `</think>`, and is text itself */
  constructor(grammar: TextGrammar, marker = '') {
    this.#grammar = grammar;
    this.#marker = Buffer.from(marker);
  }

  /** Nothing is filtered any more: text may go to the grammar directly. */
  get over(): boolean {
    return this.#phase === 'over';
  }

  /** Bytes held back because they may still become a tag or the marker. */
  get held(): number {
    return this.#phase === 'over' ? 0 : Math.max(this.#matched, this.#markerMatched);
  }

  text(bytes: Uint8Array, from: number, to: number, offset: number): void {
    let i = from;
    while (i < to && this.#phase !== 'over') {
      i =
        this.#phase === 'start'
          ? this.#start(bytes, i, offset + (i - from))
          : this.#inside(bytes, { from: i, to, offset: offset + (i - from) });
    }
    if (i < to) this.#grammar.text(bytes, i, to, offset + (i - from));
  }

  /** A complete end: what could have become `<think>` is text after all, and what could have become `</think>` reasoning. */
  release(): void {
    if (this.#phase === 'inside') {
      this.#matched = 0;
      this.#markerMatched = 0;
    }
    if (this.#phase !== 'start') return;
    this.#phase = 'over';
    if (this.#matched > 0) this.#grammar.text(OPENER, 0, this.#matched, this.#heldFrom);
  }

  //   blanks <thi nk>
  //             ^
  #start(bytes: Uint8Array, i: number, offset: number): number {
    const byte = bytes[i]!;
    if (byte === OPENER[this.#matched]) {
      if (this.#matched === 0) this.#heldFrom = offset;
      this.#matched++;
      if (this.#matched === OPENER.length) this.#enter();
      return i + 1;
    }
    if (this.#matched === 0 && isBlank(byte)) {
      this.#grammar.text(bytes, i, i + 1, offset);
      return i + 1;
    }
    this.release();
    return i;
  }

  #enter(): void {
    this.#phase = 'inside';
    this.#matched = 0;
  }

  //   <think> anything </thi nk>
  //                         ^
  #inside(bytes: Uint8Array, { from, to, offset }: { from: number; to: number; offset: number }): number {
    for (let i = from; i < to; i++) {
      const byte = bytes[i]!;
      if (byte === LF) this.#lineFeeds++;
      if (byte === CLOSER[this.#matched]) this.#matched++;
      else this.#matched = byte === LESS_THAN ? 1 : 0;
      if (this.#matched === CLOSER.length) {
        this.#end();
        return i + 1;
      }
      if (this.#endsByMarker(byte)) {
        this.#end();
        this.#grammar.text(this.#marker, 0, this.#marker.length, offset + (i - from) + 1 - this.#marker.length);
        return i + 1;
      }
    }
    return to;
  }

  #end(): void {
    this.#phase = 'over';
    this.#grammar.startLine(this.#lineFeeds);
  }

  #endsByMarker(byte: number): boolean {
    if (this.#marker.length === 0) return false;
    if (byte === this.#marker[this.#markerMatched]) this.#markerMatched++;
    else this.#markerMatched = byte === LESS_THAN ? 1 : 0;
    return this.#markerMatched === this.#marker.length;
  }
}

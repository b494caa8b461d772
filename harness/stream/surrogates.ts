/**
 * The deltas of one text as UTF-8. A JSON string can end in half a character (`"\ud83d"`): a lone surrogate has no
 * bytes, so a high one at the end of a delta is held and joined with the next delta of the same text (streams.md).
 */

const encoder = new TextEncoder();
const SCRATCH_SIZE = 16 * 1024;
const scratch = new Uint8Array(SCRATCH_SIZE);
/** A UTF-16 unit takes at most three bytes. */
const LONGEST_IN_SCRATCH = Math.floor(SCRATCH_SIZE / 3);

/** A surrogate without its partner. */
export const LONE_SURROGATE = /\p{Surrogate}/u;
const NO_BYTES = new Uint8Array(0);

export class DeltaEncoder {
  #held = '';

  /** A high surrogate waits for its partner. */
  get holds(): boolean {
    return this.#held !== '';
  }

  /** The bytes of the next delta, or null if a surrogate in it, or the one held before it, finds no partner. */
  encode(delta: string): Uint8Array | null {
    if (delta === '') return NO_BYTES;
    if (this.#held === '' && delta.length <= LONGEST_IN_SCRATCH) {
      const { written } = encoder.encodeInto(delta, scratch);
      if (written === delta.length) return scratch.slice(0, written);
    }
    return this.#encodeCarefully(this.#held + delta);
  }

  #encodeCarefully(text: string): Uint8Array | null {
    const last = text.charCodeAt(text.length - 1);
    const holdsLast = last >= 0xd800 && last <= 0xdbff;
    this.#held = holdsLast ? text.slice(-1) : '';
    const whole = holdsLast ? text.slice(0, -1) : text;
    return LONE_SURROGATE.test(whole) ? null : encoder.encode(whole);
  }
}

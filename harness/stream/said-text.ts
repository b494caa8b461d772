/**
 * A text that comes in deltas and is then said again as a whole (OpenAI Responses: the `done` events). Both must be the
 * same; to tell, a digest is enough, so that memory does not grow with the text.
 */
import { createHash } from 'node:crypto';

export class SaidText {
  readonly #hash = createHash('sha256');
  /** UTF-16 units so far. */
  length = 0;

  add(delta: string): void {
    this.length += delta.length;
    // UTF-16, since a delta can end in half a character.
    this.#hash.update(delta, 'utf16le');
  }

  /** Whether the deltas so far are `whole`. */
  is(whole: string): boolean {
    if (whole.length !== this.length) return false;
    return this.#hash.copy().digest('hex') === createHash('sha256').update(whole, 'utf16le').digest('hex');
  }
}

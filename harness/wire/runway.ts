/** Pieces up to this size take the runway; longer ones are copied natively. */
const TINY = 8;
/** No byte. */
const NONE = -1;

/**
 * The short path of a value that comes in tiny pieces. While it is open, bytes that mean nothing to the grammar go straight
 * into the value's buffer; a byte that may mean something, and the last place, are left to the grammar. Whoever opens it must
 * settle, i.e. count what was taken, before it looks at its own state again.
 */
export class Runway {
  /** Bytes that may still be taken; 0: closed. */
  room = 0;
  #target: Uint8Array = new Uint8Array(0);
  #at = 0;
  #granted = 0;
  #stop = NONE;
  #otherStop = NONE;

  /** Bytes taken since it was opened. */
  get taken(): number {
    return this.#granted - this.room;
  }

  /** Bytes go to `target` from `at` on, at most `room` of them, up to a stop byte. */
  open(
    target: Uint8Array,
    at: number,
    room: number,
    stops: { readonly stop?: number; readonly otherStop?: number },
  ): void {
    this.#target = target;
    this.#at = at;
    this.#granted = room;
    this.room = room;
    this.#stop = stops.stop ?? NONE;
    this.#otherStop = stops.otherStop ?? NONE;
  }

  /** Takes what it can of `bytes[from, to)` and returns where it stopped. */
  take(bytes: Uint8Array, from: number, to: number): number {
    if (to - from === 1) {
      const byte = bytes[from]!;
      if (byte === this.#stop || byte === this.#otherStop) return from;
      this.#target[this.#at++] = byte;
      this.room--;
      return to;
    }
    if (to - from > TINY) return from;
    const end = Math.min(to, from + this.room);
    let i = from;
    for (; i < end; i++) {
      const byte = bytes[i]!;
      if (byte === this.#stop || byte === this.#otherStop) break;
      this.#target[this.#at++] = byte;
    }
    this.room -= i - from;
    return i;
  }

  /** Closes it and returns the number of bytes taken. */
  settle(): number {
    const { taken } = this;
    this.#granted = 0;
    this.room = 0;
    return taken;
  }
}

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
  /** Where the next byte goes, and where none may go any more; equal: closed. */
  at = 0;
  end = 0;
  #from = 0;
  #target: Uint8Array = new Uint8Array(0);
  #stop = NONE;
  #otherStop = NONE;
  /** The last byte taken was an escape: the next one is taken, whatever it is. */
  escaped = false;

  /** Bytes taken since it was opened. */
  get taken(): number {
    return this.at - this.#from;
  }

  /** Bytes go to `target` from `at` on, at most `room` of them, up to a stop byte. */
  open(target: Uint8Array, at: number, room: number, stops: RunwayStops): void {
    this.#target = target;
    this.#from = at;
    this.at = at;
    this.end = at + room;
    this.#stop = stops.stop ?? NONE;
    this.#otherStop = stops.otherStop ?? NONE;
  }

  isStop(byte: number): boolean {
    return byte === this.#stop || byte === this.#otherStop;
  }

  /** Takes one byte that is no stop; only if `at < end`. So small that it is always inlined. */
  put(byte: number): void {
    this.#target[this.at++] = byte;
  }

  /** Takes the stop `escaping`, or the byte behind it. False for any other stop. */
  putEscape(byte: number, escaping: number): boolean {
    if (!this.escaped && byte !== escaping) return false;
    this.escaped = !this.escaped;
    this.put(byte);
    return true;
  }

  /** Takes what it can of `bytes[from, to)` and returns where it stopped. */
  take(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > TINY) return from;
    const stop = Math.min(to, from + this.end - this.at);
    let i = from;
    for (; i < stop; i++) {
      const byte = bytes[i]!;
      if (byte === this.#stop || byte === this.#otherStop) break;
      this.#target[this.at++] = byte;
    }
    return i;
  }

  /** Closes it and returns the number of bytes taken. */
  settle(): number {
    const { taken } = this;
    this.at = 0;
    this.end = 0;
    this.#from = 0;
    this.escaped = false;
    return taken;
  }
}

/** Bytes that end the run: they are left to the grammar. */
export interface RunwayStops {
  readonly stop?: number;
  readonly otherStop?: number;
}

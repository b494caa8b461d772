/** Byte buffers that a parser reuses: no string is built by single characters, no chunk is kept. */

/** Below this many bytes a plain loop beats a native call. */
const SHORT = 32;

/** Index of `byte` in `bytes[from, to)`, or -1. Never looks beyond `to`: a caller may re-cut one big chunk at every byte. */
export function indexOfByte(bytes: Uint8Array, byte: number, from: number, to: number): number {
  if (to - from <= SHORT) {
    for (let i = from; i < to; i++) if (bytes[i] === byte) return i;
    return -1;
  }
  if (to === bytes.length) return bytes.indexOf(byte, from);
  const found = bytes.subarray(from, to).indexOf(byte);
  return found === -1 ? -1 : found + from;
}

/** A buffer that grows by doubling and is emptied without being freed. */
export class ByteBuffer {
  length = 0;
  #bytes: Buffer = Buffer.allocUnsafeSlow(64);
  /** Length of `#bytes`: a field of its own is read faster, and that is once a byte. */
  #capacity = 64;

  /** Valid up to `length`, until the next append. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  append(source: Uint8Array, from: number, to: number): void {
    const count = to - from;
    if (count === 1) {
      this.appendByte(source[from]!);
      return;
    }
    const end = this.length + count;
    if (end > this.#capacity) this.#grow(end);
    if (count <= SHORT) {
      const target = this.#bytes;
      for (let i = from, j = this.length; i < to; i++, j++) target[j] = source[i]!;
    } else {
      this.#bytes.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.length);
    }
    this.length = end;
  }

  /** The path of whoever is fed byte by byte. */
  appendByte(byte: number): void {
    const { length } = this;
    if (length === this.#capacity) this.#grow(length + 1);
    this.#bytes[length] = byte;
    this.length = length + 1;
  }

  /** Makes room for more bytes, and gives the whole buffer: what is written from `length` on counts once `length` is set. */
  reserve(count: number): Uint8Array {
    if (this.length + count > this.#capacity) this.#grow(this.length + count);
    return this.#bytes;
  }

  /** A copy of its own of `[from, to)`. */
  copy(from = 0, to = this.length): Uint8Array {
    return copyOf(this.#bytes, from, to);
  }

  /** `[from, to)` as UTF-8. */
  text(from = 0, to = this.length): string {
    return this.#bytes.toString('utf8', from, to);
  }

  #grow(needed: number): void {
    const bigger = Buffer.allocUnsafeSlow(Math.max(needed, this.#capacity * 2));
    bigger.set(this.#bytes.subarray(0, this.length));
    this.#bytes = bigger;
    this.#capacity = bigger.length;
  }
}

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

/** `bytes[from, to)` in memory of its own (`Buffer.prototype.slice` would share it). */
export function copyOf(bytes: Uint8Array, from: number, to: number): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes, from, to);
}

/** Number of LF bytes in `bytes[from, to)`. */
export function countLineFeeds(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let count = 0;
  for (let i = from; i < to; i++) if (bytes[i] === LF) count++;
  return count;
}

/** `bytes[from, to)` as latin1: one UTF-16 unit a byte, so that indices stay byte offsets. */
export function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
}

/** The beginning of `bytes[from, to)` as text, to be quoted in an error. */
export function excerpt(bytes: Uint8Array, from: number, to: number): string {
  const end = Math.min(to, from + MAX_EXCERPT);
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString('utf8') + (end < to ? '…' : '');
}

const MAX_EXCERPT = 60;

export const LF = 0x0a;

/** SP, TAB, CR, LF: the blanks of xml.md, of RFC 8259 and of a leading think block. */
export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === LF || byte === 0x0d || byte === 0x09;
}

/** One growable buffer, reused from event to event and from value to value: no string is built by single characters. */

const EMPTY = Buffer.alloc(0);
/** What a buffer may keep when it is cleared: one huge event must not be paid for during the rest of the stream. */
const KEPT = 1024 * 1024;
/** Up to this many bytes a plain loop beats a native call. */
const SHORT = 32;

export class ByteBuffer {
  /** The first {@link length} bytes are content; replaced when it grows. */
  bytes: Buffer = EMPTY;
  /** Bytes of content. */
  length = 0;
  /** First size in bytes. */
  readonly #smallest: number;

  constructor(smallest = 64) {
    this.#smallest = smallest;
  }

  /** Makes room for `extra` further bytes. Doubling: n appended bytes cost O(n) copies. */
  reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length, this.#smallest));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }

  append(source: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    if (count <= SHORT) {
      const target = this.bytes;
      for (let i = start, j = this.length; i < end; i++, j++) target[j] = source[i]!;
    } else {
      this.bytes.set(source.subarray(start, end), this.length);
    }
    this.length += count;
  }

  appendByte(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  clear(): void {
    this.length = 0;
    if (this.bytes.length > KEPT) this.bytes = EMPTY;
  }

  /** `[start, end)` in memory of its own (`Buffer.prototype.slice` would share it). */
  copy(start = 0, end = this.length): Uint8Array {
    return Uint8Array.prototype.slice.call(this.bytes, start, end);
  }

  /** `[start, end)` as UTF-8. */
  text(start = 0, end = this.length): string {
    return this.bytes.toString('utf8', start, end);
  }
}

/** One growable buffer, reused from event to event. */

const EMPTY = Buffer.alloc(0);
/** First size in bytes: the usual event fits. */
const SMALLEST = 2048;
/** What a buffer may keep between events: one huge event must not be paid for during the rest of the stream. */
const KEPT = 1024 * 1024;

export class ByteBuffer {
  /** The first {@link length} bytes are content; replaced when it grows. */
  bytes: Buffer = EMPTY;
  /** Bytes of content. */
  length = 0;

  /** Makes room for `extra` further bytes. Doubling: n appended bytes cost O(n) copies. */
  reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length, SMALLEST));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }

  append(source: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    this.bytes.set(source.subarray(start, end), this.length);
    this.length += end - start;
  }

  appendByte(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  clear(): void {
    this.length = 0;
    if (this.bytes.length > KEPT) this.bytes = EMPTY;
  }
}

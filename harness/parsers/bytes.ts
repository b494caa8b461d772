/** Looking into ranges of bytes. */

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

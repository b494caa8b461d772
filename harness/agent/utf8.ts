/**
 * Bytes as text that JSON can carry, with cuts that split no character.
 *
 * A unit is a well-formed UTF-8 sequence, or one stray byte. Units do not depend on where reading starts (a lead byte is
 * never a continuation byte), so a prefix and a suffix of the bytes have the same units as the whole.
 */
import { isUtf8 } from 'node:buffer';

const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = 3;
const LONGEST_SEQUENCE = 4;

/** The bytes as text: each stray byte becomes one U+FFFD. A byte order mark stays. */
export function readableText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  let text = '';
  let from = 0;
  for (let at = 0; at < buffer.length; ) {
    const length = sequenceLength(buffer, at);
    if (length === 0) {
      text += buffer.toString('utf8', from, at) + REPLACEMENT;
      from = at + 1;
    }
    at += length || 1;
  }
  return text + buffer.toString('utf8', from);
}

/** Whether the readable text of `bytes` has at most `most` bytes of UTF-8. */
export function isReadableWithin(bytes: Uint8Array, most: number): boolean {
  return bytes.length <= most && readableHead(bytes, most) === bytes.length;
}

/** Length in bytes of the longest prefix of whole units whose readable text has at most `most` bytes of UTF-8. */
export function readableHead(bytes: Uint8Array, most: number): number {
  let end = 0;
  let left = most;
  while (end < bytes.length) {
    const length = sequenceLength(bytes, end);
    left -= length || REPLACEMENT_BYTES;
    if (left < 0) break;
    end += length || 1;
  }
  return end;
}

/** Length in bytes of the longest suffix of whole units whose readable text has at most `most` bytes of UTF-8. */
export function readableTail(bytes: Uint8Array, most: number): number {
  let start = bytes.length;
  let left = most;
  while (start > 0) {
    const length = sequenceLengthBefore(bytes, start);
    left -= length || REPLACEMENT_BYTES;
    if (left < 0) break;
    start -= length || 1;
  }
  return bytes.length - start;
}

/** Bytes of the well-formed sequence that ends before `end`; 0 where a stray byte stands there. */
function sequenceLengthBefore(bytes: Uint8Array, end: number): number {
  for (let length = 1; length <= Math.min(LONGEST_SEQUENCE, end); length++) {
    if (sequenceLength(bytes, end - length) === length) return length;
  }
  return 0;
}

/** Bytes of the well-formed sequence at `at` (Unicode, table 3-7); 0 where a stray byte stands there. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  const second = bytes[at + 1]!;
  if (second < (LOWEST_SECOND[lead] ?? 0x80) || second > (HIGHEST_SECOND[lead] ?? 0xbf)) return 0;
  for (let i = 2; i < length; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 0;
  return length;
}

/** Overlong forms, surrogates and what lies beyond U+10FFFF are kept out by the second byte. */
const LOWEST_SECOND: { readonly [lead: number]: number } = { 224: 0xa0, 240: 0x90 };
const HIGHEST_SECOND: { readonly [lead: number]: number } = { 237: 0x9f, 244: 0x8f };

/**
 * Text that was UTF-8 and was read as windows-1252. Chromium's developer tools do so with an event stream whose content
 * type has no charset, although an event stream is always UTF-8 (WHATWG HTML, "Parsing an event stream").
 */
import { isUtf8 } from 'node:buffer';

/** What the bytes 0x80 to 0x9F mean there (WHATWG Encoding, index windows-1252); all others mean themselves. */
const UPPER =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';
const BYTES: ReadonlyMap<number, number> = new Map(
  [...UPPER].map((character, at) => [character.charCodeAt(0), 0x80 + at]),
);

/** Whether every character stands for a byte, and the bytes are UTF-8 beyond ASCII: chance makes no such text. */
export function isReadAsWindows1252(text: string): boolean {
  const bytes = Buffer.alloc(text.length);
  let isAscii = true;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const byte = BYTES.get(code) ?? code;
    if (byte > 0xff) return false;
    if (byte > 0x7f) isAscii = false;
    bytes[at] = byte;
  }
  return !isAscii && isUtf8(bytes);
}

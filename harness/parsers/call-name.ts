/**
 * Names in the dialects that put a call's name between markers. Servers pass on whatever stands there; a name with a
 * blank, a bracket, a quote or a backslash in it is a marker or a body gone wrong (a call of another dialect, a line break
 * that was written as `\\n`), and no provider takes it for a tool's name.
 */
import { isUtf8 } from 'node:buffer';
import type { ByteBuffer } from '../wire/byte-buffer.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const NAME = /^[^\x00-\x20\x7f<>{}"\\]+$/;

/** Whether `text` can name a tool: not empty, and without blanks, controls, angle brackets, braces, quotes and backslashes. */
export function isCallName(text: string): boolean {
  return NAME.test(text);
}

/** The bytes of a name, a key or a header as text; null if they are no UTF-8: decoded, two of them could be one. */
export function textOfName(bytes: ByteBuffer): string | null {
  const text = bytes.text();
  return text.includes('\ufffd') && !isUtf8(bytes.bytes.subarray(0, bytes.length)) ? null : text;
}

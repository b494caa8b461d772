/** Bytes as characters on a terminal: control characters visible, one column a byte. */

const PRINTABLE = /^[\p{Letter}\p{Number}\p{Punctuation}\p{Symbol} ]$/u;
/** Drawn two columns wide. Their UTF-8 has at least three bytes, so there is room. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
const CONTROL_PICTURES = 0x2400;
const DELETE_PICTURE = '\u2421';
const NO_GLYPH = '\u00b7';
const BROKEN = '\ufffd';

/** One entry a byte; joined, any run of whole characters is as many columns wide as it has bytes. */
export function cells(bytes: Uint8Array): string[] {
  const drawn: string[] = [];
  for (let i = 0; i < bytes.length; ) {
    const length = sequenceLength(bytes, i);
    const text = Buffer.from(bytes.subarray(i, i + length)).toString('utf8');
    const glyph = length === 1 ? byteGlyph(bytes[i] ?? 0) : PRINTABLE.test(text) ? text : NO_GLYPH;
    drawn.push(glyph);
    const isWide = length > 2 && WIDE.test(glyph);
    for (let filler = 1; filler < length; filler++) drawn.push(isWide && filler === 1 ? '' : ' ');
    i += length;
  }
  return drawn;
}

/** Control and format characters as escapes: in a terminal they would break the line, or command it. */
export function visible(text: string): string {
  return text.replace(/[\p{Control}\p{Format}\p{Surrogate}\u2028\u2029]/gu, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}

/** In quotes, at most `most` characters. */
export function quoted(text: string, most: number): string {
  const characters = [...text.slice(0, 2 * most)];
  const shown = characters.slice(0, most).join('');
  return `${visible(JSON.stringify(shown))}${shown.length < text.length ? '…' : ''}`;
}

/** `1,234 bytes`, the same on every machine. */
export function bytesText(count: number): string {
  return `${thousands(count)} ${count === 1 ? 'byte' : 'bytes'}`;
}

export function thousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

function byteGlyph(byte: number): string {
  if (byte < 0x20) return String.fromCharCode(CONTROL_PICTURES + byte);
  if (byte === 0x7f) return DELETE_PICTURE;
  return byte < 0x80 ? String.fromCharCode(byte) : BROKEN;
}

/** Bytes of the well-formed UTF-8 sequence at `at`; 1 where there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  if (length === 1) return 1;
  const sequence = Buffer.from(bytes.subarray(at, at + length));
  return sequence.length === length && Buffer.from(sequence.toString('utf8')).equals(sequence) ? length : 1;
}

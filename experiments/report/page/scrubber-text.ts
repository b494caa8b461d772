/** The text of a stream as glyphs, and which bytes each of them stands for. */

/** UTF-8 length in bytes of a code point. */
function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/**
 * A glyph is a character, or a single byte (as `‹E4›`) of one that a boundary divides. Index `i` of glyphs goes from 0 to
 * `count`; the last one stands behind the text.
 */
export class StreamGlyphs {
  readonly bytes: Uint8Array;
  /** All glyphs, joined. */
  readonly drawn: string;
  /** By glyph: its first byte. */
  readonly #offsets: number[] = [];
  /** By glyph: its first UTF-16 unit in `drawn`. */
  readonly #units: number[] = [];

  constructor(text: string, drawnAs: { readonly [character: string]: string }, boundaries: ReadonlySet<number>) {
    this.bytes = new TextEncoder().encode(text);
    let offset = 0;
    let drawn = '';
    const add = (glyph: string, length: number): void => {
      this.#offsets.push(offset);
      this.#units.push(drawn.length);
      drawn += glyph;
      offset += length;
    };
    for (const character of text) {
      const length = utf8Length(character.codePointAt(0) ?? 0);
      if (isDivided(boundaries, offset, length))
        for (let i = 0; i < length; i++) add(`‹${this.hex(offset, offset + 1)}›`, 1);
      else add(drawnAs[character] ?? character, length);
    }
    this.#offsets.push(offset);
    this.#units.push(drawn.length);
    this.drawn = drawn;
  }

  /** Index of the glyph that byte `offset` belongs to. */
  indexAt(offset: number): number {
    return lastAtMost(this.#offsets, offset);
  }

  offsetOf(index: number): number {
    return this.#offsets[index] ?? this.bytes.length;
  }

  /** The glyphs of the bytes `[from, to)`, both at glyph boundaries. */
  between(from: number, to: number): string {
    return this.drawn.slice(this.unitAt(from), this.unitAt(to));
  }

  /** UTF-16 unit of the glyph that byte `offset` belongs to. */
  unitAt(offset: number): number {
    return this.#units[this.indexAt(offset)] ?? this.drawn.length;
  }

  /** First byte of the glyph that holds UTF-16 unit `unit`. */
  offsetAtUnit(unit: number): number {
    return this.offsetOf(lastAtMost(this.#units, unit));
  }

  /** The bytes `[from, to)` in hexadecimal: `E4 BD`. */
  hex(from: number, to: number): string {
    return [...this.bytes.subarray(from, to)].map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');
  }
}

function isDivided(boundaries: ReadonlySet<number>, offset: number, length: number): boolean {
  for (let i = 1; i < length; i++) if (boundaries.has(offset + i)) return true;
  return false;
}

/** Index of the last entry of an ascending list that is at most `value`. */
function lastAtMost(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/**
 * The sub-grammar that the JSON protocols share: where does one JSON object end?
 *
 * O(1) a byte: the scanner knows strings, escapes and brackets, and counts the keys; whether what it delimits is JSON is
 * decided once, at the closing brace, by `JSON.parse`.
 */
import { indexOfByte, isBlank } from './bytes.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Bytes of a string that are looked at one by one before a native search takes over. */
const SEARCH_FROM = 48;

export type ScanState =
  /** Only blanks so far. */
  | 'before'
  | 'inside'
  /** The object is closed; only blanks so far after it. */
  | 'after'
  /** What has come cannot be one JSON object, whatever follows. */
  | 'not-object';

export class ObjectScanner {
  state: ScanState = 'before';
  /** Number of colons outside strings: of keys, if the object is JSON. */
  keys = 0;
  #inString = false;
  #escaped = false;
  #depth = 0;
  /** One entry an open bracket: 1 for `{`, 0 for `[`. */
  #braces = new Uint8Array(32);

  /**
   * Reads `bytes[from, to)`. Stops behind the byte that closes the object, or behind the one that makes it `not-object`;
   * else returns `to`. After the object it reads blanks.
   */
  scan(bytes: Uint8Array, from: number, to: number): number {
    let i = from;
    while (i < to && this.state !== 'inside') {
      const byte = bytes[i++]!;
      if (isBlank(byte)) continue;
      if (this.state !== 'before' || byte !== OPEN_BRACE) {
        this.state = 'not-object';
        return i;
      }
      this.state = 'inside';
      this.#open(1);
    }
    while (i < to) {
      if (this.#inString) {
        i = this.#string(bytes, i, to);
        continue;
      }
      const byte = bytes[i++]!;
      if (byte === QUOTE) this.#inString = true;
      else if (byte === COLON) this.keys++;
      else if (byte === OPEN_BRACE) this.#open(1);
      else if (byte === OPEN_BRACKET) this.#open(0);
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (this.#braces[--this.#depth] !== (byte === CLOSE_BRACE ? 1 : 0)) this.state = 'not-object';
        else if (this.#depth === 0) this.state = 'after';
        else continue;
        return i;
      }
    }
    return i;
  }

  get insideString(): boolean {
    return this.#inString && !this.#escaped;
  }

  /** The string has grown by a backslash that was not given to `scan`. */
  escapeNext(): void {
    this.#escaped = true;
  }

  /** Takes the next byte if a string goes on with it: in a string, all but the quote that closes it. */
  takeInString(byte: number): boolean {
    if (!this.#inString) return false;
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) return false;
    return true;
  }

  //   "a}{b\" }"
  //          ^
  #string(bytes: Uint8Array, from: number, to: number): number {
    let i = from;
    if (this.#escaped) {
      this.#escaped = false;
      i++;
    }
    const near = Math.min(to, i + SEARCH_FROM);
    for (; i < near; i++) {
      const byte = bytes[i];
      if (byte === BACKSLASH) {
        if (i + 1 >= to) {
          this.#escaped = true;
          return to;
        }
        i++;
      } else if (byte === QUOTE) {
        this.#inString = false;
        return i + 1;
      }
    }
    return i < to ? this.#longString(bytes, i, to) : Math.min(i, to);
  }

  /** `from` is not escaped. Quotes are searched natively; one is escaped if an odd run of backslashes stands before it. */
  #longString(bytes: Uint8Array, from: number, to: number): number {
    let i = from;
    while (i < to) {
      const quote = indexOfByte(bytes, QUOTE, i, to);
      const stop = quote === -1 ? to : quote;
      let run = 0;
      while (stop - run > i && bytes[stop - run - 1] === BACKSLASH) run++;
      const escaped = run % 2 === 1;
      if (quote === -1) {
        this.#escaped = escaped;
        return to;
      }
      if (!escaped) {
        this.#inString = false;
        return quote + 1;
      }
      i = quote + 1;
    }
    return to;
  }

  #open(brace: 0 | 1): void {
    if (this.#depth === this.#braces.length) {
      const deeper = new Uint8Array(this.#depth * 2);
      deeper.set(this.#braces);
      this.#braces = deeper;
    }
    this.#braces[this.#depth++] = brace;
  }
}

/** Number of keys in a parsed JSON value, at any depth. Fewer than the source has colons: a key stood twice. */
export function countKeys(value: unknown): number {
  let count = 0;
  const stack: unknown[] = [value];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (typeof top !== 'object' || top === null) continue;
    const members: readonly unknown[] = Array.isArray(top) ? top : Object.values(top);
    if (!Array.isArray(top)) count += members.length;
    for (const member of members) if (typeof member === 'object' && member !== null) stack.push(member);
  }
  return count;
}

/** The first key that stands twice in one object of the JSON text, or null. Only asked when it is known that one does. */
export function findRepeatedKey(json: string): string | null {
  const seen: (Set<string> | null)[] = [];
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/gs;
  for (let match = token.exec(json); match !== null; match = token.exec(json)) {
    const text = match[0];
    if (text === '{') seen.push(new Set());
    else if (text === '[') seen.push(null);
    else if (text === '}' || text === ']') seen.pop();
    else if (match[1] !== undefined) {
      const key = String(JSON.parse(text.slice(0, text.lastIndexOf('"') + 1)));
      const keys = seen.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return null;
}

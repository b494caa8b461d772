/**
 * Where things stand in a JSON source text, found by jumping from one string or bracket to the next. Positions are
 * indices into a text that holds one character a byte; `JSON.parse` of the UTF-8 is the judge of everything else.
 */
import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../parsers/parser.ts';
import { skipBlanks } from './readable.ts';

/** What becomes of the bracket that opens at some place. */
type Closing =
  | { readonly how: 'closed'; readonly at: number }
  /** The bracket at `at` does not match the innermost open one. */
  | { readonly how: 'mismatched'; readonly at: number }
  | { readonly how: 'open' };

const STRING_OR_BRACKET = /["{}[\]]/g;

/** The bracket that closes the one at `open`; brackets in strings do not count. */
export function closingOf(source: string, open: number): Closing {
  const expected: string[] = [];
  for (let at = open; ; at++) {
    STRING_OR_BRACKET.lastIndex = at;
    const found = STRING_OR_BRACKET.exec(source);
    if (found === null) return { how: 'open' };
    at = found.index;
    const char = found[0];
    if (char === '"') {
      const close = stringEnd(source, at);
      if (close === null) return { how: 'open' };
      at = close;
    } else if (char === '{' || char === '[') {
      expected.push(char === '{' ? '}' : ']');
    } else if (expected.pop() !== char) {
      return { how: 'mismatched', at };
    } else if (expected.length === 0) {
      return { how: 'closed', at };
    }
  }
}

/** The quote that ends the string whose first quote is at `open`, or null. */
function stringEnd(source: string, open: number): number | null {
  for (let quote = source.indexOf('"', open + 1); quote >= 0; quote = source.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (source[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
  return null;
}

/** The object that `source` (one character a byte) is, or null. */
export function parseObject(source: string): JsonObject | null {
  let value: unknown;
  try {
    const bytes = Buffer.from(source, 'latin1');
    if (!isUtf8(bytes)) return null;
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
  return isObject(value) ? value : null;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an object anywhere in `source`, which must be valid JSON, has a key twice (compared without escapes). */
export function hasRepeatedKey(source: string): boolean {
  const open: Set<string>[] = [];
  for (let at = 0; ; at++) {
    STRING_OR_BRACKET.lastIndex = at;
    const found = STRING_OR_BRACKET.exec(source);
    if (found === null) return false;
    at = found.index;
    if (found[0] === '{' || found[0] === '[') open.push(new Set());
    else if (found[0] !== '"') open.pop();
    else {
      const close = stringEnd(source, at)!;
      const key = source[skipBlanks(source, close + 1)] === ':' ? stringValue(source.slice(at, close + 1)) : null;
      const keys = open.at(-1)!;
      if (key !== null && keys.has(key)) return true;
      if (key !== null) keys.add(key);
      at = close;
    }
  }
}

/** The source text of a member's value in an object of valid JSON; for a value that is a string or in brackets. */
export function memberSource(source: string, key: string): string | null {
  let at = skipBlanks(source, 1);
  while (source[at] === '"') {
    const keyEnd = stringEnd(source, at)!;
    const start = skipBlanks(source, skipBlanks(source, keyEnd + 1) + 1);
    const end = valueEnd(source, start);
    if (stringValue(source.slice(at, keyEnd + 1)) === key) return source.slice(start, end + 1);
    // The comma, or the closing brace.
    at = skipBlanks(source, skipBlanks(source, end + 1) + 1);
  }
  return null;
}

/** The last byte of a value that is a string or in brackets. */
function valueEnd(source: string, start: number): number {
  if (source[start] === '"') return stringEnd(source, start)!;
  const closing = closingOf(source, start);
  return closing.how === 'open' ? source.length - 1 : closing.at;
}

function stringValue(literal: string): string {
  return JSON.parse(literal);
}

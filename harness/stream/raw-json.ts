/**
 * The source text of one value inside a JSON text: `JSON.parse` rounds numbers and reorders keys, and arguments are
 * bytes (streams.md "numbers beyond doubles are not rounded"). Only for the rare case; it scans from the start.
 */

/** Steps from the outermost value: a key of an object, an index of an array. */
export type JsonPath = readonly (string | number)[];

/**
 * The source text of the value at `path`, without blanks around it, or null if there is none.
 * @param text valid JSON (`JSON.parse` has taken it). Of a repeated key the last counts, as in `JSON.parse`.
 */
export function rawValue(text: string, path: JsonPath): string | null {
  let start = skipBlanks(text, 0);
  for (const step of path) {
    const found = typeof step === 'number' ? elementStart(text, start, step) : memberStart(text, start, step);
    if (found === null) return null;
    start = found;
  }
  return text.slice(start, skipValue(text, start));
}

/** Keys and source texts of the members of the object that `text` is, in their order; blanks between tokens stay. */
export function rawMembers(text: string): readonly (readonly [key: string, source: string])[] {
  const members: [string, string][] = [];
  const object = skipBlanks(text, 0);
  if (text[object] !== '{') return members;
  let i = skipBlanks(text, object + 1);
  while (text[i] === '"') {
    const keyEnd = skipString(text, i);
    const value = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    const end = skipValue(text, value);
    members.push([String(JSON.parse(text.slice(i, keyEnd))), text.slice(value, end)]);
    i = skipSeparator(text, skipBlanks(text, end));
  }
  return members;
}

const NUMBER_OR_BLANKS = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[ \t\r\n]+|[^"\d\s-]+/y;

/**
 * The text with each token (a string with its quotes, a number, blanks between tokens, what else stands there) replaced.
 * By hand, since a pattern for strings runs out of stack on one of many megabytes.
 * @param text valid JSON
 */
export function mapTokens(text: string, map: (token: string) => string): string {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    NUMBER_OR_BLANKS.lastIndex = at;
    const token =
      text[at] === '"' ? text.slice(at, skipString(text, at)) : (NUMBER_OR_BLANKS.exec(text)?.[0] ?? text[at]!);
    pieces.push(map(token));
    at += token.length;
  }
  return pieces.join('');
}

function memberStart(text: string, object: number, key: string): number | null {
  if (text[object] !== '{') return null;
  let found: number | null = null;
  let i = skipBlanks(text, object + 1);
  while (text[i] === '"') {
    const keyEnd = skipString(text, i);
    const value = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    if (JSON.parse(text.slice(i, keyEnd)) === key) found = value;
    i = skipSeparator(text, skipValue(text, value));
  }
  return found;
}

function elementStart(text: string, array: number, index: number): number | null {
  if (text[array] !== '[') return null;
  let i = skipBlanks(text, array + 1);
  for (let left = index; text[i] !== ']' && i < text.length; left--) {
    if (left === 0) return i;
    i = skipSeparator(text, skipValue(text, i));
  }
  return null;
}

/** Past a comma and the blanks around it; stays before a closing bracket. */
function skipSeparator(text: string, from: number): number {
  const i = skipBlanks(text, from);
  return text[i] === ',' ? skipBlanks(text, i + 1) : i;
}

function skipValue(text: string, from: number): number {
  if (text[from] === '"') return skipString(text, from);
  let depth = 0;
  let i = from;
  while (i < text.length) {
    const char = text[i]!;
    if (char === '"') {
      i = skipString(text, i);
      continue;
    }
    if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth < 0 || (depth === 0 && (char === ',' || isBlank(char)))) return i;
    i++;
    if (depth === 0 && (char === '}' || char === ']')) return i;
  }
  return i;
}

function skipString(text: string, from: number): number {
  let i = from + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i + 1;
}

function skipBlanks(text: string, from: number): number {
  let i = from;
  while (i < text.length && isBlank(text[i]!)) i++;
  return i;
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}

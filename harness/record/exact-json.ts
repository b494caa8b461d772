/**
 * JSON whose numbers are sent as they were written: `JSON.parse` rounds 12345678901234567890, and makes 1 of 1.0, which is
 * another type for many servers. (`JSON.rawJSON` would do, and is not in Node 20.)
 */
import type { JsonObject } from '../parsers/parser.ts';
import { mapTokens } from '../stream/raw-json.ts';

const NUMBER = /^-?\d/;
/** No text of JSON holds it unescaped, and nobody writes it. */
const MARK = '\u0000exact number ';

/** A number whose text is no double's. `JSON.stringify` makes the nearest double of it, or its digits as a string if that is another number. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): number | string {
    const double = Number(this.text);
    return isSame(this.text, double) ? double : this.text;
  }
}

/** As `JSON.parse`, with an {@link ExactNumber} where a number would be written otherwise. @throws SyntaxError */
export function parseExact(text: string): unknown {
  // Errors are those of the text itself.
  const plain: unknown = JSON.parse(text);
  let found = false;
  const marked = mapTokens(text, (token) => {
    if (!NUMBER.test(token) || String(Number(token)) === token) return token;
    found = true;
    return JSON.stringify(`${MARK}${token}`);
  });
  return found ? JSON.parse(marked, revive) : plain;
}

/** As `JSON.stringify`, with exact numbers as they were written. */
export function stringifyExact(body: JsonObject): string {
  const marked = JSON.stringify(body, function (this: { [key: string]: unknown }, key: string, value: unknown) {
    const given = this[key];
    return given instanceof ExactNumber ? `${MARK}${given.text}` : value;
  });
  const before = JSON.stringify(MARK).slice(0, -1);
  return marked.replaceAll(new RegExp(`${before.replaceAll('\\', '\\\\')}([-+.0-9eE]+)"`, 'g'), '$1');
}

function revive(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value;
}

/** Whether the double is the number that the text writes, in whatever form (1.0, 1e3). */
function isSame(text: string, double: number): boolean {
  return Number.isFinite(double) && canonical(text) === canonical(String(double));
}

/** Sign, digits without zeros around them, and the power of ten behind the last one. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

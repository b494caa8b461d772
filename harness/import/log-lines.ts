/** The lines of a JSON Lines file, and the values in them with the text they were written as. */
import { type Fields, isFields } from '../stream/json-fields.ts';
import { rawValue } from '../stream/raw-json.ts';

export interface LogLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** The lines of a text that are not blank, without their ends. */
export function logLines(text: string): readonly LogLine[] {
  return text
    .split('\n')
    .map((line, at) => ({ number: at + 1, text: line.endsWith('\r') ? line.slice(0, -1) : line }))
    .filter((line) => line.text.trim() !== '');
}

/** A value within a line, and its source text: numbers, key order and blanks as they were logged. */
export interface Sourced {
  readonly value: unknown;
  readonly source: string;
}

/** JSON text with its value, or null. */
export function sourced(text: string): Sourced | null {
  try {
    return { value: JSON.parse(text), source: text.trim() };
  } catch {
    return null;
  }
}

export function member({ value, source }: Sourced, key: string): Sourced | null {
  if (!isFields(value) || !Object.hasOwn(value, key)) return null;
  const text = rawValue(source, [key]);
  return text === null ? null : { value: value[key], source: text };
}

/** The elements of an array; each is looked for from the end of the one before, so that all cost one walk. */
export function elements({ value, source }: Sourced): readonly Sourced[] {
  if (!Array.isArray(value)) return [];
  const found: Sourced[] = [];
  let at = source.indexOf('[') + 1;
  for (const element of value as readonly unknown[]) {
    const rest = source.slice(at);
    const text = rawValue(rest, []) ?? '';
    found.push({ value: element, source: text });
    at += rest.indexOf(text) + text.length;
    at = skipSeparator(source, at);
  }
  return found;
}

/** Past blanks, however many, and the comma behind them. */
function skipSeparator(source: string, from: number): number {
  let at = from;
  while (at < source.length && BLANK.includes(source.charAt(at))) at++;
  return source[at] === ',' ? at + 1 : at;
}

const BLANK = ' \n\r\t';

export function fieldsOf({ value }: Sourced): Fields | null {
  return isFields(value) ? value : null;
}

/** Comparing calls: what S2 compares is bytes (properties.md; streams.md "Arguments are bytes"). */
import { createHash } from 'node:crypto';
import { rawMembers, rawValue } from '../stream/raw-json.ts';
import { isBlank } from './bytes.ts';
import type { ArgumentValue, CallArguments, ToolCall } from './parser.ts';

type Comparable = Pick<ToolCall, 'id' | 'name' | 'args'>;

/** How two calls differ in id, name, key order or any byte of a value; null if they do not. */
export function callDifference(a: Comparable, b: Comparable): string | null {
  if (a.id !== b.id) return `id ${JSON.stringify(a.id)} against ${JSON.stringify(b.id)}`;
  if (a.name !== b.name) return `name ${JSON.stringify(a.name)} against ${JSON.stringify(b.name)}`;
  if (a.args.form === 'json' && b.args.form === 'json') return textDifference(a.args.text, b.args.text);
  if (a.args.form === 'values' && b.args.form === 'values') return valuesDifference(a.args.values, b.args.values);
  return 'arguments of another form';
}

/** A digest of id, name and arguments: equal exactly if `callDifference` is null. */
export function callFingerprint(call: Comparable): string {
  const hash = createHash('sha1');
  const field = (bytes: Uint8Array | string): void => {
    const data = typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes;
    hash.update(`${data.length}:`).update(data);
  };
  field(call.id);
  field(call.name);
  if (call.args.form === 'json') field(trimBlanks(call.args.text));
  else for (const { key, bytes } of call.args.values) [key, bytes].forEach(field);
  return hash.digest('hex');
}

/**
 * The arguments as JSON: raw values as text, or `{"base64": …}` where they are no UTF-8. A JSON protocol's are the parsed
 * object (numbers beyond doubles are rounded there: `args.text` is what arrived).
 */
export function argumentsAsJson(args: CallArguments): { readonly [key: string]: unknown } {
  if (args.form === 'json') return args.object;
  return Object.fromEntries(args.values.map(({ key, bytes }) => [key, textOrBase64(bytes)]));
}

/**
 * The arguments as members of a JSON object, in their order: key and JSON source on one line. A JSON protocol's are the
 * source itself: no number is rounded, no depth is too much. Keys that look like numbers keep their place.
 */
export function argumentMembers(args: CallArguments): readonly (readonly [key: string, json: string])[] {
  if (args.form === 'values') {
    return args.values.map(({ key, bytes }) => [key, JSON.stringify(textOrBase64(bytes))] as const);
  }
  // A line break can only be a blank between tokens: inside of a string it would be no JSON.
  return rawMembers(args.text).map(([key, source]) => [key, source.replaceAll(/[\r\n]/g, ' ')] as const);
}

/** The JSON object with these members. */
export function membersAsJson(members: readonly (readonly [key: string, json: string])[]): string {
  return `{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}

/** Bytes of the longest argument: of a raw value, or of a member of the JSON object (a string without its quotes, else its JSON). */
export function longestArgument(args: CallArguments): number {
  const sizes =
    args.form === 'values'
      ? args.values.map(({ bytes }) => bytes.length)
      : Object.entries(args.object).map(([key, value]) =>
          Buffer.byteLength(typeof value === 'string' ? value : (rawValue(args.text, [key]) ?? '')),
        );
  return Math.max(0, ...sizes);
}

export function textOrBase64(bytes: Uint8Array): string | { readonly base64: string } {
  try {
    return UTF8.decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Blanks around the object may still come after a call has run: they are no byte of a value. */
function trimBlanks(json: string): string {
  let from = 0;
  let to = json.length;
  while (from < to && isBlank(json.charCodeAt(from))) from++;
  while (to > from && isBlank(json.charCodeAt(to - 1))) to--;
  return json.slice(from, to);
}

function textDifference(a: string, b: string): string | null {
  const left = trimBlanks(a);
  const right = trimBlanks(b);
  if (left === right) return null;
  return `arguments ${quote(left)} against ${quote(right)}`;
}

function valuesDifference(a: readonly ArgumentValue[], b: readonly ArgumentValue[]): string | null {
  const keys = (values: readonly ArgumentValue[]) => values.map((value) => value.key).join(', ');
  if (keys(a) !== keys(b)) return `keys ${keys(a)} against ${keys(b)}`;
  for (const [i, value] of a.entries()) {
    const other = b[i]!.bytes;
    if (Buffer.compare(value.bytes, other) === 0) continue;
    return `value of ${value.key}: ${quote(value.bytes)} against ${quote(other)}`;
  }
  return null;
}

function quote(value: string | Uint8Array): string {
  const text = typeof value === 'string' ? value : Buffer.from(value).toString('utf8');
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}… (${value.length})` : text);
}

const MAX_QUOTED = 60;

/**
 * The sub-grammar of dialects whose call is, or holds, one JSON object between markers: judged once, when its bytes are
 * all there. Nothing is repaired.
 */
import { isUtf8 } from 'node:buffer';
import { rawValue } from '../stream/raw-json.ts';
import { LONE_SURROGATE } from '../stream/surrogates.ts';
import { isBlank } from './bytes.ts';
import type { Evidence } from './contract-error.ts';
import { countKeys, findRepeatedKey, ObjectScanner } from './json-scan.ts';
import type { JsonObject } from './parser.ts';

/** An object with its source text (without the blanks around it), or why it is none. */
export type JsonBody =
  | { readonly problem: null; readonly text: string; readonly object: JsonObject }
  | { readonly problem: Evidence; readonly key?: string };

/** A call that is written as one object with the members `name` and `arguments`. */
export type JsonCall =
  | { readonly problem: null; readonly name: string; readonly text: string; readonly object: JsonObject }
  | { readonly problem: Evidence; readonly key?: string };

/** `bytes` must be blanks, one JSON object (RFC 8259) without a repeated key at any depth, blanks. */
export function readJsonBody(bytes: Uint8Array): JsonBody {
  const scanner = new ObjectScanner();
  const end = scanner.scan(bytes, 0, bytes.length);
  if (scanner.state === 'after') scanner.scan(bytes, end, bytes.length);
  if (scanner.state !== 'after') return notObject('it is not exactly one object');
  if (!isUtf8(bytes)) return notObject('the bytes are not UTF-8');
  const text = withoutBlanks(bytes);
  let object: JsonObject;
  try {
    object = JSON.parse(text) as JsonObject;
  } catch {
    return notObject('it is not JSON');
  }
  if (countKeys(object) === scanner.keys) return { problem: null, text, object };
  const key = findRepeatedKey(text);
  return { problem: { kind: 'duplicate_key' }, ...(key === null ? {} : { key }) };
}

/** The body must hold a `name`, a string, and `arguments`, an object; what else it holds is passed over. */
export function readJsonCall(bytes: Uint8Array): JsonCall {
  const body = readJsonBody(bytes);
  if (body.problem !== null) return body;
  const { name, arguments: object } = body.object as { name?: unknown; arguments?: unknown };
  if (typeof name !== 'string' || name === '' || LONE_SURROGATE.test(name)) return notObject('there is no name');
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    return notObject('the member "arguments" is no object');
  }
  return { problem: null, name, text: rawValue(body.text, ['arguments']) ?? '', object: object as JsonObject };
}

function notObject(detail: string): { readonly problem: Evidence } {
  return { problem: { kind: 'args_not_object', detail } };
}

function withoutBlanks(bytes: Uint8Array): string {
  let from = 0;
  let to = bytes.length;
  while (from < to && isBlank(bytes[from]!)) from++;
  while (to > from && isBlank(bytes[to - 1]!)) to--;
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
}

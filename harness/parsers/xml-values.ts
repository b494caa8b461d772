/**
 * What a tool makes of the raw values of an `xml` call (xml.md): with a schema a value is typed by it alone, without one it
 * is a string. S2 compares the raw bytes; this is done after a call has become executable, and only where it is asked for.
 */
import { textOrBase64 } from './call.ts';
import { findRepeatedKey } from './json-scan.ts';
import type { ArgumentValue, JsonObject } from './parser.ts';

/**
 * `raw`: the bytes, and a typed value must parse. `minimax-guide`: as the published guide does it: blanks around a value
 * are stripped, `null` is null in any type, and what does not parse stays text.
 */
export const XML_VALUE_MODES = ['raw', 'minimax-guide'] as const;
export type XmlValueMode = (typeof XML_VALUE_MODES)[number];

export interface ToolSchema {
  readonly name: string;
  /** JSON Schema of the arguments object. */
  readonly parameters: JsonObject;
}

/** Bytes of a refused value that are kept as evidence. */
const MOST_EVIDENCE = 200;

export type TypedArguments =
  | { readonly refused: null; readonly args: JsonObject }
  /** The first value that has not the type that the tool declares; `text` is how it begins. */
  | { readonly refused: { readonly key: string; readonly text: string } };

/** The arguments of a call as JSON. A value that is not UTF-8 is `{"base64": …}`. */
export function typedArguments(
  values: readonly ArgumentValue[],
  tool: ToolSchema | undefined,
  mode: XmlValueMode,
): TypedArguments {
  const typed: [string, unknown][] = [];
  for (const { key, bytes } of values) {
    const text = textOrBase64(bytes);
    const schema = schemaOf(tool, key);
    if (mode === 'minimax-guide') typed.push([key, typeof text === 'string' ? guideValue(text, schema) : text]);
    else {
      const types = declaredTypes(schema);
      const value = types === null ? { is: text } : parseAs(text, types);
      if (value === null)
        return { refused: { key, text: Buffer.from(bytes.subarray(0, MOST_EVIDENCE)).toString('utf8') } };
      typed.push([key, value.is]);
    }
  }
  return { refused: null, args: Object.fromEntries(typed) };
}

function schemaOf(tool: ToolSchema | undefined, key: string): JsonObject {
  const properties = tool?.parameters['properties'];
  if (!isObject(properties) || !Object.hasOwn(properties, key)) return {};
  const schema = properties[key];
  return isObject(schema) ? schema : {};
}

/** The JSON types that a value must have one of; null where a string will do, or nothing is said. */
function declaredTypes(schema: JsonObject): readonly string[] | null {
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  const types =
    schema['type'] === undefined && Array.isArray(alternatives)
      ? alternatives.flatMap((part: unknown) => (isObject(part) ? (declaredTypes(part) ?? ['string']) : ['string']))
      : [schema['type']].flat();
  const known = types.every((type) => typeof type === 'string' && type in HAS_TYPE);
  return known && types.length > 0 ? (types as string[]) : null;
}

const HAS_TYPE: { readonly [type: string]: (value: unknown) => boolean } = {
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
};

/** The value, or null if it is not JSON of one of the types. A repeated key is refused: its two readers may differ. */
function parseAs(text: string | object, types: readonly string[]): { readonly is: unknown } | null {
  if (typeof text !== 'string') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!types.some((type) => HAS_TYPE[type]?.(value))) return null;
  return typeof value === 'object' && value !== null && findRepeatedKey(text) !== null ? null : { is: value };
}

/** The guide's `convert_param_value`, after its `strip`. A number that is not finite, which fails there, stays text. */
function guideValue(raw: string, schema: JsonObject): unknown {
  const text = raw.trim();
  if (text.toLowerCase() === 'null') return null;
  const type = schema['type'] ?? 'string';
  switch (typeof type === 'string' ? type.toLowerCase() : '') {
    case 'string':
    case 'str':
    case 'text':
      return text;
    case 'integer':
    case 'int':
      return /^[+-]?\d+(_\d+)*$/.test(text) ? Number(text.replaceAll('_', '')) : text;
    case 'number':
    case 'float':
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
    case 'bool':
      return text.toLowerCase() === 'true' || text === '1';
    default:
      return parsedOrText(text);
  }
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

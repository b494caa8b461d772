/** Fields of a parsed chunk, checked by hand: a schema library per chunk would cost more than `JSON.parse` itself. */
export type Fields = { readonly [key: string]: unknown };

/** A JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `null` and a missing field are the same: nothing. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

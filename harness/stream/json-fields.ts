/** Fields of a parsed chunk, checked by hand: a schema library per chunk would cost more than `JSON.parse` itself. */
export type Fields = { readonly [key: string]: unknown };

/** A JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A word that a provider sends, as a type is; empty for what is none. (`String` would call methods of its value.) */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Whether the choices (candidates) of a chunk cannot be told apart: several would be the first, and not all of them say
 * so. Servers leave out an index of 0, but not those of the others.
 */
export function hasNamelessChoices(choices: readonly unknown[]): boolean {
  const first = choices.filter(isFields).filter(({ index }) => (index ?? 0) === 0);
  return first.length > 1 && first.some(({ index }) => isAbsent(index));
}

export const NAMELESS_CHOICES = 'several choices of one chunk have no index';

/** `null` and a missing field are the same: nothing. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

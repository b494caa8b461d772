/**
 * The paths at which Gemini puts pieces of arguments: the part of RFC 9535 that names one place, from `$` on
 * (`$.a.b[0]`, `$['a b']`).
 */

// A member without quotes is a word (hyphens are not in RFC 9535, but in keys): `*`, `?` and `,` choose several places.
const STEP = /\.([\w\u0080-\uffff-]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\[("(?:[^"\\]|\\.)*")\]/y;

/** Keys and indices from the outermost value, at least one; or null if the text is no such path. */
export function stepsOf(path: string): readonly (string | number)[] | null {
  if (!path.startsWith('$')) return null;
  const steps: (string | number)[] = [];
  for (STEP.lastIndex = 1; STEP.lastIndex < path.length; ) {
    const found = STEP.exec(path);
    if (found === null) return null;
    const [, member, index, single, double] = found;
    const step = member ?? (index === undefined ? quoted(single, double) : Number(index));
    if (step === null || (typeof step === 'number' && !Number.isSafeInteger(step))) return null;
    steps.push(step);
  }
  return steps.length === 0 ? null : steps;
}

/** The key in quotes; JSON's escapes, and `\'` in single ones. */
function quoted(single: string | undefined, double: string | undefined): string | null {
  const literal = double ?? `"${(single ?? '').replaceAll("\\'", "'").replaceAll(/\\.|"/g, escapedQuote)}"`;
  try {
    return JSON.parse(literal) as string;
  } catch {
    return null;
  }
}

function escapedQuote(found: string): string {
  return found === '"' ? '\\"' : found;
}

/** A verdict is a value: what was asked, whether it holds, and the first counterexample if it does not. */
import type { Level } from '../replay/replay.ts';

/**
 * S1, S2, S3, K: properties.md "The four questions". `agreement`: calls and error are the oracle's. `expectation`: they are
 * the ones that the recording's manifest states. `split`: chunking does not matter. `continuation`: no continuation in the
 * order of the protocol takes back what ran. `reopening`: nor does one that comes back to a call taken as closed. `answers`:
 * the parser has a frontier at every prefix (asked of foreign parsers, by `../judge`).
 */
export const PROPERTIES = [
  'S1',
  'S2',
  'S3',
  'K',
  'agreement',
  'expectation',
  'split',
  'continuation',
  'reopening',
  'answers',
] as const;
export type Property = (typeof PROPERTIES)[number];

export type Verdict = { readonly property: Property } & (
  | { readonly status: 'holds' /** Prefixes, splits or continuations tried. */; readonly tried: number }
  | { readonly status: 'violated'; readonly count: number; readonly first: Counterexample }
  | { readonly status: 'not-applicable'; readonly why: string }
);

export interface Counterexample {
  readonly level: Level;
  /** Length in bytes (of the level) of the smallest prefix at which the property fails. */
  readonly prefix: number;
  readonly what: string;
}

export function holds(property: Property, tried: number): Verdict {
  return { property, status: 'holds', tried };
}

export function violated(property: Property, count: number, first: Counterexample): Verdict {
  return { property, status: 'violated', count, first };
}

export function notApplicable(property: Property, why: string): Verdict {
  return { property, status: 'not-applicable', why };
}

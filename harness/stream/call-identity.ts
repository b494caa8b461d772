/**
 * Which call a tool delta belongs to (streams.md, the table; docs/decisions/0002 "Which call does a delta belong to").
 * Bytes are never given to a call by guess: where the table gives them to nobody, the delta is refused.
 */

/** What a delta says of itself. Absent, `null` and empty ids and names are null. */
export interface DeltaIdentity {
  readonly index: number | null;
  readonly id: string | null;
  readonly name: string | null;
}

/** What is known of a call; ids and names are set once. */
export interface CallIdentity {
  /** Position in order of opening, from 0. */
  readonly ordinal: number;
  readonly id: string | null;
  readonly name: string | null;
}

/** The calls that a delta could mean. */
export interface Candidates<Call extends CallIdentity> {
  /** The call opened last at the index of the delta. */
  readonly atIndex: Call | undefined;
  /** The call opened last among those with the id of the delta. */
  readonly withId: Call | undefined;
  /** The call opened last of all. */
  readonly last: Call | undefined;
}

export type Owner<Call extends CallIdentity> =
  | { readonly kind: 'new' }
  | { readonly kind: 'known'; readonly call: Call }
  /** The delta gives the call another name: refused, and the call is bad. */
  | { readonly kind: 'renamed'; readonly call: Call }
  | { readonly kind: 'nobody' };

const NEW = { kind: 'new' } as const;
const NOBODY = { kind: 'nobody' } as const;

export function ownerOf<Call extends CallIdentity>(delta: DeltaIdentity, candidates: Candidates<Call>): Owner<Call> {
  if (delta.index !== null) {
    const place = candidates.atIndex;
    return place === undefined || opensAgain(delta, place) ? NEW : sameCall(delta, place);
  }
  if (delta.id !== null && candidates.withId === undefined) return NEW;
  if (delta.name !== null) return candidates.withId === undefined ? NEW : sameCall(delta, candidates.withId);
  return candidates.last === undefined ? NOBODY : { kind: 'known', call: candidates.last };
}

/**
 * A used index, a different id and a name: providers that send 0 for all. A call without an id gets the first that comes
 * with its own name, or without one; with another name, the delta opens a call.
 */
function opensAgain(delta: DeltaIdentity, place: CallIdentity): boolean {
  if (delta.id === null || delta.name === null) return false;
  if (place.id !== null) return delta.id !== place.id;
  return place.name !== null && delta.name !== place.name;
}

function sameCall<Call extends CallIdentity>(delta: DeltaIdentity, call: Call): Owner<Call> {
  const renamed = delta.name !== null && call.name !== null && delta.name !== call.name;
  return { kind: renamed ? 'renamed' : 'known', call };
}

/** Do two parsers end in the same state? (properties.md "Chunking must not matter": calls, error and final state.) */
import { isDeepStrictEqual } from 'node:util';
import { callDifference } from '../parsers/call.ts';
import type { Frontier } from '../parsers/parser.ts';

/** How the final frontier `actual` differs from `expected`; null if it does not. */
export function stateDifference(expected: Frontier, actual: Frontier): string | null {
  if (actual.calls.length !== expected.calls.length) {
    return `${actual.calls.length} calls against ${expected.calls.length}`;
  }
  for (const [i, call] of actual.calls.entries()) {
    const other = expected.calls[i]!;
    if (call.ordinal !== other.ordinal) return `call ${i} has ordinal ${call.ordinal} against ${other.ordinal}`;
    if (call.end !== other.end) return `call ${call.id} ran at ${call.end} against ${other.end}`;
    const difference = callDifference(call, other);
    if (difference !== null) return `call ${call.id}: ${difference}`;
  }
  if (actual.pending !== expected.pending) return `${actual.pending} bytes pending against ${expected.pending}`;
  return (
    valueDifference('error', expected.error, actual.error) ??
    valueDifference('unfinished call', expected.unfinished, actual.unfinished)
  );
}

function valueDifference(what: string, expected: unknown, actual: unknown): string | null {
  if (expected === actual || isDeepStrictEqual(expected, actual)) return null;
  return `${what} ${JSON.stringify(actual)} against ${JSON.stringify(expected)}`;
}

/** What is left of a parser when its stream is over, as one comparable value. */
import { callFingerprint } from '../parsers/call.ts';
import type { Frontier } from '../parsers/parser.ts';

export function finalState(frontier: Frontier): string {
  const calls = frontier.calls.map((call) => [call.ordinal, call.id, call.name, call.end, callFingerprint(call)]);
  const { error, pending, unfinished } = frontier;
  return JSON.stringify({ calls, error, pending, unfinished });
}

/** Where two final states part, for a person. */
export function stateDifference(expected: string, actual: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at++;
  const from = Math.max(0, at - CONTEXT);
  const to = at + CONTEXT;
  return `…${expected.slice(from, to)}… against …${actual.slice(from, to)}…`;
}

const CONTEXT = 60;

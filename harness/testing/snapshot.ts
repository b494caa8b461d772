/** A frontier at one moment as a string, so that it can be compared with what it is later. */
import { callFingerprint } from '../parsers/call.ts';
import type { Frontier } from '../parsers/parser.ts';

export function snapshot({ calls, error, pending, unfinished }: Frontier): string {
  const seen = calls.map((call) => [call.ordinal, call.id, call.name, call.end, callFingerprint(call)]);
  return JSON.stringify({ calls: seen, error, pending, unfinished });
}

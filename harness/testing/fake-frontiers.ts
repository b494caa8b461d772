/** Frontiers and steps made by hand: properties take these, never parsers. */
import type { Frontier, ToolCall } from '../parsers/parser.ts';
import type { ReplayStep } from '../replay/replay.ts';

export function fakeCall(ordinal: number, value: string, end: number): ToolCall {
  const values = [{ key: 'k', bytes: Buffer.from(value) }];
  return { ordinal, id: `c${ordinal}`, name: 't', args: { form: 'values', values }, end };
}

export function fakeFrontier(what: Partial<Frontier>): Frontier {
  return { calls: [], pending: 0, error: null, unfinished: null, ...what };
}

/** A step after `prefix` content bytes at the content level. */
export function fakeStep(prefix: number, frontier: Partial<Frontier>, ended = false): ReplayStep {
  return { frontier: fakeFrontier(frontier), prefix, delivered: prefix, heldMost: 0, ended };
}

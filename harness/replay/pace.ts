/**
 * When the bytes of a recording without arrival times might have come: a seeded pace for what was never measured. Such
 * times say nothing of any provider; they are the same on every machine.
 */
import type { StreamEvent } from '../stream/event.ts';
import { countTokens } from './chunking.ts';
import { type Draw, seededDraw } from './seeded.ts';
import type { Arrival } from './times.ts';

/** How fast a model answers. */
export interface Pace {
  /** From the request until the first token is begun, in ms. */
  readonly firstToken: number;
  readonly tokensPerSecond: number;
}

const FIRST_TOKEN = { from: 300, to: 900 };
const TOKENS_PER_SECOND = { from: 30, to: 90 };
/** An event comes after half to one and a half times what its tokens take on the average. */
const JITTER = { from: 0.5, to: 1.5 };

/** One pace a label: the first token after 300 to 900 ms, then 30 to 90 tokens a second. */
export function seededPace(label: string): Pace {
  const draw = seededDraw(`pace/${label}`);
  return { firstToken: between(draw, FIRST_TOKEN), tokensPerSecond: between(draw, TOKENS_PER_SECOND) };
}

/**
 * An arrival for each wire offset at which stream events became available, and one for the last byte. Each event takes
 * as long as its tokens (o200k_base; none for what is no content), with a seeded jitter.
 *
 * @param events in order of `at`; `size`: wire bytes of the recording. `label` seeds the jitter.
 */
export function pacedArrivals(
  { events, size }: { readonly events: readonly StreamEvent[]; readonly size: number },
  pace: Pace,
  label: string,
): readonly Arrival[] {
  const draw = seededDraw(`jitter/${label}`);
  const arrivals: Arrival[] = [];
  let ms = pace.firstToken;
  for (const event of events) {
    ms += (tokensIn(event) * 1000 * between(draw, JITTER)) / pace.tokensPerSecond;
    const arrival = { ms: Math.round(ms), bytes: Math.min(size, event.at + 1) };
    if (arrivals.at(-1)?.bytes === arrival.bytes) arrivals.pop();
    arrivals.push(arrival);
  }
  const last = arrivals.at(-1);
  if (last === undefined || last.bytes < size) arrivals.push({ ms: Math.round(ms), bytes: size });
  return arrivals;
}

/**
 * Tokens (o200k_base) that a model wrote for an event: text, reasoning, arguments and the name of a native call. Ids of
 * native calls are the provider's, and what stands between the parts of a native call is not known: neither is counted.
 */
export function tokensIn(event: StreamEvent): number {
  const bytes = 'bytes' in event ? countTokens(Buffer.from(event.bytes).toString('utf8')) : 0;
  return event.type === 'tool-delta' && event.name !== undefined ? bytes + countTokens(event.name) : bytes;
}

const STEPS = 1000;

function between(draw: Draw, { from, to }: { readonly from: number; readonly to: number }): number {
  return from + ((to - from) * draw(STEPS + 1)) / STEPS;
}

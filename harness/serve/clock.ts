/** Time as the server needs it: tests put their own in its place. */
import { setTimeout } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since some moment; never falls. */
  now(): number;
  /** Rejects at once when `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
};

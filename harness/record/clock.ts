/** Time as the recorder needs it: tests put their own in its place. */
import { type Clock, REAL_CLOCK } from '../serve/clock.ts';

export interface RecordClock extends Clock {
  /** Date and time, for `recordedAt`. */
  date(): Date;
}

export const RECORD_CLOCK: RecordClock = { ...REAL_CLOCK, date: () => new Date() };

/** Milliseconds to a thousandth: a longer fraction says nothing, and an exponent is no number of a times file. */
export function roundedMs(ms: number): number {
  return Math.round(Math.max(0, ms) * 1000) / 1000;
}

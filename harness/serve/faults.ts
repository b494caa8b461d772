/**
 * Faults on demand: what a provider or a network does to an answer. `N` is an offset in the bytes of the answer, from
 * 0; `MS` and `SECONDS` are real time, whatever the speed.
 */
import { ServeError } from './serve-error.ts';

export type Fault =
  /** The connection is closed after exactly `at` bytes. */
  | { readonly kind: 'cut'; readonly at: number }
  /** The same with a TCP reset: what the client has not read yet may be lost. */
  | { readonly kind: 'reset'; readonly at: number }
  /** Nothing comes for `ms` after `at` bytes; `null`: nothing comes any more. */
  | { readonly kind: 'stall'; readonly at: number; readonly ms: number | null }
  /** The SSE event that holds the byte `at` comes twice. Its second copy does not count for other offsets. */
  | { readonly kind: 'duplicate'; readonly at: number }
  /** An error instead of the answer. `retryAfter`: seconds, sent as `Retry-After`. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter: number | null }
  /** Pieces of `bytes` with `ms` before each, instead of the answer's own times. */
  | { readonly kind: 'trickle'; readonly bytes: number; readonly ms: number };

/** A fault as it was written, and how often it happens. */
export interface ArmedFault {
  readonly text: string;
  readonly fault: Fault;
  /** It happens at the first `times` requests of a turn of a conversation; `null`: at every one. */
  readonly times: number | null;
}

/** How each fault is written, for help and messages. */
export const FAULT_FORMS: readonly string[] = [
  'cut@N',
  'reset@N',
  'stall@N',
  'stall@N:MS',
  'duplicate@N',
  'status:CODE',
  'status:CODE:SECONDS',
  'trickle:BYTES:MS',
];

/** `Retry-After` of a 429 that names no other, in seconds. */
const USUAL_RETRY = 1;

/** Node's timers take no more: longer waits would end at once. */
const LONGEST_WAIT = 2 ** 31 - 1;

interface Reading {
  readonly form: RegExp;
  /** `null`: the form is right, a number in it is not. */
  read(numbers: readonly number[]): Fault | null;
}

const NUMBER = '([0-9]{1,15})';

const READINGS: readonly Reading[] = [
  { form: pattern(`cut@${NUMBER}`), read: ([at = 0]) => ({ kind: 'cut', at }) },
  { form: pattern(`reset@${NUMBER}`), read: ([at = 0]) => ({ kind: 'reset', at }) },
  { form: pattern(`stall@${NUMBER}`), read: ([at = 0]) => ({ kind: 'stall', at, ms: null }) },
  {
    form: pattern(`stall@${NUMBER}:${NUMBER}`),
    read: ([at = 0, ms = 0]) => (isWait(ms) ? { kind: 'stall', at, ms } : null),
  },
  { form: pattern(`duplicate@${NUMBER}`), read: ([at = 0]) => ({ kind: 'duplicate', at }) },
  {
    form: pattern(`status:${NUMBER}`),
    read: ([status = 0]) =>
      isErrorStatus(status) ? { kind: 'status', status, retryAfter: status === 429 ? USUAL_RETRY : null } : null,
  },
  {
    form: pattern(`status:${NUMBER}:${NUMBER}`),
    read: ([status = 0, retryAfter = 0]) => (isErrorStatus(status) ? { kind: 'status', status, retryAfter } : null),
  },
  {
    form: pattern(`trickle:${NUMBER}:${NUMBER}`),
    read: ([bytes = 0, ms = 0]) => (bytes > 0 && isWait(ms) ? { kind: 'trickle', bytes, ms } : null),
  },
];

/** Reads a fault as it is written (`cut@1200`). Throws `ServeError` with the list of what there is. */
export function parseFault(text: string): Fault {
  for (const { form, read } of READINGS) {
    const match = form.exec(text);
    const fault = match === null ? null : read(match.slice(1).map(Number));
    if (fault !== null) return fault;
  }
  const advice = 'CODE is 400 to 599, BYTES at least 1, MS at most 2147483647';
  throw new ServeError(
    'option',
    `there is no fault ${JSON.stringify(text)}; there are ${FAULT_FORMS.join(', ')} (${advice})`,
  );
}

/** @param times `null`: at every request */
export function armedFault(text: string, times: number | null = null): ArmedFault {
  return { text, fault: parseFault(text), times };
}

/** The faults of the `attempt`-th request of a turn, counted from 1. */
export function faultsOf(armed: readonly ArmedFault[], attempt: number): readonly ArmedFault[] {
  return armed.filter(({ times }) => times === null || attempt <= times);
}

function pattern(form: string): RegExp {
  return new RegExp(`^${form}$`);
}

function isErrorStatus(status: number): boolean {
  return status >= 400 && status <= 599;
}

function isWait(ms: number): boolean {
  return ms <= LONGEST_WAIT;
}

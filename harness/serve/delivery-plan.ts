/** What is done with the bytes of an answer, step by step: its own times, and the faults that happen to it. */
import { SseDecoder } from '../wire/sse.ts';
import type { ArmedFault, Fault } from './faults.ts';
import type { TimedPiece } from './timing.ts';

export type Step =
  /** Bytes `[from, to)`, not before `ms` after the request. */
  | { readonly type: 'send'; readonly ms: number; readonly from: number; readonly to: number }
  /** Nothing for `ms`; what follows is as much later. */
  | { readonly type: 'wait'; readonly ms: number }
  /** Nothing any more. */
  | { readonly type: 'hold' }
  | { readonly type: 'cut' }
  | { readonly type: 'reset' };

export interface DeliveryPlan {
  readonly steps: readonly Step[];
  /** Faults that the answer never comes to: behind its end, or behind a fault that ends it. */
  readonly missed: readonly ArmedFault[];
}

/** A fault at its place: after `after` bytes of the answer. */
interface Place {
  readonly armed: ArmedFault;
  readonly after: number;
  /** The bytes that are sent again, for `duplicate`. */
  readonly again: readonly [from: number, to: number] | null;
}

/**
 * Milliseconds between the last byte and a reset: a client that finds both at once may report an orderly end (libuv
 * does), or lose the bytes.
 */
const BEFORE_RESET = 20;

/** A `status` fault is no matter of delivery, and not looked at. */
export function planDelivery(
  body: Uint8Array,
  pieces: readonly TimedPiece[],
  armed: readonly ArmedFault[],
): DeliveryPlan {
  const places = placesOf(body, armed);
  const steps: Step[] = [];
  let at = 0;
  let next = 0;
  for (const piece of trickled(body, pieces, armed)) {
    for (; next < places.length && places[next]!.after <= piece.to; next++) {
      const place = places[next]!;
      if (place.after > at) steps.push({ type: 'send', ms: piece.ms, from: at, to: place.after });
      at = Math.max(at, place.after);
      steps.push(...stepsOf(place, piece.ms));
      if (endsAll(place.armed.fault)) return { steps, missed: places.slice(next + 1).map((missed) => missed.armed) };
    }
    if (piece.to > at) steps.push({ type: 'send', ms: piece.ms, from: at, to: piece.to });
    at = Math.max(at, piece.to);
  }
  return { steps, missed: places.slice(next).map((missed) => missed.armed) };
}

/** In order of place; at one place what ends the answer comes last. */
function placesOf(body: Uint8Array, armed: readonly ArmedFault[]): readonly Place[] {
  const places = armed.flatMap((one): Place[] => {
    const { fault } = one;
    if (fault.kind === 'status' || fault.kind === 'trickle') return [];
    if (fault.kind !== 'duplicate') return [{ armed: one, after: fault.at, again: null }];
    const again = eventAround(body, fault.at);
    return [{ armed: one, after: again?.[1] ?? Number.POSITIVE_INFINITY, again }];
  });
  return places.toSorted((a, b) => a.after - b.after || ORDER[a.armed.fault.kind] - ORDER[b.armed.fault.kind]);
}

const ORDER: Readonly<Record<Fault['kind'], number>> = {
  status: 0,
  trickle: 0,
  duplicate: 1,
  stall: 2,
  cut: 3,
  reset: 3,
};

function stepsOf({ armed: { fault }, again }: Place, ms: number): readonly Step[] {
  switch (fault.kind) {
    case 'duplicate':
      return again === null ? [] : [{ type: 'send', ms, from: again[0], to: again[1] }];
    case 'stall':
      return [fault.ms === null ? { type: 'hold' } : { type: 'wait', ms: fault.ms }];
    case 'cut':
      return [{ type: 'cut' }];
    case 'reset':
      return [{ type: 'wait', ms: BEFORE_RESET }, { type: 'reset' }];
    default:
      return [];
  }
}

function endsAll(fault: Fault): boolean {
  return fault.kind === 'cut' || fault.kind === 'reset' || (fault.kind === 'stall' && fault.ms === null);
}

/** The SSE event that holds the byte `at`, its blank line included; null behind the end. */
function eventAround(body: Uint8Array, at: number): readonly [number, number] | null {
  if (at >= body.length) return null;
  let from = 0;
  let to = body.length;
  const decoder = new SseDecoder({
    event: (event) => {
      const end = event.at + 1;
      if (end <= at) from = end;
      else to = Math.min(to, end);
    },
    tooLong: () => {},
  });
  decoder.push(body);
  return [from, to];
}

function trickled(body: Uint8Array, pieces: readonly TimedPiece[], armed: readonly ArmedFault[]): Iterable<TimedPiece> {
  const trickle = armed.map(({ fault }) => fault).find((fault) => fault.kind === 'trickle');
  return trickle === undefined ? pieces : drops(body.length, trickle);
}

function* drops(size: number, { bytes, ms }: { readonly bytes: number; readonly ms: number }): Generator<TimedPiece> {
  for (let from = 0, drop = 1; from < size; from += bytes, drop++) {
    yield { ms: drop * ms, from, to: Math.min(size, from + bytes) };
  }
}

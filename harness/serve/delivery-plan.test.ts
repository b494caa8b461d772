import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DeliveryPlan, planDelivery } from './delivery-plan.ts';
import { armedFault } from './faults.ts';
import type { TimedPiece } from './timing.ts';

const BODY = Buffer.from('data: 1\n\ndata: 22\r\n\r\n: note\ndata: 3\n\ndata: 4');
const PIECES: readonly TimedPiece[] = [
  { ms: 10, from: 0, to: 9 },
  { ms: 20, from: 9, to: BODY.length },
];

function plan(...faults: readonly string[]): DeliveryPlan {
  return planDelivery(
    BODY,
    PIECES,
    faults.map((text) => armedFault(text)),
  );
}

function sent(body: Uint8Array, { steps }: DeliveryPlan): string {
  const parts = steps.map((step) => (step.type === 'send' ? body.subarray(step.from, step.to) : new Uint8Array()));
  return Buffer.concat(parts).toString('latin1');
}

describe('a plan', () => {
  it('without faults sends the pieces at their times', () => {
    expect(plan()).toEqual({ steps: PIECES.map((piece) => ({ type: 'send', ...piece })), missed: [] });
  });

  it('cuts a piece where a fault stands', () => {
    expect(plan('cut@12').steps).toEqual([
      { type: 'send', ms: 10, from: 0, to: 9 },
      { type: 'send', ms: 20, from: 9, to: 12 },
      { type: 'cut' },
    ]);
  });

  it('does not wait for a byte that a fault stands before', () => {
    expect(plan('cut@0').steps).toEqual([{ type: 'cut' }]);
    expect(plan('cut@9').steps).toEqual([{ type: 'send', ms: 10, from: 0, to: 9 }, { type: 'cut' }]);
  });

  it('leaves the client a moment to read before a reset', () => {
    expect(plan('reset@0').steps).toEqual([{ type: 'wait', ms: 20 }, { type: 'reset' }]);
  });

  it('stalls for a time, or for good', () => {
    expect(plan('stall@9:500').steps[1]).toEqual({ type: 'wait', ms: 500 });
    expect(sent(BODY, plan('stall@9:500'))).toBe(BODY.toString('latin1'));
    expect(plan('stall@4').steps).toEqual([{ type: 'send', ms: 10, from: 0, to: 4 }, { type: 'hold' }]);
  });

  it.each([
    [0, 'data: 1\n\n'],
    [8, 'data: 1\n\n'],
    [9, 'data: 22\r\n\r'],
    // The LF of a CR LF belongs to what comes after the event.
    [20, '\n: note\ndata: 3\n\n'],
    [BODY.length - 1, 'data: 4'],
  ])('with duplicate@%i sends the event around that byte twice', (at, event) => {
    const text = sent(BODY, plan(`duplicate@${at}`));
    expect(text).toBe(BODY.toString('latin1').replace(event, event + event));
  });

  it('counts offsets without the second copy', () => {
    expect(sent(BODY, plan('duplicate@0', 'cut@12'))).toBe('data: 1\n\ndata: 1\n\ndat');
    expect(sent(BODY, plan('cut@9', 'duplicate@0'))).toBe('data: 1\n\ndata: 1\n\n');
  });

  it('trickles pieces of its own instead of the recorded ones', () => {
    const body = Buffer.from('abcde');
    const { steps } = planDelivery(body, [{ ms: 900, from: 0, to: 5 }], [armedFault('trickle:2:30')]);
    expect(steps).toEqual([
      { type: 'send', ms: 30, from: 0, to: 2 },
      { type: 'send', ms: 60, from: 2, to: 4 },
      { type: 'send', ms: 90, from: 4, to: 5 },
    ]);
  });

  it('names the faults that it never comes to', () => {
    const missed = (...faults: string[]) => plan(...faults).missed.map(({ text }) => text);
    expect(missed(`cut@${BODY.length}`)).toEqual([]);
    expect(missed(`cut@${BODY.length + 1}`, `duplicate@${BODY.length}`)).toEqual(['cut@45', 'duplicate@44']);
    expect(missed('cut@5', 'stall@5:1', 'reset@6', 'duplicate@20')).toEqual(['reset@6', 'duplicate@20']);
    expect(missed('stall@5', 'cut@9')).toEqual(['cut@9']);
  });

  it('of an answer without a byte can still cut it', () => {
    expect(planDelivery(new Uint8Array(), [{ ms: 5, from: 0, to: 0 }], [armedFault('cut@0')]).steps).toEqual([
      { type: 'cut' },
    ]);
  });

  it('sends every byte up to the first end, in order, whatever the pieces and offsets', () => {
    const offset = fc.nat(60);
    const places = fc.array(fc.tuple(fc.constantFrom('cut', 'reset', 'stall'), offset), { maxLength: 5 });
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(places, sizes, (faults, lengths) => {
        let size = 0;
        const pieces = lengths.map((length, i) => {
          size += length;
          return { ms: i, from: size - length, to: size };
        });
        const body = Buffer.from(Array.from({ length: size }, (_, i) => i));
        const armed = faults.map(([kind, at]) => armedFault(kind === 'stall' ? `stall@${at}:5` : `${kind}@${at}`));
        const made = planDelivery(body, pieces, armed);
        const ends = faults.filter(([kind, at]) => kind !== 'stall' && at <= size).map(([, at]) => at);
        const last = Math.min(size, ...ends);
        expect(sent(body, made)).toBe(body.subarray(0, last).toString('latin1'));
        const waits = faults.filter(([kind, at]) => kind === 'stall' && at <= last).length;
        expect(made.steps.filter((step) => step.type === 'wait' && step.ms === 5)).toHaveLength(waits);
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

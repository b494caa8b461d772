import { describe, expect, it } from 'vitest';
import { fakeStep } from '../testing/fake-frontiers.ts';
import { PendingCheck } from './pending.ts';

function watch(values: readonly number[], bound: number | null = null): PendingCheck {
  const check = new PendingCheck('content', bound);
  for (const [i, pending] of values.entries()) check.step(fakeStep(i + 1, { pending }));
  return check;
}

const ONE_TO_HUNDRED = Array.from({ length: 100 }, (_, i) => i + 1);

describe('pending figures', () => {
  it('are exact for small values', () => {
    expect(watch(ONE_TO_HUNDRED).figures()).toEqual({ max: 100, mean: 50.5, p95: 95, heldMax: 0 });
    expect(watch([...ONE_TO_HUNDRED].reverse()).figures()).toMatchObject({ p95: 95 });
    expect(watch([0, 0, 0, 8191]).figures()).toEqual({ max: 8191, mean: 2047.75, p95: 8191, heldMax: 0 });
    expect(watch([...Array<number>(95).fill(7), ...Array<number>(5).fill(9)]).figures()).toMatchObject({ p95: 7 });
    expect(watch([...Array<number>(94).fill(7), ...Array<number>(6).fill(9)]).figures()).toMatchObject({ p95: 9 });
  });

  it('have a percentile of at most 1/256 too much for large values, and exact others', () => {
    const { p95, max } = watch(Array.from({ length: 1000 }, (_, i) => i * 1000)).figures();
    expect(max).toBe(999_000);
    expect(p95).toBeGreaterThanOrEqual(949_000);
    expect(p95).toBeLessThanOrEqual(949_000 * (1 + 1 / 256));
    expect(watch([1_000_000]).figures()).toMatchObject({ p95: 1_000_000 });
  });

  it('of nothing are 0', () => {
    expect(watch([]).figures()).toEqual({ max: 0, mean: 0, p95: 0, heldMax: 0 });
  });

  it('may be asked for at any time', () => {
    const check = watch([4, 4]);
    expect(check.figures()).toMatchObject({ mean: 4 });
    check.step(fakeStep(3, { pending: 1 }));
    expect(check.figures()).toMatchObject({ mean: 3, max: 4 });
  });

  it('have the most that the decoder held', () => {
    const check = new PendingCheck('wire', null);
    for (const heldMost of [3, 40, 40]) check.step({ ...fakeStep(1, {}), heldMost });
    expect(check.figures()).toMatchObject({ heldMax: 40 });
  });
});

describe('K', () => {
  it('holds up to the bound, the bound included', () => {
    expect(watch([0, 15, 16], 16).verdict()).toEqual({ property: 'K', status: 'holds', tried: 3 });
  });

  it('sees every prefix with more, and names the first', () => {
    expect(watch([16, 17, 0, 18], 16).verdict()).toMatchObject({ status: 'violated', count: 2, first: { prefix: 2 } });
  });

  it('counts quiet prefixes like the step before them', () => {
    const check = watch([16, 17], 16);
    check.quiet(3);
    expect(check.verdict()).toMatchObject({ status: 'violated', count: 4, first: { prefix: 2 } });
    expect(check.figures()).toMatchObject({ mean: (16 + 4 * 17) / 5 });
  });

  it('is not asked where no bound is promised', () => {
    expect(watch([99]).verdict()).toMatchObject({ property: 'K', status: 'not-applicable' });
  });
});

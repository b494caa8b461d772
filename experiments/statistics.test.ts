import { describe, expect, it } from 'vitest';
import { clusterBootstrap, clustersOf, lineThrough, meanOf, quantileOf, wilson } from './statistics.ts';

function percent(interval: { low: number; high: number } | null) {
  return interval === null ? null : [interval.low, interval.high].map((end) => Number((end * 100).toFixed(2)));
}

describe('wilson', () => {
  // R: prop.test(k, n, correct = FALSE)$conf.int
  it.each([
    [0, 300, [0, 1.26]],
    [3, 300, [0.34, 2.9]],
    [5, 10, [23.66, 76.34]],
    [10, 10, [72.25, 100]],
    [1, 1, [20.65, 100]],
  ])('of %i in %i', (successes, trials, expected) => {
    expect(percent(wilson(successes, trials))).toEqual(expected);
  });

  it('never leaves 0 to 1, and is the mirror image of the other share', () => {
    for (let n = 1; n <= 60; n++) {
      for (let k = 0; k <= n; k++) {
        const { low, high } = wilson(k, n)!;
        const mirrored = wilson(n - k, n)!;
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(k / n);
        expect(high).toBeGreaterThanOrEqual(k / n);
        expect(low).toBeCloseTo(1 - mirrored.high, 12);
      }
    }
  });

  it('is null for a share of nothing', () => {
    expect(wilson(0, 0)).toBeNull();
  });
});

describe('clusterBootstrap', () => {
  const clusters = Array.from({ length: 40 }, (_, i) => [i % 7, (i * 3) % 11]);

  it('gives the same interval for the same seed, and another one for another', () => {
    const interval = clusterBootstrap(clusters, meanOf, 'a');
    expect(clusterBootstrap(clusters, meanOf, 'a')).toEqual(interval);
    expect(clusterBootstrap(clusters, meanOf, 'b')).not.toEqual(interval);
  });

  it('holds the mean of the values', () => {
    const { low, high } = clusterBootstrap(clusters, meanOf, 'a')!;
    const mean = meanOf(clusters.flat())!;
    expect(low).toBeLessThan(mean);
    expect(high).toBeGreaterThan(mean);
  });

  it('is as wide as the clusters are few, however many values they hold', () => {
    const width = (values: readonly (readonly number[])[]) => {
      const { low, high } = clusterBootstrap(values, meanOf, 'w')!;
      return high - low;
    };
    const alike = clusters.map(([first = 0]) => Array.from({ length: 50 }, () => first));
    const single = clusters.map(([first = 0]) => [first]);
    expect(width(alike)).toBeCloseTo(width(single), 10);
    // Drawn one by one, the same 2,000 values would pretend to know seven times more.
    expect(width(alike.flat().map((value) => [value]))).toBeLessThan(width(alike) / 4);
  });

  it('is null with a single cluster, or where the figure has no value', () => {
    expect(clusterBootstrap([[1, 2, 3]], meanOf, 'a')).toBeNull();
    expect(clusterBootstrap([[1], [2]], () => null, 'a')).toBeNull();
  });
});

describe('figures of nothing', () => {
  it('are null, not NaN', () => {
    expect([meanOf([]), quantileOf([], 0.5), lineThrough([])]).toEqual([null, null, null]);
    expect(lineThrough([[1, 2]])).toBeNull();
    expect(
      lineThrough([
        [1, 2],
        [1, 3],
      ]),
    ).toBeNull();
  });
});

it('lineThrough finds the line', () => {
  const { slope, intercept } = lineThrough([
    [0, 1],
    [1, 3],
    [2, 5],
  ])!;
  expect([slope, intercept]).toEqual([2, 1]);
});

it('clustersOf keeps clusters in order of first appearance', () => {
  expect(clustersOf(['b1', 'a1', 'b2'], (value) => value[0]!)).toEqual([['b1', 'b2'], ['a1']]);
});

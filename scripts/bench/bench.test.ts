import { describe, expect, it } from 'vitest';
import { growthExponent, worstStep } from './figures.ts';
import { measure, QUICK_PLAN } from './measure.ts';
import { benchPage } from './page.ts';
import { sourceCode } from './source-code.ts';
import { callStream } from './streams.ts';
import { judge, RATIO_TARGETS, ratio } from './targets.ts';

describe('the text that is parsed', () => {
  it('has exactly the size asked for, and is the same each time', () => {
    for (const size of [1, 10, 999, 1000, 10_000]) expect(Buffer.byteLength(sourceCode(size))).toBe(size);
    expect(sourceCode(5000)).toBe(sourceCode(5000));
  });

  it('has about 0.6 % of its characters beyond ASCII', () => {
    const text = sourceCode(200_000);
    const beyond = [...text].filter((character) => character > '\x7f').length;
    expect((beyond / text.length) * 100).toBeCloseTo(0.6, 0.5);
  });

  it('makes streams that are not longer than asked for, and nearly as long', () => {
    for (const size of [2000, 20_000, 200_000]) {
      const { length } = callStream('ctl', size);
      expect(length).toBeLessThanOrEqual(size);
      expect(length).toBeGreaterThan(size * 0.7);
    }
  });
});

describe('growth', () => {
  const bytes = [10, 20, 40];

  it('is 1 for linear and 2 for quadratic time', () => {
    expect(growthExponent({ who: 'a', feed: 'whole', bytes, ms: [1, 2, 4] })).toBeCloseTo(1);
    expect(growthExponent({ who: 'a', feed: 'whole', bytes, ms: [1, 4, 16] })).toBeCloseTo(2);
  });

  it('has its worst step where the time grows most', () => {
    expect(worstStep({ who: 'a', feed: 'whole', bytes, ms: [1, 2, 16] })).toBeCloseTo(3);
  });
});

describe('a target', () => {
  const target = RATIO_TARGETS[0]!;
  const place = { topic: target.topic, feed: target.feed, bytes: 10_000 };
  const measurements = (ours: number, peer: number) => ({
    figures: [
      { ...place, who: target.ours, ms: ours },
      { ...place, who: target.peer, ms: peer },
    ],
    growths: [],
  });

  it('is judged by the time of the peer over ours', () => {
    expect(ratio(target, 10_000, measurements(1, 9))).toBe(9);
    expect(judge(measurements(1, 9)).map(({ met }) => met)).toEqual([true]);
    expect(judge(measurements(1, 7)).map(({ met }) => met)).toEqual([false]);
  });

  it('is not judged at sizes that were not measured', () => {
    expect(ratio(target, 100_000, measurements(1, 9))).toBeUndefined();
  });
});

describe('a smoke run', () => {
  it('measures every contestant once and makes the page', async () => {
    const measurements = await measure(QUICK_PLAN, () => {});
    for (const { ms } of measurements.figures) expect(ms).toBeGreaterThan(0);
    const page = benchPage(measurements);
    for (const title of ['Targets', 'One value', 'SSE', 'every prefix', 'whole chain', 'Growth']) {
      expect(page).toMatch(new RegExp(`^## .*${title}`, 'm'));
    }
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
  });
});

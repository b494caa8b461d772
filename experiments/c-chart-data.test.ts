import { describe, expect, it } from 'vitest';
import { alongSteps, meanSalvage, pendingPoints } from './c-chart-data.ts';
import type { AlongRow, PendingRow, SalvageRow } from './c-rows.ts';

const PENDING: PendingRow = {
  suite: 'replies',
  recording: 'r',
  task: 't',
  parser: 'xml',
  level: 'content',
  bytes: 100,
  max: 50,
  mean: 25,
  p95: 48,
  sseHeldMax: 10,
  k: null,
  bounded: 'no promise',
  longestArgument: 40,
};

describe('pendingPoints', () => {
  it('leaves out the wire level, controls and streams without an argument', () => {
    const rows: PendingRow[] = [
      PENDING,
      { ...PENDING, level: 'wire' },
      { ...PENDING, parser: 'json-repair' },
      { ...PENDING, longestArgument: 0 },
    ];
    expect(pendingPoints(rows)).toEqual([{ parser: 'xml', argument: 40, max: 50 }]);
  });

  it('draws nothing held back at 1, equal points once, and sorts by size', () => {
    const rows: PendingRow[] = [PENDING, { ...PENDING, longestArgument: 4, max: 0 }, PENDING];
    expect(pendingPoints(rows)).toEqual([
      { parser: 'xml', argument: 4, max: 1 },
      { parser: 'xml', argument: 40, max: 50 },
    ]);
  });
});

function along(pending: readonly number[]): AlongRow[] {
  return pending.map((value, offset) => ({ task: 't', parser: 'ctl', offset, pending: value }));
}

describe('alongSteps', () => {
  it('keeps every change of a short message, in percent of its length', () => {
    expect(alongSteps(along([0, 1, 2, 0, 0]))).toEqual([
      { parser: 'ctl', percent: 0, pending: 0 },
      { parser: 'ctl', percent: 25, pending: 1 },
      { parser: 'ctl', percent: 50, pending: 2 },
      { parser: 'ctl', percent: 75, pending: 0 },
      { parser: 'ctl', percent: 100, pending: 0 },
    ]);
  });

  it('never loses a peak, however long the message', () => {
    const rows = along(Array.from({ length: 40_001 }, (_, offset) => (offset === 20_007 ? 33 : 0)));
    expect(alongSteps(rows)).toEqual([
      { parser: 'ctl', percent: 0, pending: 0 },
      { parser: 'ctl', percent: 50, pending: 33 },
      { parser: 'ctl', percent: 50.25, pending: 0 },
      { parser: 'ctl', percent: 100, pending: 0 },
    ]);
  });

  it('takes rows in any order, and an empty message', () => {
    const rows = along([0, 3, 1]);
    expect(alongSteps(rows.toReversed())).toEqual(alongSteps(rows));
    expect(alongSteps(along([0]))).toEqual([{ parser: 'ctl', percent: 0, pending: 0 }]);
  });
});

describe('meanSalvage', () => {
  const row = (task: string, cut: number, [executed, present]: readonly [number, number]): SalvageRow => ({
    suite: 'reframed',
    task,
    recording: task,
    parser: 'ctl',
    cut,
    executed,
    present,
    share: present === 0 ? null : executed / present,
  });

  it('leaves streams without a complete call out of the mean, and a cut with none out of the line', () => {
    const rows = [row('a', 10, [0, 0]), row('a', 50, [1, 2]), row('b', 50, [0, 0]), row('c', 50, [1, 1])];
    expect(meanSalvage(rows)).toEqual([{ parser: 'ctl', cut: 50, share: 0.75, streams: 2 }]);
  });

  it('gives the same mean in every order of rows', () => {
    const rows = [3, 7, 9, 11, 13].map((present) => row(`t${present}`, 20, [1, present]));
    expect(meanSalvage(rows)).toEqual(meanSalvage(rows.toReversed()));
  });
});

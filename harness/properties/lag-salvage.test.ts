import { describe, expect, it } from 'vitest';
import { fakeCall } from '../testing/fake-frontiers.ts';
import { lags } from './lag.ts';
import type { Execution } from './safety.ts';
import { CUT_POINTS, salvage } from './salvage.ts';

const FIRST = fakeCall(0, 'one', 9);
const SECOND = fakeCall(1, 'two', 59);

function execution(ordinal: number, delivered: number, atEnd = false): Execution {
  return { call: fakeCall(ordinal, '', 0), ordinal, prefix: delivered, delivered, atEnd };
}

describe('lag', () => {
  it('is 0 for a call that is executable with the last byte of its frame', () => {
    expect(lags([execution(0, 10)], [FIRST])).toEqual([{ call: 0, frameEnd: 9, executableAt: 10, lag: 0 }]);
  });

  it('is the rest of the message for a call that waits for the end', () => {
    expect(lags([execution(0, 100, true)], [FIRST])).toMatchObject([{ lag: 90 }]);
  });

  it('is 0 where the end of the stream ends the frame', () => {
    expect(lags([execution(0, 10, true)], [fakeCall(0, 'one', 10)])).toMatchObject([{ lag: 0 }]);
  });

  it('is not asked of calls that only one of the two has', () => {
    expect(lags([execution(5, 10)], [FIRST])).toEqual([]);
    expect(lags([], [FIRST])).toEqual([]);
  });
});

describe('salvage', () => {
  const at = (cut: number, executions: readonly Execution[]) =>
    salvage(executions, [FIRST, SECOND], 100).find((row) => row.cut === cut);

  it('counts what has run of the calls whose frame has arrived', () => {
    const streaming = [execution(0, 10), execution(1, 60)];
    expect(at(5, streaming)).toEqual({ cut: 5, executed: 0, present: 0 });
    expect(at(10, streaming)).toEqual({ cut: 10, executed: 1, present: 1 });
    expect(at(55, streaming)).toEqual({ cut: 55, executed: 1, present: 1 });
    expect(at(60, streaming)).toEqual({ cut: 60, executed: 2, present: 2 });
  });

  it('gives what runs at the end of the stream to no cut', () => {
    const atEnd = [execution(0, 100, true), execution(1, 100, true)];
    expect(at(95, atEnd)).toEqual({ cut: 95, executed: 0, present: 2 });
    expect(at(100, atEnd)).toEqual({ cut: 100, executed: 2, present: 2 });
  });

  it('has a row for every cut point, of an empty stream too', () => {
    expect(salvage([], [], 0).map(({ cut }) => cut)).toEqual([...CUT_POINTS]);
  });
});

import { describe, expect, it } from 'vitest';
import { eventPositions, linkedPosition, mostPending } from './scrubber-reading.ts';
import type { ScrubberReading, ScrubberStream } from './scrubber-types.ts';
import { spokenWords, streamWords, wordsAt } from './scrubber-words.ts';

const STREAM: ScrubberStream = {
  task: 't01',
  file: 't01.ctl.sse',
  text: 'x'.repeat(2000),
  bytes: 2000,
  end: 'complete',
  marks: [],
  readings: [],
};

/** A call that runs after byte 1,000, then one that is wrong at byte 1,500. */
const READING: ScrubberReading = {
  protocol: 'ctl',
  segments: [
    [0, 2, 1000, 3],
    [1000, 2, 1500, 4],
  ],
  pending: [
    [0, 0, 1],
    [1000, 0, 1],
    [1500, 0, 0],
  ],
  underWay: [
    [0, 0, 0, 1],
    [1000, 1, 0, 0],
    [1500, -1, 0, 0],
  ],
  places: [{ id: 'c1', name: 'write', key: 'k', declared: 1200, counts: true }, { counts: false }],
  runs: [{ from: 1000, id: 'c1', name: 'write', args: [{ key: 'k', bytes: 3, preview: '"abc"' }] }],
  complete: [1000],
  error: { from: 1500, kind: 'bad_call', offset: 1490, line: 7, message: 'no call' },
};

describe('the words at a position', () => {
  it('say how far it is, what is under way, and what a cut would lose', () => {
    expect(wordsAt(STREAM, READING, 999)).toEqual({
      position: 'byte 999 of 2,000 (49 %)',
      pending: '999 bytes',
      executable: '0 of 1 call',
      lastRun: 'none yet',
      underWay: 'call c1 write, argument k: 999 of 1,200 bytes declared',
      error: '–',
      cut: 'No call would have run; the call under way is lost.',
    });
  });

  it('name the call that ran, and one whose name has not come', () => {
    expect(wordsAt(STREAM, READING, 1200)).toMatchObject({
      executable: '1 of 1 call',
      lastRun: 'c1 write, after byte 1,000: k = "abc" (3 bytes)',
      underWay: 'a call whose name is not known yet',
      cut: '1 call would have run; the call under way is lost.',
    });
  });

  it('give the contract error from the byte on that raises it', () => {
    expect(wordsAt(STREAM, READING, 1499).error).toBe('–');
    expect(wordsAt(STREAM, READING, 1500)).toMatchObject({
      error: 'bad_call at byte 1,490, line 7: no call',
      cut: '1 call would have run; what follows the error is discarded.',
    });
  });

  it('say at the end of the stream what ran', () => {
    expect(wordsAt(STREAM, READING, 2001)).toMatchObject({
      position: 'end of the complete stream, 2,000 bytes',
      cut: 'The stream has ended (complete): 1 call ran, what followed the error is discarded.',
    });
  });

  it('count complete calls that wait for the end as lost in a cut', () => {
    const waiting = { ...READING, runs: [{ from: 2001, id: 'c1', name: 'write', args: [] }], error: null };
    expect(wordsAt(STREAM, waiting, 1200).cut).toBe(
      'No call would have run; 1 complete call is lost, with all else that is pending.',
    );
    expect(wordsAt(STREAM, waiting, 2001).lastRun).toBe('c1 write, at the end of the stream: no arguments');
    expect(wordsAt(STREAM, { ...waiting, runs: [] }, 3).executable).toBe('no call');
  });

  it('are short where they are spoken, and tell the whole stream where they stand for its picture', () => {
    const words = wordsAt(STREAM, READING, 1500);
    expect(spokenWords(words, READING, 1500)).toBe(
      'byte 1,500 of 2,000 (75 %): 0 bytes pending, 1 of 1 call executable, contract error bad_call',
    );
    expect(streamWords(STREAM, READING, mostPending(READING, 2000))).toBe(
      'Pending bytes along ctl, 2,000 bytes long: at most 999. Executable: write after byte 1,000. Contract error bad_call after byte 1,500.',
    );
  });
});

describe('positions', () => {
  it('are linked by their share of the stream, and at its end', () => {
    expect(linkedPosition(50, 100, 300)).toBe(150);
    expect(linkedPosition(100, 100, 300)).toBe(300);
    expect(linkedPosition(101, 100, 300)).toBe(301);
    expect(linkedPosition(0, 0, 300)).toBe(300);
  });

  it('of events are those of runs, the error and the end, each once', () => {
    expect(eventPositions(READING, 2000)).toEqual([1000, 1500, 2001]);
    expect(eventPositions({ ...READING, runs: [...READING.runs, ...READING.runs], error: null }, 2000)).toEqual([
      1000, 2001,
    ]);
  });
});

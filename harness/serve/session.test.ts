import { describe, expect, it } from 'vitest';
import { readScript, recordingSession, turnOf } from './session.ts';

const SCRIPT = {
  turns: [
    { recording: 'replies/t14.ctl', faults: ['trickle:64:5', { fault: 'status:429', times: 2 }] },
    { text: 'All good.' },
  ],
};

function read(script: unknown) {
  return readScript(JSON.stringify(script), 'session.json');
}

describe('a script', () => {
  it('has turns, faults and what comes after', () => {
    expect(read(SCRIPT)).toEqual({
      turns: [
        {
          answer: { recording: 'replies/t14.ctl' },
          faults: [
            { text: 'trickle:64:5', fault: { kind: 'trickle', bytes: 64, ms: 5 }, times: null },
            { text: 'status:429', fault: { kind: 'status', status: 429, retryAfter: 1 }, times: 2 },
          ],
        },
        { answer: { text: 'All good.' }, faults: [] },
      ],
      after: 'done',
    });
  });

  it.each([
    ['{', 'session.json: is not JSON'],
    ['[]', 'session.json: Invalid input: expected object'],
    ['{"turns":[]}', 'session.json, turns: '],
    ['{"turns":[{"text":"x"}],"after":"stop"}', 'session.json, after: '],
    ['{"turns":[{"text":"x"}],"end":1}', 'session.json: Unrecognized key: "end"'],
    ['{"turns":[{"text":"x"},{"file":"x"}]}', 'session.json, turns[1]: expected {"recording": "SUITE/FILE"'],
    [
      '{"turns":[{"text":"x","faults":["cut@1","boom"]}]}',
      'session.json, turns[0].faults[1]: there is no fault "boom"',
    ],
    ['{"turns":[{"text":"x","faults":[{"fault":"cut@1","times":0}]}]}', 'session.json, turns[0]'],
  ])('%s is refused with its place', (text, words) => {
    expect(() => readScript(text, 'session.json')).toThrow(words);
  });
});

describe('a turn of a session', () => {
  it('is the one that was written, and "Done." after the last', () => {
    const session = read(SCRIPT);
    expect([1, 2, 3, 9].map((turn) => turnOf(session, turn)?.answer)).toEqual([
      { recording: 'replies/t14.ctl' },
      { text: 'All good.' },
      { text: 'Done.' },
      { text: 'Done.' },
    ]);
  });

  it('repeats the last, or is an error, where the session says so', () => {
    expect(turnOf(recordingSession('s/a', 'repeat'), 3)?.answer).toEqual({ recording: 's/a' });
    expect(turnOf(recordingSession('s/a', 'error'), 1)?.answer).toEqual({ recording: 's/a' });
    expect(turnOf(recordingSession('s/a', 'error'), 2)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../harness/parsers/parser.ts';
import { PARSERS, type Protocol } from '../harness/parsers/protocols.ts';
import type { StreamEvent } from '../harness/stream/event.ts';
import { delta, done, finish, text } from '../harness/testing/hand-made-events.ts';
import { runVirtually } from './e-virtual-run.ts';

/** Events 100 ms apart, the first at 100; each takes one byte of the wire. */
function run(protocol: Protocol, events: readonly StreamEvent[], toolTime: number) {
  const placed = events.map((event, at) => ({ ...event, at }));
  const arrivals = placed.map(({ at }) => ({ ms: (at + 1) * 100, bytes: at + 1 }));
  const parser = PARSERS[protocol](DEFAULT_OPTIONS);
  const { calls, generatedAt, doneAt } = runVirtually(
    { events: placed, end: 'complete', arrivals },
    parser,
    () => toolTime,
  );
  return { times: calls.map(({ startedAt, endedAt }) => [startedAt, endedAt]), generatedAt, doneAt };
}

const CTL = [text('call c1 t\nend\n'), text('call c2 t\n'), text('end\n'), finish('complete'), done()];
const NATIVE = [
  delta(0, '{}', { id: 'c1', name: 't' }),
  delta(1, '{}', { id: 'c2', name: 't' }),
  finish('complete'),
  done(),
];

describe('a virtual run', () => {
  it('starts a ctl call at its end line, while the answer goes on', () => {
    expect(run('ctl', CTL, 50)).toEqual({
      times: [
        [100, 150],
        [300, 350],
      ],
      generatedAt: 500,
      doneAt: 500,
    });
  });

  it('runs calls one at a time: what arrives meanwhile waits in the socket', () => {
    expect(run('ctl', CTL, 450)).toEqual({
      times: [
        [100, 550],
        [550, 1000],
      ],
      generatedAt: 500,
      doneAt: 1000,
    });
  });

  it('starts a call of json-object when the next one begins, and the last one at the finish reason', () => {
    expect(run('json-object', NATIVE, 10).times).toEqual([
      [200, 210],
      [300, 310],
    ]);
  });

  it('starts every call of json-whole at the end of the answer', () => {
    expect(run('json-whole', NATIVE, 10)).toEqual({
      times: [
        [400, 410],
        [410, 420],
      ],
      generatedAt: 400,
      doneAt: 420,
    });
  });

  it('of an answer without calls is done when it has been read', () => {
    expect(run('ctl', [text('hello'), done()], 10)).toEqual({ times: [], generatedAt: 200, doneAt: 200 });
  });
});

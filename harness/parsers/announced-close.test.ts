/** `tool-close` events, also in orders in which no reader gives them: parser and oracle are of one mind, and nothing is taken back. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonObject, readJsonWhole } from '../oracles/json.ts';
import { disagreement } from '../properties/agreement.ts';
import { stateDifference } from '../properties/final-state.ts';
import { SafetyCheck } from '../properties/safety.ts';
import { replayContent } from '../replay/replay.ts';
import type { StreamEnd, StreamEvent, ToolDeltaEvent } from '../stream/event.ts';
import { feed } from '../testing/feed.ts';
import { delta, done, finish, refused, text } from '../testing/hand-made-events.ts';
import { JsonObjectParser } from './json-object.ts';
import { JsonWholeParser } from './json-whole.ts';
import { DEFAULT_OPTIONS } from './parser.ts';

const close = (call: number): StreamEvent => ({ type: 'tool-close', at: 0, call });
const open = (call: number, input: 'json' | 'text', args = ''): ToolDeltaEvent => ({
  ...delta(call, args, { id: `c${call}`, name: 't' }),
  ...(input === 'text' && { input }),
  closes: 'announced',
});

function run(events: readonly StreamEvent[], end: StreamEnd) {
  const parser = new JsonObjectParser(DEFAULT_OPTIONS);
  const ran = events.map((event) => {
    parser.push(event);
    return parser.calls.length;
  });
  parser.end(end);
  return { ran, calls: parser.calls, error: parser.error };
}

describe('a call that its provider closes', () => {
  it('runs at its close, and not when a later one opens, nor at a finish reason, nor at done', () => {
    const events = [open(0, 'json', '{"k":1}'), open(1, 'json', '{}'), finish('complete'), close(1), close(0), done()];
    expect(run(events, 'complete').ran).toEqual([0, 0, 0, 1, 2, 2]);
  });

  it('runs without arguments at a complete end only', () => {
    expect(run([open(0, 'json'), close(0)], 'complete').calls.map(({ args }) => args)).toEqual([
      { form: 'json', text: '', object: {} },
    ]);
    expect(run([open(0, 'json'), close(0)], 'cut').calls).toEqual([]);
  });

  it('stays as it ran when bytes come behind its close, and they are an error', () => {
    const { calls, error } = run([open(0, 'json', '{}'), close(0), delta(0, ' '), delta(0, ',"x":1}')], 'complete');
    expect(calls.map(({ args }) => args)).toEqual([{ form: 'json', text: '{}', object: {} }]);
    expect(error).toMatchObject({ kind: 'bad_delta', offset: 2 });
  });

  it('does not run if the stream was cut before', () => {
    expect(run([open(0, 'json', '{}'), finish('cut'), close(0)], 'cut').calls).toEqual([]);
  });

  it('gives free text as the value input, whatever it says', () => {
    const { ran, calls, error } = run([open(0, 'text', '[1'), delta(0, '\n"'), close(0)], 'cut');
    expect([ran, error]).toEqual([[0, 0, 1], null]);
    expect(calls[0]?.args).toEqual({
      form: 'values',
      values: [{ key: 'input', bytes: new Uint8Array(Buffer.from('[1\n"')) }],
    });
  });
});

const call = fc.nat(2);
const step: fc.Arbitrary<StreamEvent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(call, fc.constantFrom('{}', '{"k":', '1}', ' ', 'x', '')).map(([n, args]) => delta(n, args)),
  },
  { weight: 3, arbitrary: call.map(close) },
  { weight: 1, arbitrary: fc.constantFrom(finish('complete'), finish('cut'), text('a'), refused(null, 'bad_delta')) },
  { weight: 1, arbitrary: call.map((n) => refused(n, 'bad_delta')) },
);

/** Calls open in their order before anything else comes for them. */
const streams = fc
  .tuple(
    fc.array(step, { maxLength: 14 }),
    fc.array(fc.constantFrom('json' as const, 'text' as const), { minLength: 3, maxLength: 3 }),
    fc.constantFrom<StreamEnd>('complete', 'cut'),
  )
  .map(([steps, inputs, end]) => {
    let opened = 0;
    const events = steps.flatMap((event): StreamEvent[] => {
      const wanted = 'call' in event && event.call !== null ? event.call : -1;
      const openings: StreamEvent[] = [];
      for (; opened <= wanted; opened++) openings.push(open(opened, inputs[opened] ?? 'json'));
      return [...openings, event];
    });
    return { events, end };
  });

describe.each([
  ['json-object', JsonObjectParser, readJsonObject],
  ['json-whole', JsonWholeParser, readJsonWhole],
] as const)('a parser of %s on closes in any order', (_, Parser, oracle) => {
  it('keeps S1, S2 and S3, and agrees with its oracle', () => {
    fc.assert(
      fc.property(streams, (stream) => {
        const reading = oracle(stream.events, stream.end, DEFAULT_OPTIONS);
        const parser = new Parser(DEFAULT_OPTIONS);
        const check = new SafetyCheck('content', reading.calls);
        replayContent(stream, parser, check);
        expect(check.verdicts().map(({ status }) => status)).toEqual(['holds', 'holds', 'holds']);
        expect(disagreement(parser, reading)).toBeNull();
      }),
      { seed: 20269, numRuns: 2000 },
    );
  });

  it('comes to the same state whatever the pieces', () => {
    fc.assert(
      fc.property(streams, (stream) => {
        const [whole, pieces] = [new Parser(DEFAULT_OPTIONS), new Parser(DEFAULT_OPTIONS)];
        feed(whole, stream, [1000]);
        feed(pieces, stream, [1]);
        expect(stateDifference(whole, pieces)).toBeNull();
        expect(whole.pending).toBe(pieces.pending);
      }),
      { seed: 20270, numRuns: 500 },
    );
  });
});

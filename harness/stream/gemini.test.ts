import { describe, expect, it } from 'vitest';
import { failure, fragment, refused } from '../testing/chat-streams.ts';
import { announced, closed, finished, readWire, said } from '../testing/wire-streams.ts';

const read = (...payloads: readonly (object | string)[]) => readWire('gemini', ...payloads);
const chunk = (...parts: readonly object[]) => ({ candidates: [{ content: { parts } }] });
const call = (functionCall: object) => chunk({ functionCall });
const stop = (finishReason: unknown = 'STOP') => ({ candidates: [{ finishReason }] });
const begin = call({ id: 'c1', name: 't', willContinue: true });
const pieces = (...partialArgs: readonly object[]) => call({ partialArgs, willContinue: true });

describe('a reader of Gemini', () => {
  it('takes a whole part as a call that is closed, its arguments as their source', () => {
    const payload =
      '{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{"name":"t","args":{ "k": 12345678901234567890, "j": 1.0 }}}]}}]}';
    expect(read(payload).events).toEqual([
      said('text', 'a'),
      announced(0, undefined, 't'),
      fragment(0, '{ "k": 12345678901234567890, "j": 1.0 }'),
      closed(0),
    ]);
  });

  it('writes pieces as one text that only grows', () => {
    const { events } = read(
      begin,
      pieces({ jsonPath: '$.a[0].b', stringValue: 'x', willContinue: true }),
      pieces({ jsonPath: '$.a[0].b', stringValue: '"y' }),
      pieces({ jsonPath: '$.a[1].b', numberValue: 0.5 }, { jsonPath: '$.c', boolValue: false }),
      call({}),
    );
    expect(events).toEqual([
      announced(0, 'c1', 't'),
      fragment(0, '{"a":[{"b":"x'),
      fragment(0, '\\"y"'),
      fragment(0, '},{"b":0.5'),
      fragment(0, '}],"c":false'),
      fragment(0, '}'),
      closed(0),
    ]);
  });

  it('reads thoughts as reasoning, and candidate 0 alone', () => {
    const { events, notes } = read(
      chunk({ text: 'a', thought: true, thoughtSignature: 'c2ln' }),
      {
        candidates: [
          { index: 1, content: { parts: [{ text: 'b' }] }, finishReason: 'SAFETY' },
          { content: { parts: [{ text: 'c' }] } },
        ],
      },
      stop(),
    );
    expect(events).toEqual([said('reasoning', 'a'), said('text', 'c'), finished('STOP', 'complete')]);
    expect(notes).toEqual({ otherChoices: 1 });
  });

  it('counts what the provider runs, and parts that it does not know', () => {
    const parts = [{ executableCode: {} }, { codeExecutionResult: {} }, { inlineData: {} }];
    expect(read(chunk(...parts)).notes).toEqual({ providerCalls: 1, unknownEvents: 1 });
  });

  it('reads on in a call that is named again by its id: its first half is not lost', () => {
    const half = call({ id: 'c1', name: 't', partialArgs: [{ jsonPath: '$.a', numberValue: 1 }], willContinue: true });
    const rest = { name: 't', partialArgs: [{ jsonPath: '$.b', numberValue: 2 }] };
    expect(read(half, call({ id: 'c1', ...rest })).events).toEqual([
      announced(0, 'c1', 't'),
      fragment(0, '{"a":1'),
      fragment(0, ',"b":2'),
      fragment(0, '}'),
      closed(0),
    ]);
    expect(read(half, call({ ...rest, id: 'c2' })).events.slice(2)).toEqual([
      refused(0, 'bad_delta'),
      announced(1, 'c2', 't'),
      fragment(1, '{"b":2'),
      fragment(1, '}'),
      closed(1),
    ]);
  });

  it('runs nothing where the same name, without an id, may be that call or another', () => {
    const half = call({ name: 't', partialArgs: [{ jsonPath: '$.a', numberValue: 1 }], willContinue: true });
    const { events } = read(half, call({ name: 't', partialArgs: [{ jsonPath: '$.b', numberValue: 2 }] }), stop());
    expect(events).toEqual([
      announced(0, undefined, 't'),
      fragment(0, '{"a":1'),
      refused(0, 'bad_delta'),
      finished('STOP', 'complete'),
    ]);
  });

  it('fails where one chunk has two candidates of index 0', () => {
    const candidates = [{ content: { parts: [{ text: 'a' }] } }, { content: { parts: [{ text: 'b' }] }, index: 0 }];
    expect(read({ candidates }).events.map(({ type }) => type)).toEqual(['failure']);
  });

  it('runs no second call under the id of the first', () => {
    const { events } = read(call({ id: 'c1', name: 't', args: {} }), call({ id: 'c1', name: 't', args: {} }), stop());
    expect(events.filter(({ type }) => type === 'tool-close')).toEqual([closed(0)]);
    expect(events).toContainEqual(refused(1, 'bad_delta'));
  });

  it('takes members of a piece that are null for none', () => {
    const nulls = { stringValue: null, numberValue: 2, boolValue: null, nullValue: null };
    expect(read(begin, pieces({ jsonPath: '$.a', ...nulls })).events[1]).toEqual(fragment(0, '{"a":2'));
    expect(read(begin, pieces({ jsonPath: '$.a', nullValue: null })).events[1]).toEqual(fragment(0, '{"a":null'));
  });

  it('ends as a cut by a reason for blocking that is no text', () => {
    expect(read({ promptFeedback: { blockReason: { toString: 1 } } }, stop()).end).toBe('cut');
  });

  it.each(['$.*', '$.a,b', '$.?(@)', '$[*]', '$..a', '$[?(@.a)]', '$[-1]', '$[0:2]'])(
    'takes the path %s, which may name several places, for none',
    (jsonPath) => {
      expect(read(begin, pieces({ jsonPath, stringValue: 'x' })).events.slice(1)).toEqual([refused(0, 'bad_delta')]);
    },
  );

  it('takes words of any script, and hyphens, for keys', () => {
    const { events } = read(begin, pieces({ jsonPath: '$.größe-2', numberValue: 1 }));
    expect(events[1]).toEqual(fragment(0, '{"größe-2":1'));
  });

  it('fails on an error that is nested more deeply than a serializer can follow', () => {
    const depth = 50_000;
    const { events } = read(`{"error":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`);
    expect(events).toMatchObject([{ type: 'failure', kind: 'stream_error' }]);
  });

  it.each([
    ['the same id under another name', [begin, call({ id: 'c1', name: 'u' })], refused(0, 'bad_delta')],
    ['a part without a name and no call', [call({})], refused(null, 'orphan_delta')],
    ['a part after the last one', [call({ name: 't' }), call({})], refused(null, 'orphan_delta')],
    ['a call that another interrupts', [begin, call({ name: 'u', willContinue: true })], refused(0, 'bad_delta')],
    ['another id', [begin, call({ id: 'c2', willContinue: true })], refused(0, 'bad_delta')],
    ['arguments that are no object', [call({ name: 't', args: [] })], refused(0, 'bad_delta')],
    [
      'arguments whole and in pieces',
      [call({ name: 't', args: {}, partialArgs: [{}] })],
      refused(0, 'args_not_object'),
    ],
    [
      'a string that stays open',
      [begin, call({ partialArgs: [{ jsonPath: '$.a', stringValue: '', willContinue: true }] })],
      refused(0, 'bad_delta'),
    ],
    ['a value of no type', [begin, pieces({ jsonPath: '$.a', listValue: [] })], refused(0, 'bad_delta')],
    ['a complete end inside', [begin, stop()], refused(0, 'bad_delta')],
  ])('refuses %s', (_, payloads, refusal) => {
    expect(read(...payloads).events.filter(({ type }) => type === 'refused-delta')).toEqual([refusal]);
  });

  it.each<[string, (object | string)[], 'complete' | 'cut']>([
    ['STOP', [stop()], 'complete'],
    ['STOP and [DONE]', [stop(), '[DONE]'], 'complete'],
    ['[DONE] alone', ['[DONE]'], 'cut'],
    ['nothing', [chunk({ text: 'a' })], 'cut'],
    ['MALFORMED_FUNCTION_CALL', [stop('MALFORMED_FUNCTION_CALL')], 'cut'],
    ['MAX_TOKENS after STOP', [stop(), stop('MAX_TOKENS')], 'cut'],
    ['a blocked prompt', [{ promptFeedback: { blockReason: 'SAFETY' } }, stop()], 'cut'],
    ['an error after STOP', [stop(), { error: { code: 499, message: 'x' } }], 'cut'],
  ])('ends by %s', (_, payloads, end) => {
    expect(read(...payloads).end).toBe(end);
  });

  it.each([
    ['candidates', { candidates: {} }],
    ['a candidate', { candidates: [5] }],
    ['the index of a candidate', { candidates: [{ index: '0' }] }],
    ['parts', { candidates: [{ content: { parts: {} } }] }],
    ['a part', chunk('a' as never)],
    ['functionCall', chunk({ functionCall: 'f' })],
    ['finishReason', stop(5)],
    ['text', chunk({ text: 5 })],
  ])('fails on %s of the wrong type', (what, payload) => {
    expect(read(payload).events).toEqual([failure('bad_delta', `${what} has the wrong type`)]);
  });
});

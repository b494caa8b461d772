import { describe, expect, it } from 'vitest';
import {
  chunk,
  events,
  failure,
  fragment,
  opening,
  type PlainEvent,
  plain,
  read,
  refused,
  toolChunk,
  toolDelta,
} from '../testing/chat-streams.ts';
import { readStream } from './reader.ts';

const STOP = { type: 'finish', reason: 'stop', meaning: 'complete' };
const DONE = { type: 'done' };
const text = (bytes: string): PlainEvent => ({ type: 'text', bytes });
const reasoning = (bytes: string): PlainEvent => ({ type: 'reasoning', bytes });

describe('the normal form of OpenAI chat chunks', () => {
  it.each<[string, object | string]>([
    ['empty choices', { choices: [] }],
    ['no choices', { id: 'x1', usage: { total_tokens: 2 } }],
    ['choices that are null', { choices: null, error: null }],
    ['a choice that is null', { choices: [null] }],
    ['no delta', { choices: [{ index: 0, finish_reason: null }] }],
    ['a delta that is null', { choices: [{ index: 0, delta: null }] }],
    [
      'fields that are null',
      chunk({ content: null, refusal: null, reasoning: null, tool_calls: null, function_call: null }),
    ],
    ['fields that are empty', chunk({ role: 'assistant', content: '', reasoning_content: '', tool_calls: [] }, '')],
    ['a tool call that is null', chunk({ tool_calls: [null] })],
    ['fields that nobody reads', chunk({ annotations: [1], audio: {} })],
  ])('has nothing for %s', (_, payload) => {
    expect(events(payload)).toEqual([]);
  });

  it('orders the parts of a delta', () => {
    const delta = {
      tool_calls: [toolDelta({ index: 0, id: 'c1', name: 'f', args: '1' })],
      refusal: 'R',
      content: 'C',
      reasoning: 'r2',
      reasoning_content: 'r1',
    };
    const expected = [reasoning('r1'), reasoning('r2'), text('C'), text('R'), opening(0, 'c1', 'f', '1'), STOP];
    expect(events(chunk(delta, 'stop'))).toEqual(expected);
  });

  it('takes a call that is said in both members of a delta once', () => {
    const twice = (args: string, more: object = {}) => {
      const called = { name: 'f', arguments: args };
      return chunk({ tool_calls: [{ index: 0, id: 'c1', function: called, ...more }], function_call: called });
    };
    expect(events(twice('{'), twice('}'), chunk({}, 'tool_calls'))).toEqual([
      opening(0, 'c1', 'f', '{'),
      fragment(0, '}'),
      { type: 'finish', reason: 'tool_calls', meaning: 'complete' },
    ]);
  });

  it('refuses a legacy call that is another than the one beside it', () => {
    const delta = {
      tool_calls: [toolDelta({ index: 0, id: 'c1', name: 'f', args: '1' })],
      function_call: { arguments: '2' },
    };
    const detail = 'function_call says something else than tool_calls beside it';
    expect(events(chunk(delta))).toEqual([opening(0, 'c1', 'f', '1'), { type: 'failure', kind: 'bad_delta', detail }]);
  });

  it('reads choice 0 only, and counts the others', () => {
    const choices = [
      { index: 1, delta: { content: 'b' }, finish_reason: 'length' },
      { index: 0, delta: { content: 'a' } },
      { index: 0, delta: { content: 'c' } },
    ];
    const { events: seen, notes } = read({ choices }, { choices: [{ delta: { content: 'd' } }] });
    expect(seen).toEqual([text('a'), text('c'), text('d')]);
    expect(notes.otherChoices).toBe(1);
  });

  it('reads content in parts: text and thinking', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'thinking', thinking: 'm' },
      { type: 'text', text: 'a' },
    ];
    expect(events(chunk({ content }))).toEqual([
      { type: 'reasoning', bytes: 'hm' },
      { type: 'reasoning', bytes: 'm' },
      text('a'),
    ]);
  });

  it('compares a legacy call with its twin however deep it is', () => {
    const deep = `{"function":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`;
    const seen = events(`{"choices":[{"delta":{"tool_calls":[${deep}],"function_call":${deep.slice(12, -1)}}}]}`);
    expect(seen.at(-1)).toEqual(failure('bad_delta'));
  });

  it('reads a legacy function_call as one call at index 0', () => {
    const seen = events(
      chunk({ function_call: { name: 'f', arguments: '' } }),
      chunk({ function_call: { arguments: '{' } }),
      chunk({ function_call: { name: 'f', arguments: '}' } }, 'function_call'),
    );
    const finish = { type: 'finish', reason: 'function_call', meaning: 'complete' };
    expect(seen).toEqual([opening(0, undefined, 'f'), fragment(0, '{'), fragment(0, '}'), finish]);
  });

  it.each(['stop', 'tool_calls', 'function_call', 'tool_use', 'end_turn', 'stop_sequence', 'eos'])(
    'takes the finish reason %s for complete',
    (reason) => {
      expect(read(chunk({}, reason))).toMatchObject({
        events: [{ type: 'finish', reason, meaning: 'complete' }],
        end: 'complete',
      });
    },
  );

  it.each(['length', 'content_filter', 'max_tokens', 'error', 'STOP', 'whatever'])(
    'takes the finish reason %s for a cut',
    (reason) => {
      expect(read(chunk({}, reason))).toMatchObject({
        events: [{ type: 'finish', reason, meaning: 'cut' }],
        end: 'cut',
      });
    },
  );
});

describe('failures of OpenAI chat streams', () => {
  it.each<[string, object | string, string]>([
    ['a payload that is no JSON', '{"choices":[{"index":0,"del', 'sse_bad_json'],
    ['an empty payload', '', 'sse_bad_json'],
    ['[DONE] with something around it', ' [DONE] ', 'sse_bad_json'],
    ['a payload that is no object', '[]', 'bad_delta'],
    ['a payload that is null', 'null', 'bad_delta'],
    ['choices of the wrong type', { choices: {} }, 'bad_delta'],
    ['a choice of the wrong type', { choices: ['a'] }, 'bad_delta'],
    ['the index of a choice', { choices: [{ index: '0', delta: {} }] }, 'bad_delta'],
    ['a delta of the wrong type', { choices: [{ index: 0, delta: 'a' }] }, 'bad_delta'],
    ['content of the wrong type', chunk({ content: 5 }), 'bad_delta'],
    ['a part of content of an unknown type', chunk({ content: [{ type: 'image', text: 'a' }] }), 'bad_delta'],
    [
      'choices that cannot be told apart',
      { choices: [{ delta: { content: 'a' } }, { index: 0, delta: {} }] },
      'bad_delta',
    ],
    [
      'a choice with an error',
      { choices: [{ index: 0, error: { message: 'x' }, finish_reason: 'stop' }] },
      'stream_error',
    ],
    ['refusal of the wrong type', chunk({ refusal: true }), 'bad_delta'],
    ['reasoning of the wrong type', chunk({ reasoning: {} }), 'bad_delta'],
    ['tool_calls of the wrong type', chunk({ tool_calls: {} }), 'bad_delta'],
    ['a tool call of the wrong type', chunk({ tool_calls: ['a'] }), 'bad_delta'],
    ['the index of a tool call', toolChunk(toolDelta({ index: '0', id: 'c1', name: 'f' })), 'bad_delta'],
    [
      'the index of a tool call between integers',
      toolChunk(toolDelta({ index: 0.5, id: 'c1', name: 'f' })),
      'bad_delta',
    ],
    ['a finish reason of the wrong type', { choices: [{ index: 0, delta: {}, finish_reason: 1 }] }, 'bad_delta'],
    ['a low surrogate alone', chunk({ content: '\ude00' }), 'bad_delta'],
    ['an error object', { error: { message: 'overloaded' } }, 'stream_error'],
    ['an error beside choices', { ...chunk({ content: 'a' }, 'stop'), error: {} }, 'stream_error'],
  ])('%s fails the stream, and nothing after it is read', (_, payload, kind) => {
    const { events: seen, end } = read(
      chunk({ content: 'before' }),
      payload,
      chunk({ content: 'after' }, 'stop'),
      '[DONE]',
    );
    expect(seen).toEqual([text('before'), failure(kind)]);
    expect(end).toBe('cut');
  });

  it.each<[string, object, string]>([
    ['its message', { error: { message: 'overloaded', code: 502 } }, 'overloaded'],
    ['itself, if it is text', { error: 'overloaded' }, 'overloaded'],
    ['itself as JSON', { error: { code: 502 } }, '{"code":502}'],
    ['the beginning of a long one', { error: 'x'.repeat(300) }, `${'x'.repeat(200)}…`],
  ])('an error is reported with %s', (_, payload, detail) => {
    expect(events(payload)).toEqual([failure('stream_error', `the provider reported an error: ${detail}`)]);
  });

  it.each(['{"error":{"message":"gone"}}', '{"message":"gone"}', 'gone'])(
    'an error event with %s fails the stream',
    (payload) => {
      const bytes = Buffer.from(`event: error\ndata: ${payload}\n\ndata: [DONE]\n\n`);
      const { events: seen, end } = readStream(bytes, 'openai-chat');
      expect(seen.map(plain)).toEqual([failure('stream_error', 'the provider reported an error: gone')]);
      expect(end).toBe('cut');
    },
  );

  it('a payload that is no UTF-8 fails the stream', () => {
    const bytes = Buffer.concat([Buffer.from('data: {"a":"'), Uint8Array.of(0xff), Buffer.from('"}\n\n')]);
    expect(readStream(bytes, 'openai-chat').events).toEqual([
      { type: 'failure', at: bytes.length - 1, kind: 'sse_bad_json', detail: 'a data payload is no UTF-8' },
    ]);
  });
});

describe('surrogates cut in two', () => {
  const half = (channel: string) =>
    channel === 'arguments' ? toolChunk(toolDelta({ index: 0, args: 'x\ud83d' })) : chunk({ [channel]: 'x\ud83d' });
  const open = toolChunk(toolDelta({ index: 0, id: 'c1', name: 'f' }));

  it('are joined within one text, whatever comes between', () => {
    const seen = events(
      chunk({ content: 'a\ud83d', reasoning: 'b\ud83d' }),
      toolChunk(
        toolDelta({ index: 0, id: 'c1', name: 'f', args: '\ud83d' }),
        toolDelta({ index: 1, id: 'c2', name: 'g', args: '\ud83d' }),
      ),
      toolChunk(toolDelta({ index: 1, args: '\ude01' }), toolDelta({ index: 0, args: '\ude00' })),
      chunk({ reasoning_content: '\ude02', refusal: '\ude03' }),
    );
    const opened = [opening(0, 'c1', 'f'), opening(1, 'c2', 'g')].map((event) => ({ ...event, half: true }));
    expect(seen).toEqual([
      reasoning('b'),
      text('a'),
      ...opened,
      fragment(1, '😁'),
      fragment(0, '😀'),
      reasoning('😂'),
      text('😃'),
    ]);
  });

  it.each([
    ['[DONE]', ['[DONE]'], [failure('bad_delta')]],
    ['the close of the transport', [chunk({}, 'stop')], [STOP, failure('bad_delta')]],
  ])('in text fail the stream at a complete end by %s', (_, ending, expected) => {
    expect(read(half('content'), ...ending)).toMatchObject({ events: [text('x'), ...expected], end: 'cut' });
  });

  it.each([
    ['[DONE]', ['[DONE]'], [refused(0, 'bad_delta'), DONE]],
    ['the close of the transport', [chunk({}, 'stop')], [STOP, refused(0, 'bad_delta')]],
  ])('in arguments refuse the call at a complete end by %s', (_, ending, expected) => {
    const { events: seen, end } = read(open, half('arguments'), ...ending);
    expect(seen.slice(2)).toEqual(expected);
    expect(end).toBe('complete');
  });

  it('are nothing at a cut', () => {
    for (const channel of ['content', 'arguments']) {
      const cut = { type: 'finish', reason: 'length', meaning: 'cut' };
      expect(events(open, half(channel), chunk({}, 'length'), '[DONE]').slice(2)).toEqual([cut, DONE]);
      expect(events(open, half(channel))).toHaveLength(2);
    }
  });

  it('refuse the delta that brings no partner: its call is bad, the stream goes on', () => {
    const seen = events(open, half('arguments'), toolChunk(toolDelta({ index: 0, args: 'y' })), chunk({}, 'stop'));
    expect(seen.slice(2)).toEqual([refused(0, 'bad_delta'), STOP]);
  });

  it('in reasoning are left out and noted', () => {
    const {
      events: seen,
      notes,
      end,
    } = read(half('reasoning'), chunk({ reasoning: 'y' }), chunk({ reasoning: 'z' }, 'stop'));
    expect(seen).toEqual([reasoning('x'), reasoning('z'), STOP]);
    expect([notes.brokenReasoning, end]).toEqual([1, 'complete']);
  });
});

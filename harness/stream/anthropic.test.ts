import { describe, expect, it } from 'vitest';
import { failure, fragment, refused } from '../testing/chat-streams.ts';
import { announced, closed, DONE, finished, readWire, said } from '../testing/wire-streams.ts';

const read = (...payloads: readonly (object | string)[]) => readWire('anthropic', ...payloads);
const start = { type: 'message_start', message: { content: [], stop_reason: null } };
const open = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const tool = (index: number, id: string, name: string, input: object = {}) =>
  open(index, { type: 'tool_use', id, name, input });
const delta = (index: number, value: object) => ({ type: 'content_block_delta', index, delta: value });
const json = (index: number, partial_json: string) => delta(index, { type: 'input_json_delta', partial_json });
const stop = (index: number) => ({ type: 'content_block_stop', index });
const finish = (stop_reason: string | null) => ({ type: 'message_delta', delta: { stop_reason } });
const END = { type: 'message_stop' };

describe('a reader of Anthropic Messages', () => {
  it('opens, fills and closes a call with its block', () => {
    const { events, end, notes } = read(
      start,
      tool(3, 'c1', 't'),
      json(3, '{"k":'),
      json(3, '1}'),
      stop(3),
      finish('tool_use'),
      END,
    );
    expect(events).toEqual([
      announced(0, 'c1', 't'),
      fragment(0, '{"k":'),
      fragment(0, '1}'),
      closed(0),
      finished('tool_use', 'complete'),
      DONE,
    ]);
    expect([end, notes]).toEqual(['complete', {}]);
  });

  it('gives text and thinking as they come, and no signature', () => {
    const { events } = read(
      start,
      open(0, { type: 'thinking', thinking: 'a' }),
      delta(0, { type: 'thinking_delta', thinking: 'b' }),
      delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      stop(0),
      open(1, { type: 'text', text: 'c' }),
      delta(1, { type: 'text_delta', text: 'd' }),
      stop(1),
    );
    expect(events).toEqual([said('reasoning', 'a'), said('reasoning', 'b'), said('text', 'c'), said('text', 'd')]);
  });

  it('takes arguments in the opening of the block as their source, no number rounded', () => {
    const opening = JSON.stringify(tool(0, 'c1', 't', { k: 'X' })).replace('"X"', '12345678901234567890.10');
    expect(read(start, opening, stop(0)).events.slice(1)).toEqual([
      fragment(0, '{"k":12345678901234567890.10}'),
      closed(0),
    ]);
  });

  it('counts the tools that the provider runs, and reads neither their arguments nor their results', () => {
    const { events, notes } = read(
      start,
      open(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      json(0, '{"query":"x"}'),
      stop(0),
      open(1, { type: 'web_search_tool_result', tool_use_id: 's', content: [] }),
      stop(1),
      open(2, { type: 'mcp_tool_use', id: 'm', name: 'y', input: { a: 1 } }),
      stop(2),
    );
    expect([events, notes]).toEqual([[], { providerCalls: 2 }]);
  });

  it('counts events, blocks and deltas of types that it does not know', () => {
    const { events, notes } = read(
      { type: 'note' },
      open(0, { type: 'hologram' }),
      delta(0, { type: 'ray_delta' }),
      stop(0),
    );
    expect([events, notes]).toEqual([[], { unknownEvents: 3 }]);
  });

  it('refuses a call inside of which a delta of another type comes: it may have been a piece of its arguments', () => {
    for (const value of [{ type: 'note_delta' }, { partial_json: '1' }, { type: 'thinking_delta', thinking: 'x' }]) {
      const { events } = read(start, tool(0, 'c1', 't'), delta(0, value), json(0, '{}'), stop(0));
      expect(events.filter(({ type }) => type !== 'reasoning').at(1)).toEqual(refused(0, 'bad_delta'));
      expect(events.filter(({ type }) => type === 'tool-close')).toEqual([]);
    }
  });

  it('gives bytes for a closed call to nobody', () => {
    const { events } = read(start, tool(0, 'c1', 't'), json(0, '{}'), stop(0), json(0, ''), json(0, ' '));
    expect(events.slice(2)).toEqual([closed(0), refused(null, 'bad_delta')]);
  });

  it('holds half a character per block, and refuses a call that is closed on one', () => {
    const { events } = read(
      start,
      tool(0, 'a', 't'),
      tool(1, 'b', 't'),
      json(0, '"\ud83d'),
      json(1, '"\ud83d'),
      json(0, '\ude00"'),
      stop(0),
      stop(1),
    );
    expect(events.slice(2)).toEqual([
      { ...fragment(0, '"'), half: true },
      { ...fragment(1, '"'), half: true },
      fragment(0, '😀"'),
      closed(0),
      refused(1, 'bad_delta'),
    ]);
  });

  it('reads a message that begins with whole blocks and its reason', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'c1', name: 't', input: { k: 1 } },
    ];
    const { events, end } = read({ type: 'message_start', message: { content, stop_reason: 'tool_use' } }, END);
    expect(events).toEqual([
      said('text', 'a'),
      announced(0, 'c1', 't'),
      fragment(0, '{"k":1}'),
      closed(0),
      finished('tool_use', 'complete'),
      DONE,
    ]);
    expect(end).toBe('complete');
  });

  it('runs nothing of a message that begins with whole blocks and was cut', () => {
    const content = [{ type: 'tool_use', id: 'c1', name: 't', input: { a: 1 } }];
    const { events, end } = read({ type: 'message_start', message: { content, stop_reason: 'max_tokens' } }, END);
    expect(events.slice(0, 2)).toEqual([finished('max_tokens', 'cut'), announced(0, 'c1', 't')]);
    expect(end).toBe('cut');
  });

  it('passes over a start that is sent twice', () => {
    const twice = { type: 'message_start', message: { id: 'a', content: [{ type: 'text', text: 'x' }] } };
    expect(read(twice, twice).events).toEqual([said('text', 'x')]);
  });

  it('reads nothing after message_stop, and counts it', () => {
    const { events, notes } = read(start, finish('end_turn'), END, start);
    expect(events).toEqual([finished('end_turn', 'complete'), DONE]);
    expect(notes).toEqual({ unreadBytes: JSON.stringify(start).length + 'data: \n\n'.length });
  });

  it.each([
    ['the start of a second message', [start, start]],
    [
      'the start of another message',
      [
        { type: 'message_start', message: { id: 'a' } },
        { type: 'message_start', message: { id: 'b' } },
      ],
    ],
    ['a second block at an index', [start, tool(0, 'a', 't'), tool(0, 'b', 't')]],
    ['text for no block', [start, delta(0, { type: 'text_delta', text: 'a' })]],
    [
      'text for a closed block',
      [start, open(0, { type: 'text', text: '' }), stop(0), delta(0, { type: 'text_delta', text: 'a' })],
    ],
    ['an end of no block', [start, stop(0)]],
    ['text that is no string', [start, open(0, { type: 'text', text: 5 })]],
    ['a reason that is no string', [start, finish(5 as never)]],
    ['half a character at the end of a block', [start, open(0, { type: 'text', text: '\ud83d' }), stop(0)]],
  ])('fails on %s', (_, payloads) => {
    const { events, end } = read(...payloads, finish('end_turn'), END);
    expect([events.at(-1), end]).toEqual([failure('bad_delta'), 'cut']);
  });

  it.each<[string, object[], 'complete' | 'cut']>([
    ['a complete reason and message_stop', [finish('stop_sequence'), END], 'complete'],
    ['a complete reason alone', [finish('tool_use')], 'cut'],
    ['message_stop alone', [END], 'cut'],
    ['a pause', [finish('pause_turn'), END], 'cut'],
    ['a cut, then a complete reason', [finish('max_tokens'), finish('end_turn'), END], 'cut'],
    ['no reason yet, then one', [finish(null), finish('end_turn'), END], 'complete'],
  ])('ends by %s', (_, payloads, end) => {
    expect(read(start, ...payloads).end).toBe(end);
  });
});

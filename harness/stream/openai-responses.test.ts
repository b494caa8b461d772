import { describe, expect, it } from 'vitest';
import { failure, fragment, refused } from '../testing/chat-streams.ts';
import { announced, closed, DONE, finished, readWire, said } from '../testing/wire-streams.ts';

const read = (...payloads: readonly (object | string)[]) => readWire('openai-responses', ...payloads);
const item = (args: unknown, more: object = {}) => ({
  type: 'function_call',
  call_id: 'c1',
  name: 't',
  arguments: args,
  ...more,
});
const added = (output_index: number, value: object) => ({
  type: 'response.output_item.added',
  output_index,
  item: value,
});
const done = (output_index: number, value: object) => ({
  type: 'response.output_item.done',
  output_index,
  item: value,
});
const delta = (output_index: number, text: unknown) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta: text,
});
const whole = (output_index: number, text: string) => ({
  type: 'response.function_call_arguments.done',
  output_index,
  arguments: text,
});
const completed = (...output: object[]) => ({ type: 'response.completed', response: { output } });
const text = (kind: string, fields: object) => ({
  type: `response.${kind}`,
  output_index: 0,
  content_index: 0,
  ...fields,
});

describe('a reader of OpenAI Responses', () => {
  it('closes a call with its item, and not with its arguments', () => {
    const { events } = read(
      added(0, item('')),
      delta(0, '{}'),
      whole(0, '{}'),
      done(0, item('{}', { status: 'completed' })),
    );
    expect(events).toEqual([announced(0, 'c1', 't'), fragment(0, '{}'), closed(0)]);
    expect(read(added(0, item('')), delta(0, '{}'), whole(0, '{}')).events).toEqual(events.slice(0, 2));
  });

  it('closes nothing with an item that is incomplete, and waits for the end where the status is missing', () => {
    const open = [added(0, item('')), delta(0, '{}')];
    expect(read(...open, done(0, item('{}', { status: 'incomplete' })), completed()).events.slice(2)).toEqual([
      refused(0, 'bad_delta'),
      finished('completed', 'complete'),
      DONE,
    ]);
    expect(read(...open, done(0, item('{}')), completed()).events.slice(2)).toEqual([
      closed(0),
      finished('completed', 'complete'),
      DONE,
    ]);
  });

  it('takes the end from the status of the response, whatever the event is called', () => {
    const ended = (status: string) =>
      read(added(0, item('')), { type: 'response.completed', response: { status, output: [] } });
    expect(ended('incomplete').events.slice(1)).toEqual([finished('incomplete', 'cut'), DONE]);
    expect(ended('failed').events.slice(1)).toMatchObject([{ type: 'failure', kind: 'stream_error' }]);
  });

  it('takes no item for a call because its type is the name of a member of every object', () => {
    expect(read(added(0, { ...item(''), type: 'constructor' })).events).toEqual([]);
  });

  it.each([
    ['another text at the end of the arguments', [delta(0, '{"a":1}'), whole(0, '{"a":2}')]],
    ['another text at the end of the item', [delta(0, '{"a":1}'), done(0, item('{"a":12}'))]],
    ['a delta after the whole text', [whole(0, '{}'), delta(0, ' ')]],
    ['another name', [done(0, item('', { name: 'u' }))]],
    ['arguments that are no text', [done(0, item({ a: 1 }))]],
    ['a delta that is no text', [delta(0, { a: 1 })]],
  ])('refuses a call for %s', (_, payloads) => {
    expect(read(added(0, item('')), ...payloads).events.at(-1)).toEqual(refused(0, 'bad_delta'));
  });

  it('takes the whole text where no delta came: of the arguments, the item, the response', () => {
    const call = item('{"a":1}', { status: 'completed' });
    const events = [announced(0, 'c1', 't'), fragment(0, '{"a":1}'), closed(0)];
    expect(read(added(0, item('')), whole(0, '{"a":1}'), done(0, call)).events).toEqual(events);
    expect(read(done(0, call)).events).toEqual(events);
    expect(read(completed(call)).events.slice(0, 3)).toEqual(events);
  });

  it('tells calls apart by index, whatever the ids of the items', () => {
    const second = item('', { call_id: 'c2', name: 'u' });
    const { events } = read(
      added(0, item('')),
      added(1, second),
      { ...delta(1, 'b'), item_id: 'x' },
      { ...delta(0, 'a'), item_id: 'x' },
    );
    expect(events).toEqual([announced(0, 'c1', 't'), announced(1, 'c2', 'u'), fragment(1, 'b'), fragment(0, 'a')]);
  });

  it('gives a late delta or another whole text of a closed call to nobody', () => {
    const call = item('{}', { status: 'completed' });
    const late = read(done(0, call), delta(0, ' '), whole(0, '{"a":1}'), whole(0, '{}'), completed(call));
    expect(late.events.slice(3, 5)).toEqual([refused(null, 'bad_delta'), refused(null, 'bad_delta')]);
    expect(late.events.slice(5)).toEqual([finished('completed', 'complete'), DONE]);
  });

  it('opens a custom tool as free text', () => {
    const custom = { type: 'custom_tool_call', call_id: 'c1', name: 't', input: 'a\n"b', status: 'completed' };
    expect(read(done(0, custom)).events).toEqual([
      { ...announced(0, 'c1', 't'), input: 'text' },
      fragment(0, 'a\n"b'),
      closed(0),
    ]);
  });

  it('reads text, refusals and reasoning, each once', () => {
    const { events } = read(
      text('output_text.delta', { delta: 'a' }),
      text('output_text.done', { text: 'a' }),
      text('refusal.delta', { content_index: 1, delta: 'b' }),
      text('refusal.done', { content_index: 1, refusal: 'b' }),
      text('reasoning_summary_text.delta', { delta: 'c' }),
      text('reasoning_summary_text.done', { text: 'c' }),
      done(0, {
        type: 'message',
        content: [
          { type: 'output_text', text: 'a' },
          { type: 'refusal', refusal: 'b' },
        ],
      }),
      completed({
        type: 'message',
        content: [
          { type: 'output_text', text: 'a' },
          { type: 'refusal', refusal: 'b' },
        ],
      }),
    );
    expect(events.slice(0, -2)).toEqual([said('text', 'a'), said('text', 'b'), said('reasoning', 'c')]);
    expect(events.at(-1)).toEqual(DONE);
  });

  it('takes a text that only its end gives, and fails where the end says another', () => {
    expect(read(text('output_text.done', { text: 'a' })).events).toEqual([said('text', 'a')]);
    expect(read(completed({ type: 'message', content: [{ type: 'output_text', text: 'a' }] })).events[0]).toEqual(
      said('text', 'a'),
    );
    const other = read(text('output_text.delta', { delta: 'ab' }), text('output_text.done', { text: 'ac' }));
    expect(other.events.at(-1)).toEqual(failure('bad_delta'));
  });

  it('counts the calls that are not for a client’s tools, once each', () => {
    const items = [
      { type: 'web_search_call' },
      { type: 'mcp_call', arguments: '{}' },
      { type: 'tool_search_call', execution: 'server' },
      { type: 'shell_call', environment: { type: 'container_reference' } },
      { type: 'tool_search_call', execution: 'client' },
      { type: 'shell_call' },
      { type: 'computer_call' },
      { type: 'hologram_call' },
      { type: 'reasoning' },
    ];
    const { events, notes } = read(
      ...items.flatMap((value, index) => [added(index, value), done(index, value)]),
      { type: 'response.web_search_call.completed', output_index: 0 },
      completed(...items),
    );
    expect(events).toEqual([finished('completed', 'complete'), DONE]);
    expect(notes).toEqual({ providerCalls: 4, unreadCalls: 3, unknownEvents: 1 });
  });

  it.each<[string, (object | string)[], 'complete' | 'cut', string | null]>([
    ['response.completed', [completed()], 'complete', null],
    ['nothing', [delta(0, '')], 'cut', null],
    ['[DONE] alone', ['[DONE]'], 'cut', null],
    ['response.incomplete', [{ type: 'response.incomplete', response: {} }, completed()], 'cut', null],
    ['response.failed', [{ type: 'response.failed', response: { error: { message: 'x' } } }], 'cut', 'stream_error'],
    ['an error', [{ type: 'error', message: 'x' }], 'cut', 'stream_error'],
    ['a second response', [{ type: 'response.created' }, { type: 'response.created' }], 'cut', 'bad_delta'],
    ['a second item at an index', [added(0, item('')), added(0, item(''))], 'cut', 'bad_delta'],
    ['an item without a place', [{ type: 'response.output_item.added', item: item('') }], 'cut', 'bad_delta'],
  ])('ends by %s', (_, payloads, end, kind) => {
    const reading = read(...payloads);
    expect([reading.end, reading.events.find(({ type }) => type === 'failure')?.['kind'] ?? null]).toEqual([end, kind]);
  });
});

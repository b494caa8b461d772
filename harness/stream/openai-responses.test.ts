import { describe, expect, it } from 'vitest';
import { failure, fragment, refused } from '../testing/chat-streams.ts';
import { announced, closed, DONE, finished, readWire, said } from '../testing/wire-streams.ts';
import { readStream } from './reader.ts';

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

  describe('at response.completed', () => {
    const other = item('{"a":1}', { call_id: 'c9', status: 'completed' });
    const run = (call: number, id: string) => [announced(call, id, 't'), fragment(call, '{"a":1}'), closed(call)];

    it('takes a call under another id for the one that came, so that it runs once', () => {
      const { events, notes } = read(done(0, item('{"a":1}', { status: 'completed' })), completed(other));
      expect(events).toEqual([...run(0, 'c1'), finished('completed', 'complete'), DONE]);
      expect(notes).toEqual({ laterIds: 1 });
    });

    it('goes by order where the whole response leaves out an item before the calls', () => {
      const [first, second] = ['c1', 'c2'].map((call_id) => item('{"a":1}', { call_id, status: 'completed' }));
      const { events } = read(
        added(0, { type: 'reasoning' }),
        done(1, first as object),
        done(2, second as object),
        completed(other, item('{"a":1}', { call_id: 'c8' })),
      );
      expect(events).toEqual([...run(0, 'c1'), ...run(1, 'c2'), finished('completed', 'complete'), DONE]);
    });

    it('runs no call of which neither id nor order tells whether it ran', () => {
      const { events } = read(
        done(0, item('{"a":1}', { status: 'completed' })),
        completed(other, { ...other, call_id: 'c8' }),
      );
      expect(events.slice(3, -2)).toEqual([refused(null, 'bad_delta'), refused(null, 'bad_delta')]);
    });

    it('opens a call that came by no event, even where another item stood at its place', () => {
      const { events } = read(added(0, { type: 'reasoning' }), completed(other));
      expect(events).toEqual([...run(0, 'c9'), finished('completed', 'complete'), DONE]);
    });

    it.each(['in_progress', 'failed', 'incomplete', 'hologram'])('closes no call with the status %s', (status) => {
      const call = item('{"a":1}', { status });
      expect(read(completed(call)).events.slice(2)).toEqual([
        refused(0, 'bad_delta'),
        finished('completed', 'complete'),
        DONE,
      ]);
    });

    it('closes no call that its item called unfinished, whatever is said afterwards', () => {
      const unfinished = done(0, item('{"a":1}', { status: 'incomplete' }));
      for (const status of ['completed', undefined, 'in_progress']) {
        const { events } = read(unfinished, completed(item('{"a":1}', { status })));
        expect(events.filter(({ type }) => type === 'tool-close')).toEqual([]);
      }
    });

    it('tells of a closed call that has another name there', () => {
      const { events } = read(
        done(0, item('{"a":1}', { status: 'completed' })),
        completed(item('{"a":1}', { name: 'u' })),
      );
      expect(events[3]).toEqual(refused(null, 'bad_delta'));
    });

    it('tells of a completed call that is called unfinished afterwards', () => {
      const { events } = read(
        done(0, item('{"a":1}', { status: 'completed' })),
        completed(item('{"a":1}', { status: 'incomplete' })),
      );
      expect(events[3]).toEqual(refused(null, 'bad_delta'));
    });
  });

  it('closes no call with an item that is done as something else', () => {
    for (const type of ['reasoning', 'message', 'custom_tool_call']) {
      const { events } = read(
        added(0, item('')),
        delta(0, '{}'),
        done(0, { ...item('{}'), type, status: 'completed' }),
      );
      expect(events.slice(2)).toEqual([refused(0, 'bad_delta')]);
    }
    const late = read(added(0, { type: 'reasoning' }), done(0, item('{}', { status: 'completed' })));
    expect(late.events).toEqual([refused(null, 'bad_delta')]);
  });

  it('refuses the arguments of a call whose events are of the other kind', () => {
    const input = { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: '{}' };
    expect(read(added(0, item('')), input).events.slice(1)).toEqual([refused(0, 'bad_delta')]);
  });

  describe('when a call comes again', () => {
    const call = (more: object = {}) => item('{"a":1}', { status: 'completed', ...more });
    const ran = [announced(0, 'c1', 't'), fragment(0, '{"a":1}'), closed(0)];

    it('takes an item that is done at another index for the one with its call_id', () => {
      const { events } = read(added(0, item('')), delta(0, '{"a":1}'), done(1, call()), completed(call()));
      expect(events).toEqual([...ran, finished('completed', 'complete'), DONE]);
    });

    it('runs no second call under its id', () => {
      const twice = read(done(0, call()), added(1, call()), done(1, call()));
      expect(twice.events.filter(({ type }) => type === 'tool-close')).toEqual([closed(0)]);
      expect(twice.events.at(-1)).toEqual(refused(null, 'bad_delta'));
      const listed = read(completed(call(), call())).events;
      expect(listed.filter(({ type }) => type === 'tool-close')).toEqual([closed(0)]);
      expect(listed).toContainEqual(refused(1, 'bad_delta'));
    });

    it('gives no call the arguments of another one that is done at its index', () => {
      const { events } = read(added(0, item('')), added(1, item('', { call_id: 'c2' })), done(1, call()));
      expect(events.slice(2)).toEqual([refused(1, 'bad_delta'), refused(0, 'bad_delta')]);
    });

    it('gives calls without arguments none by their order', () => {
      const open = [added(0, item('')), added(1, item('', { call_id: 'c2' }))];
      const { events } = read(...open, completed(call({ call_id: 'c8' }), call({ call_id: 'c9' })));
      expect(events.filter(({ type }) => type === 'tool-close')).toEqual([]);
    });
  });

  it('refuses the calls that are open when arguments come for none', () => {
    const { events } = read(
      added(0, item('')),
      delta(0, '{"a":"b'),
      delta(7, '/c'),
      delta(0, '"}'),
      done(0, item('{"a":"b"}')),
    );
    expect(events.slice(2, 4)).toEqual([refused(0, 'bad_delta'), refused(null, 'orphan_delta')]);
    expect(events.filter(({ type }) => type === 'tool-close')).toEqual([]);
  });

  it('reads llama.cpp: items with a call_id alone, which their deltas have for an item_id', () => {
    const { output_index: _, ...bare } = { ...delta(0, '{}'), item_id: 'c1' };
    const begin = { type: 'response.output_item.added', item: item('') };
    const end = { type: 'response.output_item.done', item: item('{}', { status: 'completed' }) };
    expect(read(begin, bare, end).events).toEqual([announced(0, 'c1', 't'), fragment(0, '{}'), closed(0)]);
  });

  it('closes what no event called done, if its arguments are whole and the complete response lists nothing', () => {
    const open = [added(0, item('')), whole(0, '{}')];
    expect(read(...open, completed()).events[2]).toEqual(closed(0));
    expect(read(added(0, item('')), delta(0, '{}'), completed()).events[2]).toEqual(refused(0, 'bad_delta'));
  });

  it('takes the type of an event from its name where the payload has none', () => {
    const { type, ...payload } = done(0, item('{}', { status: 'completed' }));
    expect(type).toBe('response.output_item.done');
    const bytes = Buffer.from(`event: ${type}\ndata: ${JSON.stringify(payload)}\n\n`);
    expect(readStream(bytes, 'openai-responses').events.at(-1)).toMatchObject({ type: 'tool-close' });
  });

  it('takes messages in another order, or fewer of them', () => {
    const message = (text: string) => ({ type: 'message', content: [{ type: 'output_text', text }] });
    const deltas = [
      text('output_text.delta', { delta: 'a' }),
      text('output_text.delta', { output_index: 1, delta: 'b' }),
    ];
    for (const output of [[message('b'), message('a')], [message('b')]]) {
      expect(read(...deltas, completed(...output)).end).toBe('complete');
    }
    expect(read(...deltas, completed(message('c'))).end).toBe('cut');
  });

  it('finds the item of an event without an index by its id, unless two items have it', () => {
    const { output_index, ...alone } = { ...delta(0, '{}'), item_id: 'f' };
    expect(output_index).toBe(0);
    expect(read(added(0, item('', { id: 'f' })), alone).events.slice(1)).toEqual([fragment(0, '{}')]);
    const two = read(added(0, item('', { id: 'f' })), added(1, item('', { id: 'f', call_id: 'c2' })), alone);
    expect(two.events.at(-1)).toEqual(refused(null, 'orphan_delta'));
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
    [
      'an item without a place',
      [{ type: 'response.output_item.added', item: { type: 'message' } }],
      'cut',
      'bad_delta',
    ],
    ['an index that is no number', [{ ...delta(0, ''), output_index: '0' }], 'cut', 'bad_delta'],
    [
      'completed, and what was incomplete',
      [{ type: 'response.completed', response: { incomplete_details: { reason: 'max_output_tokens' } } }],
      'cut',
      null,
    ],
    [
      'completed, and an error',
      [{ type: 'response.completed', response: { error: { message: 'x' } } }],
      'cut',
      'stream_error',
    ],
    ['a type that is no text', [{ type: { toString: 1 } }, { ...added(0, { type: {}, id: {} }) }], 'cut', null],
  ])('ends by %s', (_, payloads, end, kind) => {
    const reading = read(...payloads);
    expect([reading.end, reading.events.find(({ type }) => type === 'failure')?.['kind'] ?? null]).toEqual([end, kind]);
  });
});

import { describe, expect, it } from 'vitest';
import { chunk, events, fragment, opening, read, refused, toolChunk, toolDelta } from '../testing/chat-streams.ts';
import { NO_NOTES } from './notes.ts';

const STOP = { type: 'finish', reason: 'stop', meaning: 'complete' };

describe('tool deltas of OpenAI chat streams', () => {
  it('set id and name once, in whatever delta they come', () => {
    const seen = events(
      toolChunk(toolDelta({ index: 0, args: '{' })),
      toolChunk(toolDelta({ index: 0, id: 'c1', args: '' })),
      toolChunk(toolDelta({ index: 0, id: 'c1', name: 'f' })),
      toolChunk(toolDelta({ index: 0, id: '', name: '', args: null })),
      toolChunk(toolDelta({ index: 0, id: 'c1', name: 'f', args: '}' })),
    );
    const [id, name] = [
      { ...fragment(0, ''), id: 'c1' },
      { ...fragment(0, ''), name: 'f' },
    ];
    expect(seen).toEqual([opening(0, undefined, undefined, '{'), id, name, fragment(0, '}')]);
  });

  it('give ordinals in order of opening, whatever the indices', () => {
    const seen = events(
      toolChunk(toolDelta({ index: 7, id: 'a', name: 'f' }), toolDelta({ index: -1, id: 'b', name: 'g' })),
      toolChunk(toolDelta({ index: 7, args: '1' }), toolDelta({ index: -1, args: '2' })),
      toolChunk(toolDelta({ index: 7, id: 'c', name: 'h', args: '3' }), toolDelta({ index: 7, args: '4' })),
    );
    const opened = [opening(0, 'a', 'f'), opening(1, 'b', 'g')];
    expect(seen).toEqual([...opened, fragment(0, '1'), fragment(1, '2'), opening(2, 'c', 'h', '3'), fragment(2, '4')]);
  });

  it('without an index and a new id go to the call opened last', () => {
    const seen = events(
      toolChunk(toolDelta({ id: 'a', name: 'f' }), toolDelta({ id: 'b', name: 'g' })),
      toolChunk(toolDelta({ id: 'a', args: '1' }), toolDelta({ args: '2' })),
    );
    expect(seen).toEqual([opening(0, 'a', 'f'), opening(1, 'b', 'g'), fragment(1, '1'), fragment(1, '2')]);
  });

  it('of nobody are refused', () => {
    expect(events(toolChunk(toolDelta({ args: '{}' })), chunk({}, 'stop'))).toEqual([
      refused(null, 'orphan_delta'),
      STOP,
    ]);
  });

  it('with a second name are refused with all they bring', () => {
    const seen = events(
      toolChunk(toolDelta({ index: 0, id: 'c1', name: 'f', args: '{' })),
      toolChunk(toolDelta({ index: 0, id: 'c1', name: 'g', args: 'x' })),
      toolChunk(toolDelta({ index: 0, args: '}' })),
    );
    expect(seen).toEqual([opening(0, 'c1', 'f', '{'), refused(0, 'bad_delta'), fragment(0, '}')]);
  });

  it.each<[string, object]>([
    ['id', { index: 0, id: 5, function: { name: 'f', arguments: '{}' } }],
    ['function', { index: 0, id: 'c1', function: 'f' }],
    ['function.name', { index: 0, id: 'c1', function: { name: 5, arguments: '{}' } }],
    ['function.arguments', { index: 0, id: 'c1', function: { name: 'f', arguments: 5 } }],
    ['function.arguments', { index: 0, id: 'c1', function: { name: 'f', arguments: [] } }],
  ])('with a %s of the wrong type refuse their call, and its siblings go on', (field, element) => {
    const seen = events(toolChunk(element, toolDelta({ index: 1, id: 'c2', name: 'g', args: '{}' })));
    expect(seen).toEqual([
      expect.objectContaining({ type: 'tool-delta', call: 0, bytes: '' }),
      { ...refused(0, 'bad_delta'), detail: `the field ${field} of a tool call has the wrong type` },
      opening(1, 'c2', 'g', '{}'),
    ]);
  });

  it('of nobody with a field of the wrong type are bad deltas of nobody', () => {
    expect(events(toolChunk({ id: 5 }))).toEqual([refused(null, 'bad_delta')]);
  });

  it('are noted when an id comes twice, or a second one comes', () => {
    const { notes } = read(
      toolChunk(toolDelta({ index: 0, id: 'dup', name: 'f' }), toolDelta({ index: 1, id: 'dup', name: 'f' })),
      toolChunk(toolDelta({ index: 0, id: 'other', args: '{' }), toolDelta({ index: 0, id: 'other', args: '}' })),
    );
    expect(notes).toEqual({ ...NO_NOTES, repeatedIds: 1, laterIds: 2, unreadBytes: 0 });
  });
});

describe('a custom tool in OpenAI chat', () => {
  const custom = (value: unknown, more: object = {}) => toolChunk({ index: 0, ...more, custom: value });

  it('opens as free text, and goes on whatever its function says', () => {
    expect(
      events(custom({ name: 'f', input: 'a' }, { id: 'c1' }), custom({ input: '"b' }, { function: null })),
    ).toEqual([{ ...opening(0, 'c1', 'f', 'a'), input: 'text' }, fragment(0, '"b')]);
  });

  it.each([
    ['an input that is no text', custom({ input: {} })],
    ['a custom member that is no object', custom('x')],
    ['arguments of a function', toolChunk(toolDelta({ index: 0, args: '{}' }))],
  ])('is refused for %s', (_, payload) => {
    expect(events(custom({ name: 'f' }, { id: 'c1' }), payload)[1]).toEqual(refused(0, 'bad_delta'));
  });
});

describe('arguments given as an object', () => {
  const object = (raw: string) =>
    `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments": ${raw} }}]}}]}`;
  const open = toolChunk(toolDelta({ index: 0, id: 'c1', name: 'f', args: '' }));
  const text1 = toolChunk(toolDelta({ index: 0, args: '{}' }));

  it.each(['{}', '{"id":9007199254740993}', '{ "b" : 1.0 , "a" : "\\u00e9é\\ud83d" }'])(
    'are their source text: %s',
    (raw) => {
      expect(events(open, object(raw))).toEqual([opening(0, 'c1', 'f'), fragment(0, raw)]);
    },
  );

  it('are found in a later choice, and in a function_call', () => {
    const raw = '{"n":1e999}';
    const element = `{"id":"c1","function":{"name":"f","arguments":${raw}}}`;
    expect(events(`{"choices":[{"index":1},{"index":0,"delta":{"tool_calls":[null,${element}]}}]}`)).toEqual([
      opening(0, 'c1', 'f', raw),
    ]);
    expect(events(`{"choices":[{"delta":{"function_call":{"name":"f","arguments":${raw}}}}]}`)).toEqual([
      opening(0, undefined, 'f', raw),
    ]);
  });

  it('are refused beside other fragments, before or after', () => {
    expect(events(open, object('{}'), text1)).toEqual([
      opening(0, 'c1', 'f'),
      fragment(0, '{}'),
      refused(0, 'args_not_object'),
    ]);
    expect(events(open, text1, object('{}'))).toEqual([
      opening(0, 'c1', 'f'),
      fragment(0, '{}'),
      refused(0, 'args_not_object'),
    ]);
    expect(events(open, object('{}'), object('{}'))).toEqual([
      opening(0, 'c1', 'f'),
      fragment(0, '{}'),
      refused(0, 'args_not_object'),
    ]);
  });

  it('are the sole fragment beside null and empty ones', () => {
    const nothing = [toolChunk(toolDelta({ index: 0, args: null })), toolChunk(toolDelta({ index: 0, args: '' }))];
    expect(events(open, ...nothing, object('{}'), ...nothing)).toEqual([opening(0, 'c1', 'f'), fragment(0, '{}')]);
  });
});

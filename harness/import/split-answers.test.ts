import { describe, expect, it } from 'vitest';
import { importBytes } from '../testing/import-memory.ts';

/** The answers of a log, each as the letters of its chunks; or the message. */
function split(chunks: readonly object[]): readonly string[] | string {
  const lines = chunks.map((chunk) => JSON.stringify(chunk));
  try {
    return [...importBytes(lines.join('\n'), 'x.jsonl').exchanges].map(({ body }) => {
      const text = 'bytes' in body ? Buffer.from(body.bytes).toString() : body.absent;
      return text.match(/(?<="(?:content|text|delta)":")[a-z]+/g)?.join('') ?? '';
    });
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\. Nothing of.*$/, '') : String(error);
  }
}

interface ChatChunk {
  readonly id?: string;
  readonly role?: boolean;
  readonly end?: boolean;
}

const chat = (content: string, { id, role = false, end = false }: ChatChunk = {}) => ({
  ...(id !== undefined && { id }),
  choices: [
    {
      index: 0,
      delta: { ...(role && { role: 'assistant' }), ...(content !== '' && { content }) },
      finish_reason: end ? 'stop' : null,
    },
  ],
});
const a = (content: string, end = false) => chat(content, { id: 'A', end });
const b = (content: string, end = false) => chat(content, { id: 'B', end });
const azure = { id: '', choices: [], prompt_filter_results: [{ content: 'p' }] };
const DONE = { data: '[DONE]' };

describe('answers of OpenAI chat in one log', () => {
  it.each<[string, readonly object[], readonly string[]]>([
    ['in turns, both whole', [a('a'), b('x'), a('b'), b('y'), a('c', true), b('z', true)], ['abc', 'xyz']],
    ['in turns, of which one ends', [a('a'), b('x'), a('b'), b('y', true)], ['ab', 'xy']],
    ['in turns, of which none ends', [a('a'), b('x'), a('b'), b('y')], ['ab', 'xy']],
    ['the first cut off, the second whole', [a('a'), a('b'), b('x'), b('y', true)], ['ab', 'xy']],
    ['of one chunk each', [a('a', true), b('x', true)], ['a', 'x']],
    ["of Azure, whose first chunk is the next one's", [azure, a('a', true), azure, b('x', true)], ['pa', 'px']],
    ['of one chunk each, the first cut off', [a('a'), b('x', true)], ['a', 'x']],
    ['an end of another answer than the one before', [a('a'), a('b'), b('', true)], ['ab', '']],
    [
      'without ids, one after the other',
      [chat('a', { role: true }), chat('b', { end: true }), chat('x', { role: true }), chat('y', { end: true })],
      ['ab', 'xy'],
    ],
    [
      'of the same id behind a new role',
      [chat('a', { id: 'A', role: true }), a('b', true), chat('x', { id: 'A', role: true })],
      ['ab', 'x'],
    ],
  ])('are told apart: %s', (_, chunks, answers) => {
    expect(split(chunks)).toEqual(answers);
  });

  it.each<[string, readonly object[], string]>([
    ['every chunk has an id of its own', ['i', 'j', 'k'].map((id) => chat(id, { id, end: id === 'k' })), 'ijk'],
    ['a gateway adds the first chunk', [chat('', { id: 'G', role: true }), a('a'), a('b', true)], 'ab'],
    ['a gateway adds the usage', [a('a'), a('b', true), { id: 'G', choices: [], usage: {} }], 'ab'],
    ['the first chunk has no id', [{ id: '', choices: [], prompt_filter_results: [] }, a('a'), a('b', true)], 'ab'],
    ['reasoning follows the end', [a('a'), a('b', true), a('c')], 'abc'],
  ])('may be one: %s', (_, chunks, answer) => {
    expect(split(chunks)).toEqual([answer]);
  });

  it.each<[string, readonly object[], string]>([
    [
      'ids of their own, and two ends',
      ['i', 'j', 'k', 'l'].map((id, at) => chat(id, { id, end: at % 2 === 1 })),
      'x.jsonl, line 3: has an id of its own like every chunk, and follows the end of an answer',
    ],
    [
      'ids of their own, and two roles',
      ['i', 'j', 'k', 'l'].map((id, at) => chat(id, { id, role: at < 2, end: at === 3 })),
      'x.jsonl, line 2: begins an answer before the one before has ended, and no id tells them apart',
    ],
    [
      'no ids, and a second role',
      [chat('a', { role: true }), chat('b'), chat('x', { role: true }), chat('c', { end: true })],
      'x.jsonl, line 3: begins an answer before the one before has ended, and no id tells them apart',
    ],
    [
      'no ids, no role, and content behind an end that may have come early',
      [chat('a', { end: true }), chat('b', { end: true })],
      'x.jsonl, line 2: follows the end of an answer, and neither an id nor a role tells',
    ],
    [
      'a chunk without an id',
      [a('a'), b('x'), chat('b'), b('y', true)],
      'x.jsonl, line 3: has no id, and the log holds',
    ],
    ['one of two has no ids', [a('a'), chat('x'), a('b', true)], 'x.jsonl, line 2: has no id, and the log holds'],
  ])('are refused where nothing tells: %s', (_, chunks, message) => {
    expect(split(chunks)).toContain(message);
  });

  it('get the [DONE] that ends them', () => {
    const wrapped = (chunk: object) => ({ data: chunk });
    const log = [a('a'), b('x'), b('y', true), a('b', true)].map(wrapped);
    expect(split([...log.slice(0, 3), DONE, log[3]!, DONE])).toEqual(['ab', 'xy']);
    expect(split([...log, DONE, DONE])).toEqual(['ab', 'xy']);
    const late = [a('a'), b('x'), b('y', true), a('b')].map(wrapped);
    expect(split([...late, DONE])).toEqual(['ab', 'xy']);
  });

  it('may be nothing but an error, before others and between them', () => {
    const error = { error: { content: 'e' } };
    expect(split([error, a('a', true)])).toEqual(['e', 'a']);
    const log = [a('a', true), b('x', true)].map((chunk) => ({ data: chunk }));
    expect(split([log[0]!, DONE, { data: error }, log[1]!, DONE])).toEqual(['a', 'e', 'x']);
    expect(split([{ data: a('a') }, { data: error }, DONE, log[1]!, DONE])).toEqual(['ae', 'x']);
  });

  it('may end in any order, and have their usage behind that', () => {
    const usage = { id: 'A', choices: [], usage: { note: { content: 'u' } } };
    const log = [a('a'), b('x'), a('b', true), b('y', true)].map((chunk) => ({ data: chunk }));
    expect(split([...log, DONE, { data: usage }])).toEqual(['abu', 'xy']);
  });

  it('are not told apart by an id of the request that contradicts theirs, or is another one with each line', () => {
    const lines = [chat('a', { id: 'A', role: true }), a('b'), a('c', true)];
    const each = lines.map((chunk, at) => ({ request_id: `${at}`, chunk }));
    expect(split(each)).toEqual(['abc']);
    const torn = lines.map((chunk, at) => ({ request_id: at < 2 ? 'r' : 's', chunk }));
    expect(split(torn)).toContain('line 3: has the id of an answer that another request has, which has not ended');
    const late = lines.map((chunk, at) => ({ ...(at > 0 && { response_id: 'r' }), stream_id: 's', chunk }));
    expect(split(late)).toEqual(['abc']);
  });

  it('are told apart by the id of the request in the log, where the chunks have none', () => {
    const of = (request_id: string, chunk: object) => ({ request_id, chunk });
    expect(
      split([of('1', chat('a')), of('2', chat('x')), of('1', chat('b')), of('2', chat('y', { end: true }))]),
    ).toEqual([...['ab', 'xy']]);
  });

  it('say in their notes that they are of several', () => {
    const lines = [a('a'), b('x'), a('b')].map((chunk) => JSON.stringify(chunk)).join('\n');
    const [first] = importBytes(lines, 'x.jsonl').exchanges;
    expect([first?.place, first?.limits]).toEqual([
      'lines 1 to 3',
      expect.arrayContaining(['It is one of 2 answers in the log, told apart by their ids.']),
    ]);
  });

  it('are none in the list of one request', () => {
    const line = JSON.stringify({ request: {}, chunks: [a('a'), b('x', true), a('b')] });
    expect([...importBytes(line, 'x.jsonl').results.values()]).toEqual([
      { malformed: 'its chunks are of several answers' },
    ]);
    const bare = importBytes(JSON.stringify([a('a'), b('x', true), a('b')]), 'x.json');
    expect([...bare.results.keys()]).toEqual(['the document, answer 1', 'the document, answer 2']);
  });
});

describe('answers of Gemini in one log', () => {
  const gemini = (text: string, responseId?: string, finishReason?: string) => ({
    candidates: [{ content: { parts: [{ text }], role: 'model' }, ...(finishReason && { finishReason }) }],
    ...(responseId && { responseId }),
  });

  it('are told apart by their ids, whether they end or not', () => {
    expect(split([gemini('a', 'A'), gemini('x', 'B'), gemini('b', 'A'), gemini('y', 'B', 'STOP')])).toEqual([
      'ab',
      'xy',
    ]);
  });

  it('may be wrapped, as those of Code Assist are', () => {
    const wrapped = [gemini('a', 'A'), gemini('x', 'B', 'STOP'), gemini('b', 'A', 'STOP')].map((response) => ({
      response,
    }));
    expect(split(wrapped)).toEqual(['ab', 'x']);
    expect(split(wrapped.map((chunk) => ({ chunk })))).toEqual(['ab', 'x']);
  });

  it('may end with every chunk, if an id says that they are one', () => {
    expect(split([gemini('a', 'A', 'STOP'), gemini('b', 'A', 'STOP')])).toEqual(['ab']);
    expect(split([gemini('a', undefined, 'STOP'), gemini('b', undefined, 'STOP')])).toContain(
      'x.jsonl, line 2: follows the end of an answer, and neither an id nor a role tells whether it is of the same one',
    );
  });
});

describe('answers of Anthropic in one log', () => {
  const start = { type: 'message_start', message: { content: [] } };
  const named = (id: string) => ({ type: 'message_start', message: { id, content: [] } });
  const open = (index: number) => ({ type: 'content_block_start', index, content_block: { type: 'text' } });
  const text = (index: number, letters: string) => ({ type: 'content_block_delta', index, delta: { text: letters } });
  const close = (index: number) => ({ type: 'content_block_stop', index });
  const stop = { type: 'message_stop' };

  it.each<[string, readonly object[], readonly string[] | string]>([
    [
      'one after the other',
      [start, open(0), text(0, 'a'), close(0), stop, start, open(0), text(0, 'x'), close(0), stop],
      ['a', 'x'],
    ],
    [
      'with a beginning that came twice',
      [
        named('A'),
        named('A'),
        open(0),
        text(0, 'a'),
        close(0),
        stop,
        named('B'),
        open(0),
        text(0, 'x'),
        close(0),
        stop,
      ],
      ['a', 'x'],
    ],
    [
      'of which the first is an error',
      [{ type: 'error', error: { text: 'e' } }, start, open(0), text(0, 'x'), close(0), stop],
      ['e', 'x'],
    ],
    [
      'of which one ends in an error',
      [start, open(0), text(0, 'a'), { type: 'error', error: {} }, start, open(0), text(0, 'x'), close(0), stop],
      ['a', 'x'],
    ],
    [
      'cut off between blocks, or in turns',
      [start, open(0), text(0, 'a'), close(0), start, open(0), text(0, 'x'), close(0), stop],
      'x.jsonl, line 5: begins an answer before the one before has ended',
    ],
    [
      'begun inside of a block of another',
      [start, open(0), text(0, 'x'), open(1), text(1, 'a'), close(1), stop, start, open(0), close(0), stop],
      'x.jsonl, line 4: does not go on with the answer before it',
    ],
    [
      'ended inside of a block',
      [start, open(0), text(0, 'x'), stop, start, open(0), close(0), stop],
      'x.jsonl, line 4: does not go on with the answer before it',
    ],
    [
      'alone, with indexes of its own',
      [start, open(1), text(1, 'a'), close(1), open(3), text(3, 'b'), close(3), stop, { type: 'gateway' }],
      ['ab'],
    ],
    [
      'cut off in a block, or in turns',
      [start, open(0), text(0, 'a'), start, open(0), text(0, 'x'), close(0), stop],
      'x.jsonl, line 4: begins an answer before the one before has ended',
    ],
  ])('are told apart or refused: %s', (_, chunks, answers) => {
    const got = split(chunks);
    if (typeof answers === 'string') expect(got).toContain(answers);
    else expect(got).toEqual(answers);
  });
});

describe('answers of Responses in one log', () => {
  const created = (id: string, sequence_number: number) => ({
    type: 'response.created',
    response: { id },
    sequence_number,
  });
  const added = (id: string, sequence_number: number) => ({
    ...{ type: 'response.output_item.added', output_index: 0, item: { id, type: 'message' }, sequence_number },
  });
  const delta = (item_id: string, letters: string) => ({
    ...{ type: 'response.output_text.delta', item_id, output_index: 0, content_index: 0, delta: letters },
  });
  const completed = (id: string) => ({ type: 'response.completed', response: { id } });

  it('are told apart by ids of responses and items, and by the number in order', () => {
    const log = [created('A', 0), added('i', 1), created('B', 0), delta('i', 'a'), added('j', 1), delta('j', 'x')];
    expect(split([...log, delta('i', 'b'), completed('B'), delta('i', 'c')])).toEqual(['abc', 'x']);
  });

  it('are refused where two are at the same number', () => {
    const log = [created('A', 0), created('B', 0), added('i', 1), added('j', 1)];
    expect(split(log)).toContain('x.jsonl, line 3: has no id that tells which of several answers it is of');
  });

  it('may use the ids of one that has ended again', () => {
    const one = [created('A', 0), added('i', 1), delta('i', 'a'), completed('A')];
    expect(split([...one, created('B', 0), added('i', 1), delta('i', 'x'), completed('B')])).toEqual(['a', 'x']);
    expect(split([...one, ...one])).toEqual(['a', 'a']);
  });

  it('are refused where the ids of one that goes on come again', () => {
    const cut = [created('A', 0), added('i', 1), delta('i', 'a')];
    expect(split([...cut, created('A', 0)])).toContain('line 4: begins an answer that has begun');
    const other = [created('B', 0), added('i', 1)];
    expect(split([...cut, ...other])).toContain('line 5: has an id of an answer that it does not go on with');
  });

  it('may have an id that is another with every event', () => {
    expect(split([created('A', 0), added('i', 1), delta('q', 'a'), completed('Z')])).toEqual(['a']);
  });
});

import { describe, expect, it } from 'vitest';
import { answerOf } from '../testing/answer-server.ts';
import { bytesOrReasons, importBytes } from '../testing/import-memory.ts';

/** Number beyond doubles, order of keys and blanks: what a parse and a rewrite would lose. */
const ODD =
  '{"id":"a", "choices":[{"delta":{"content":"é 語 \\u00e9"}, "index":0}], "n":12345678901234567890, "model":"m"}';
const MORE = '{"id":"a","choices":[{"index":0,"delta":{"content":"b"}}]}';
const STOP = '{"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}';

const ANTHROPIC = [
  '{"type":"message_start","message":{"model":"claude-x","content":[]}}',
  '{"type":"ping"}',
  '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
  '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}',
  '{"type":"content_block_stop","index":0}',
  '{"type":"message_stop"}',
];

function events(...payloads: readonly string[]): Buffer {
  return Buffer.from(payloads.map((payload) => `data: ${payload}\n\n`).join(''));
}

function named(...payloads: readonly string[]): Buffer {
  return Buffer.from(
    payloads.map((payload) => `event: ${/"type":"([^"]+)"/.exec(payload)?.[1]}\ndata: ${payload}\n\n`).join(''),
  );
}

function recordings(text: string, file = 'x.jsonl') {
  return [...importBytes(text, file).results.values()].flatMap((one) => ('recording' in one ? [one.recording] : []));
}

describe("the AI SDK's chunks", () => {
  it('become data lines, byte for byte, and [DONE] where a finish reason was logged', () => {
    const file = importBytes(`${ODD}\r\n${MORE}\n\n${STOP}`, 'openai-text.chunks.txt');
    expect(file.format).toBe('ai-sdk-chunks');
    expect(bytesOrReasons(file)).toEqual([events(ODD, MORE, STOP, '[DONE]')]);
    const [{ entry, times }] = recordings(`${ODD}\n${STOP}`, 'x.chunks.txt') as [ReturnType<typeof recordings>[0]];
    expect([entry.source, entry.model, entry.request, entry.recordedAt, times]).toEqual([
      ...['enveloped', 'm', null, null, undefined],
    ]);
    expect(entry.note).toBe(
      "Imported from the AI SDK's chunks (x.chunks.txt, lines 1 to 2). The SSE envelope was made here (data: lines, the last " +
        '[DONE]). Arrival times are unknown. The request is unknown. The protocol was guessed.',
    );
  });

  it('are not imported if the first is longer than an event that is read, and the reason says so', () => {
    const long = `{"id":"a","choices":[{"index":0,"delta":{"content":"${'x'.repeat(2 ** 24)}"}}]}`;
    const reasons = [`${long}\n${STOP}`, JSON.stringify({ request: {}, chunks: [long, STOP] })].map((text) => [
      ...importBytes(text, 'x.jsonl').results.values(),
    ]);
    const reason = 'an event stream whose first event is longer than the 16 MiB that are read';
    expect(reasons).toEqual([[{ why: 'other', reason }], [{ why: 'other', reason }]]);
  });

  it('stay cut off where no finish reason was logged', () => {
    const [recording] = recordings(`${ODD}\n${MORE}\n`, 'x.chunks.txt');
    expect(recording?.bytes).toEqual(events(ODD, MORE));
    expect(recording?.entry.note).toContain('No finish reason was logged, so no [DONE] was added.');
  });

  it('get the event names of Anthropic and of responses, and none of Gemini', () => {
    const responses = ['{"type":"response.created","response":{"model":"r"}}', '{"type":"response.completed"}'];
    const gemini = ['{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"modelVersion":"g"}', '{"usageMetadata":{}}'];
    const of = (lines: readonly string[]) => recordings(lines.join('\n'), 'x.chunks.txt')[0];
    expect([of(ANTHROPIC)?.bytes, of(ANTHROPIC)?.entry.model]).toEqual([named(...ANTHROPIC), 'claude-x']);
    expect([of(responses)?.bytes, of(responses)?.entry.model]).toEqual([named(...responses), 'r']);
    expect([of(gemini)?.bytes, of(gemini)?.entry.model]).toEqual([events(...gemini), 'g']);
  });

  it.each<[string, string]>([
    [`${ODD}\n{"id":"a","cho\n${STOP}`, 'x.chunks.txt, line 2: is not JSON. Nothing of the file was imported'],
    [`${ODD}\n{"level":"info"}\n${STOP}`, 'x.chunks.txt, line 2: is no chunk of the stream. Nothing of the file'],
    [`${ODD}\n[1]\n`, 'x.chunks.txt, line 2: is no chunk of the stream.'],
    ['{"level":"info"}\n', 'x.chunks.txt: holds no chunks of a known wire format.'],
    ['', 'x.chunks.txt: holds no chunks of a known wire format.'],
  ])('are refused whole where one line is none: %j', (text, message) => {
    expect(() => importBytes(text, 'x.chunks.txt')).toThrow(message);
  });
});

describe('a log of chunks', () => {
  it('with several answers is told apart by what begins and ends them', () => {
    const other = [MORE, STOP].map((line) => line.replace('"a"', '"other"'));
    const mixed = [ODD, other[0], MORE, STOP, other[1]].join('\n');
    expect(recordings(mixed).map(({ bytes }) => bytes)).toEqual([
      events(ODD, MORE, STOP, '[DONE]'),
      events(other[0]!, other[1]!, '[DONE]'),
    ]);
    const done = [MORE, STOP, '[DONE]', MORE, STOP, 'data: [DONE]'].join('\n');
    expect(recordings(done).map(({ bytes }) => bytes)).toEqual([
      events(MORE, STOP, '[DONE]'),
      events(MORE, STOP, '[DONE]'),
    ]);
    expect(recordings([...ANTHROPIC, ...ANTHROPIC].join('\n'))).toHaveLength(2);
  });

  it('of a provider that gives every chunk an id of its own is one answer', () => {
    const lines = [MORE, MORE, STOP].map((line, at) => line.replace('"a"', `"id-${at}"`));
    expect(recordings(lines.join('\n')).map(({ bytes }) => bytes)).toEqual([events(...lines, '[DONE]')]);
  });

  it.each<[string, (at: number) => string, readonly number[], string | null]>([
    ['ISO times', (at) => `"ts":"2026-01-01T00:00:0${at}.250Z"`, [0, 1000, 2000], 'count from the first chunk'],
    [
      'seconds since 1970',
      (at) => `"timestamp":${1_767_225_600.5 + at}`,
      [0, 1000, 2000],
      'count from the first chunk',
    ],
    ['ms since 1970', (at) => `"time":${1_767_225_600_000 + 7 * at}`, [0, 7, 14], 'count from the first chunk'],
    ['ms since the request', (at) => `"elapsed_ms":${100.5 + at}`, [100.5, 101.5, 102.5], null],
  ])('may say when each came: %s', (_, field, ms, limit) => {
    const lines = [ODD, MORE, STOP];
    const [recording] = recordings(lines.map((line, at) => `{${field(at)}, "chunk": ${line}}`).join('\n'));
    const ends = [events(ODD), events(ODD, MORE), events(ODD, MORE, STOP, '[DONE]')].map(({ length }) => length);
    expect(recording?.bytes).toEqual(events(...lines, '[DONE]'));
    expect(recording?.times).toEqual(ms.map((time, at) => ({ ms: time, bytes: ends[at] })));
    if (limit === null) expect(recording?.entry.note).not.toContain('rrival times');
    else expect(recording?.entry.note).toContain(limit);
  });

  it.each<[string, readonly string[], string]>([
    ['of no known unit', ['"t":0.5', '"t":1.5'], 'Arrival times are unknown.'],
    ['without a zone', ['"ts":"2026-01-01T00:00:00"', '"ts":"2026-01-01T00:00:01"'], 'Arrival times are unknown.'],
    ['of some chunks', ['"ms":1', '"x":1'], 'Arrival times are left out: not every chunk has one.'],
    ['that run backwards', ['"ms":2', '"ms":1'], 'Arrival times are left out: they run backwards.'],
  ])('has no times where they are %s', (_, [first, second], limit) => {
    const [recording] = recordings(`{${first},"data":${MORE}}\n{${second},"data":${STOP}}`);
    expect([recording?.times, recording?.bytes]).toEqual([undefined, events(MORE, STOP, '[DONE]')]);
    expect(recording?.entry.note).toContain(limit);
  });

  it('may hold each chunk as text, with its field name or without', () => {
    const lines = [MORE, `data: ${STOP}`, '[DONE]'].map((raw) => JSON.stringify({ raw }));
    expect(recordings(lines.join('\n'))[0]?.bytes).toEqual(events(MORE, STOP, '[DONE]'));
    expect(() => importBytes(`${JSON.stringify({ raw: MORE })}\n{"raw":"${'x'}"}`, 'x.jsonl')).toThrow(
      'x.jsonl, line 2: has no chunk in its field "raw".',
    );
  });
});

describe('a log of answers', () => {
  const request = '{"model":"asked","messages":[{"role":"user","content":"q"}],"temperature":0}';

  it('has an answer a line, with its request, and its chunks as they were written', () => {
    const lines = [
      `{"request": ${request}, "chunks": [ ${ODD} ,${STOP}]}`,
      `{"request": ${request}, "response": {"chunks": [{"elapsed_ms": 5, "chunk": ${ODD}}, {"elapsed_ms": 6, "chunk": ${STOP}}]}}`,
      '{"request": {}, "note": "nothing came"}',
      `{"request": {}, "chunks": [${MORE}, 7]}`,
    ];
    const file = importBytes(lines.join('\n'), 'log.jsonl');
    expect(bytesOrReasons(file)).toEqual([
      events(ODD, STOP, '[DONE]'),
      events(ODD, STOP, '[DONE]'),
      'neither a chunk nor an answer with its chunks',
      'element 2 of its chunks is no chunk',
    ]);
    const [first, second] = recordings(lines.join('\n'));
    expect(first?.entry).toMatchObject({
      ...{ model: 'asked', source: 'enveloped' },
      request: { messages: [{ role: 'user', content: 'q' }], parameters: { temperature: 0 } },
    });
    expect([first?.times, second?.times?.map(({ ms }) => ms)]).toEqual([undefined, [5, 6]]);
  });

  it('may hold the body as text: then the envelope is the own one', () => {
    const body = answerOf('\n');
    const line = JSON.stringify({ key: 'k', request: JSON.parse(request), response: body.toString() });
    const [recording] = recordings(line);
    expect([recording?.bytes, recording?.entry.source]).toEqual([body, 'recorded']);
  });

  it('counts times from the request where that is known', () => {
    const chunks = [MORE, STOP].map((chunk, at) => `{"ts":"2026-01-01T00:00:01.${at}00Z","chunk":${chunk}}`);
    const [recording] = recordings(`{"started_at":"2026-01-01T00:00:00Z","request":${request},"chunks":[${chunks}]}`);
    expect(recording?.times?.map(({ ms }) => ms)).toEqual([1000, 1100]);
    expect(recording?.entry.note).not.toContain('rrival times');
  });

  it('may be one JSON document, also over several lines', () => {
    const document = JSON.stringify({ chunks: [JSON.parse(MORE), JSON.parse(STOP)] }, null, 2);
    expect(bytesOrReasons(importBytes(document, 'x.json'))).toEqual([events(MORE, STOP, '[DONE]')]);
    expect(bytesOrReasons(importBytes(`[${MORE},${STOP}]`, 'x.json'))).toEqual([events(MORE, STOP, '[DONE]')]);
  });

  it('may have any number of blanks between chunks', () => {
    const list = `[${ODD}${' '.repeat(10_000)},${'\t'.repeat(5000)}${MORE}${' '.repeat(4095)} , ${STOP}]`;
    expect(recordings(`{"request":${request},"chunks":${list}}`)[0]?.bytes).toEqual(events(ODD, MORE, STOP, '[DONE]'));
  });

  it('takes a time that is linear in its chunks', () => {
    const chunk = `{"id":"a","choices":[{"index":0,"delta":{"content":"${'x'.repeat(60)}"}}] }`;
    const line = `{"request":${request},"chunks":[${Array(20_000).fill(chunk).join(', ')},${STOP}]}`;
    const before = performance.now();
    expect(recordings(line)[0]?.bytes.length).toBe(20_000 * (chunk.length + 8) + STOP.length + 8 + 14);
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunk, plain, sse, toolChunk, toolDelta } from '../testing/chat-streams.ts';
import type { StreamEvent } from './event.ts';
import { readStream } from './reader.ts';
import { StreamReader, type StreamReaderOptions } from './stream-reader.ts';

function readAt(bytes: Uint8Array, cuts: Iterable<number>, options?: StreamReaderOptions) {
  const events: StreamEvent[] = [];
  const reader = new StreamReader('openai-chat', (event) => events.push(event), options);
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    reader.push(bytes, from, to);
    from = to;
  }
  const heldAtEnd = reader.held;
  const end = reader.end();
  return { events, end, notes: reader.notes, heldAtEnd };
}

const word = fc.constantFrom('', 'a', 'é', '{"k":', '语', '\ud83d', '\ude00', '😀', 'x'.repeat(300));
const payload = fc.oneof(
  { arbitrary: word.map((content) => JSON.stringify(chunk({ content }))), weight: 4 },
  { arbitrary: word.map((reasoning) => JSON.stringify(chunk({ reasoning }))), weight: 1 },
  {
    arbitrary: fc
      .record({
        index: fc.option(fc.nat(1)),
        id: fc.constantFrom('a', 'b', '', null),
        name: fc.constantFrom('f', 'g', null, 1),
        args: fc.oneof(word, fc.constantFrom(null, {}, 1)),
      })
      .map((parts) => JSON.stringify(toolChunk(toolDelta(parts)))),
    weight: 6,
  },
  {
    arbitrary: fc.constantFrom(
      JSON.stringify(chunk({}, 'stop')),
      JSON.stringify(chunk({}, 'length')),
      '[DONE]',
      '{"error":"x"}',
      '{',
    ),
    weight: 1,
  },
);
const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
const stream = fc
  .array(fc.tuple(fc.constantFrom('data: ', 'data:', 'event: error\ndata:', ': '), payload, lineEnd, lineEnd), {
    maxLength: 12,
  })
  .map((events) => Buffer.from(events.flat().join('')));

describe('the stream reader', () => {
  it('gives the same events, end and notes at every split', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(4000), { maxLength: 10 }), (bytes, drawn) => {
        const whole = readStream(bytes, 'openai-chat');
        expect(readAt(bytes, bytes.keys())).toEqual(whole);
        const cuts = drawn.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
        expect(readAt(bytes, cuts)).toEqual(whole);
      }),
      { seed: 20266, numRuns: 400 },
    );
  });

  it('has an event exactly once the byte at its offset has come', () => {
    const bytes = sse(
      chunk({ content: 'é' }),
      toolChunk(toolDelta({ index: 0, id: 'c', name: 'f', args: '{}' })),
      chunk({}, 'stop'),
      '[DONE]',
    );
    const events: StreamEvent[] = [];
    const reader = new StreamReader('openai-chat', (event) => events.push(event));
    const whole = readStream(bytes, 'openai-chat').events;
    for (let n = 1; n <= bytes.length; n++) {
      reader.push(bytes, n - 1, n);
      expect(events).toEqual(whole.filter(({ at }) => n > at));
    }
    expect(events.map(({ type }) => type)).toEqual(['text', 'tool-delta', 'finish', 'done']);
  });

  it('puts what only the end decides after every wire prefix', () => {
    const bytes = sse(chunk({ content: 'a\ud83d' }, 'stop'));
    expect(readStream(bytes, 'openai-chat').events.at(-1)).toMatchObject({
      type: 'failure',
      kind: 'bad_delta',
      at: bytes.length,
    });
  });

  it('stays ended', () => {
    const events: StreamEvent[] = [];
    const reader = new StreamReader('openai-chat', (event) => events.push(event));
    expect(reader.end()).toBe('cut');
    reader.push(sse(chunk({ content: 'a' }), '[DONE]'));
    expect(reader.end()).toBe('cut');
    expect(events).toEqual([]);
  });

  it('reads nothing after [DONE], and counts it', () => {
    const after = sse(chunk({ content: 'b' }, 'length'), '{');
    const { events, end, notes } = readStream(Buffer.concat([sse('[DONE]'), after]), 'openai-chat');
    expect(events.map(plain)).toEqual([{ type: 'done' }]);
    expect([end, notes.unreadBytes]).toEqual(['complete', after.length]);
  });

  it('fails at the byte that makes an event too long, at every split', () => {
    const bytes = Buffer.concat([
      sse(chunk({ content: 'a' })),
      Buffer.from(`data: ${'x'.repeat(500)}\n\ndata: [DONE]\n\n`),
    ]);
    const failure = {
      type: 'failure',
      at: bytes.indexOf('xx') + 200,
      kind: 'event_too_long',
      detail: 'an SSE event is longer than 200 bytes',
    };
    for (const cuts of [[], bytes.keys(), [100, 300]]) {
      const { events, end, heldAtEnd } = readAt(bytes, cuts, { eventLimit: 200 });
      expect(events.slice(1)).toEqual([failure]);
      expect([end, heldAtEnd]).toEqual(['cut', 0]);
    }
  });

  it('tells what it holds of an unfinished event, which is discarded', () => {
    const { events, end, heldAtEnd } = readStream(Buffer.from('data: [DONE]\n'), 'openai-chat');
    expect({ events, end, heldAtEnd }).toEqual({ events: [], end: 'cut', heldAtEnd: 6 });
  });
});

describe('the end of a stream', () => {
  const stop = chunk({}, 'stop');
  const length = chunk({}, 'length');
  const odd = chunk({}, 'odd');
  it.each<[string, (object | string)[], 'complete' | 'cut']>([
    ['nothing', [], 'cut'],
    ['neither reason nor [DONE]', [chunk({ content: 'a' })], 'cut'],
    ['[DONE] alone', ['[DONE]'], 'complete'],
    ['a complete reason alone', [stop], 'complete'],
    ['an early reason', [stop, chunk({ content: 'a' })], 'complete'],
    ['an empty reason', [chunk({}, '')], 'cut'],
    ['length, then [DONE]', [length, '[DONE]'], 'cut'],
    ['length, then stop', [length, stop], 'cut'],
    ['stop, then length', [stop, length], 'cut'],
    ['an unknown reason, then stop and [DONE]', [odd, stop, '[DONE]'], 'cut'],
    ['a failure, then [DONE]', [stop, { error: {} }, '[DONE]'], 'cut'],
    ['length after [DONE]', ['[DONE]', length], 'complete'],
    ['length of another choice', [stop, { choices: [{ index: 1, delta: {}, finish_reason: 'length' }] }], 'complete'],
  ])('%s', (_, payloads, end) => {
    expect(readStream(sse(...payloads), 'openai-chat').end).toBe(end);
  });
});

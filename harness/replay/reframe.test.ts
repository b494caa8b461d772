import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readStream } from '../stream/reader.ts';
import { chatStream } from './envelope.ts';
import { loadSuites } from './load.ts';
import type { Recording } from './recording.ts';
import { goodCalls, reframedSuite } from './reframe.ts';
import { sha256 } from './stored-recording.ts';
import { SWEEP_SIZES, sweepCall } from './sweep.ts';

let replies: readonly Recording[] = [];
let suite: readonly Recording[] = [];

beforeAll(async () => {
  replies = await loadSuites(resolve(import.meta.dirname, '../../recordings'), { suites: ['replies'] });
  suite = await reframedSuite(replies, 'seed');
});

test('every task and every size stands in four framings and six dialects, the dialects up to 64 KiB', () => {
  expect(suite).toHaveLength(
    4 * (28 + SWEEP_SIZES.length) + 6 * (28 + SWEEP_SIZES.filter((size) => size <= 65_536).length),
  );
  expect(new Set(suite.map(({ file }) => file)).size).toBe(suite.length);
});

test('size and hash are those of the bytes, whenever they are made', async () => {
  for (const recording of suite) {
    const bytes = await recording.bytes();
    expect([bytes.length, sha256(bytes)]).toEqual([recording.size, recording.sha256]);
  }
});

test('the same seed makes the same suite, another seed other chunks of the same content', async () => {
  const again = await reframedSuite(replies, 'seed');
  const other = await reframedSuite(replies, 'another');
  expect(again.map((recording) => recording.sha256)).toEqual(suite.map((recording) => recording.sha256));
  const [first, elsewhere] = [suite[0], other[0]];
  expect(first?.sha256).not.toBe(elsewhere?.sha256);
  expect(await content(first)).toBe(await content(elsewhere));
});

test('the calls are the same in every framing of a task', () => {
  for (const recording of suite) {
    const first = suite.find(({ task }) => task === recording.task);
    const meant = (of: Recording | undefined): unknown =>
      of?.expectations[0]?.calls.map(({ name, args }) => ({ name, args }));
    expect(meant(recording)).toEqual(meant(first));
  }
});

describe('the size sweep', () => {
  test('goes from 16 bytes to 1 MiB by powers of two', () => {
    expect(SWEEP_SIZES).toEqual(Array.from({ length: 17 }, (_, at) => 16 * 2 ** at));
  });

  test.each(SWEEP_SIZES)('has a content of exactly %d bytes in lines of at most 100', (size) => {
    const text = sweepCall(size).args[1]?.[1] ?? '';
    expect(Buffer.byteLength(text)).toBe(size);
    expect(text.endsWith('\n')).toBe(true);
    expect(Math.max(...text.split('\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(100);
  });

  test('is mostly ASCII', () => {
    const characters = [...(sweepCall(1024 * 1024).args[1]?.[1] ?? '')];
    const foreign = characters.filter((character) => character > '\x7f').length / characters.length;
    expect(foreign).toBeGreaterThan(0.005);
    expect(foreign).toBeLessThan(0.02);
  });
});

describe('a native answer is reframed only if every call is good', () => {
  test.each([
    ['an array', '[]'],
    ['no JSON', '{"k":'],
    ['a value that is no string', '{"k":1}'],
  ])('%s is not', (_, args) => {
    expect(native('{"k":"v"}', args)).toBeNull();
  });

  test('an answer without calls is not', () => {
    expect(native()).toBeNull();
  });

  test('good calls keep the order of their keys', () => {
    expect(native('{"b":"1","a":"2"}', '{}')).toEqual([
      {
        id: 'c1',
        name: 't',
        args: [
          ['b', '1'],
          ['a', '2'],
        ],
      },
      { id: 'c2', name: 't', args: [] },
    ]);
  });
});

function native(...args: readonly string[]): ReturnType<typeof goodCalls> {
  const parts = args.map((text, at) => ({ type: 'call', id: `x${at}`, name: 't', pieces: [text] }) as const);
  const usage = { promptTokens: 0, completionTokens: 0 };
  const bytes = chatStream({ id: 'x', model: 'm', parts, finish: 'tool_calls', usage });
  return goodCalls(readStream(bytes, 'openai-chat').events);
}

async function content(recording: Recording | undefined): Promise<string> {
  const { events } = readStream((await recording?.bytes()) ?? new Uint8Array(), 'openai-chat');
  return events.map((event) => (event.type === 'text' ? Buffer.from(event.bytes).toString() : '')).join('');
}

import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ORACLES } from '../../harness/oracles/oracles.ts';
import { CONTRACT_ERROR_KINDS } from '../../harness/parsers/contract-error.ts';
import type { CallArguments } from '../../harness/parsers/parser.ts';
import { DEFAULT_OPTIONS } from '../../harness/parsers/parser.ts';
import { loadSuites, verifySuites } from '../../harness/replay/load.ts';
import { type Expectation, READERS, type Recording } from '../../harness/replay/recording.ts';
import { readStream } from '../../harness/stream/reader.ts';
import { planCrafted } from './crafted-suite.ts';
import { compareFolder } from './folder-plan.ts';
import { parseNativeContainer } from './native-container.ts';
import { planReplies } from './replies.ts';

const ROOT = resolve(import.meta.dirname, '../../recordings');
const isStream = (path: string): boolean => path.endsWith('.sse');

test('the stored suites are what a build would write', async () => {
  const replies = resolve(ROOT, 'replies');
  const crafted = resolve(ROOT, 'crafted');
  expect(await compareFolder(replies, await planReplies(replies), isStream)).toEqual([]);
  expect(await compareFolder(crafted, await planCrafted(crafted), isStream)).toEqual([]);
});

test('every recording is as its manifest says', async () => {
  expect((await verifySuites(ROOT)).problems).toEqual([]);
});

test('replies are all runs: 112 answers, and ctl twice again for 26 tasks', async () => {
  const replies = await loadSuites(ROOT, { suites: ['replies'] });
  const inRun = (name: string): number => replies.filter(({ run }) => run === name).length;
  expect([inRun('run1'), inRun('run2'), inRun('run3'), replies.length]).toEqual([112, 26, 26, 164]);
});

describe('crafted streams', () => {
  test('pin every kind of contract error', async () => {
    const kinds = new Set(
      (await crafted()).flatMap(({ expectations }) => expectations.map(({ error }) => error?.kind)),
    );
    expect(CONTRACT_ERROR_KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  test('say what every protocol makes of them that reads them', async () => {
    for (const { file, framing, expectations } of await crafted()) {
      expect([file, expectations.map(({ protocol }) => protocol)]).toEqual([file, READERS[framing]]);
    }
  });

  test('end as they say, and the oracles read them so', async () => {
    const disagreements: unknown[] = [];
    for (const recording of await crafted()) {
      for (const expected of recording.expectations) {
        const [read, said] = await bothReadings(recording, expected);
        if (JSON.stringify(read) !== JSON.stringify(said)) disagreements.push({ file: recording.file, read, said });
      }
    }
    expect(disagreements).toEqual([]);
  });
});

describe('the container of native answers', () => {
  test('text and calls are read without the LF that belongs to the container', () => {
    expect(parseNativeContainer('@@text\nHi.\n\nSo:\n@@call t\n{"k":1}\n@@call u\n{}\n')).toEqual({
      text: 'Hi.\n\nSo:',
      calls: [
        { name: 't', argsText: '{"k":1}' },
        { name: 'u', argsText: '{}' },
      ],
    });
  });

  test('the text may be left out or empty', () => {
    expect(parseNativeContainer('@@call t\n{}').text).toBe('');
    expect(parseNativeContainer('@@text\n@@call t\n{}').text).toBe('');
  });

  test('anything before the first section is refused', () => {
    expect(() => parseNativeContainer('Hi.\n@@call t\n{}')).toThrow('expected @@text or @@call, found "Hi."');
  });
});

function crafted(): Promise<readonly Recording[]> {
  return loadSuites(ROOT, { suites: ['crafted'] });
}

/** In order of name and id: an oracle gives calls by ordinal, an expectation as they become executable. */
async function bothReadings(recording: Recording, expected: Expectation): Promise<readonly [object, object]> {
  const { eventLimit, ...limits } = recording.limits ?? {};
  const { events, end } = readStream(
    await recording.bytes(),
    recording.wire,
    eventLimit === undefined ? undefined : { eventLimit },
  );
  const { calls, error } = ORACLES[expected.protocol](events, end, { ...DEFAULT_OPTIONS, ...limits });
  const read = calls.map(({ id, name, args }) => ({ id, name, args: plain(args) }));
  const said = expected.calls.map((call, at) => ({ id: call.id ?? read[at]?.id, name: call.name, args: call.args }));
  const place = (of: { readonly kind: string; readonly offset?: number } | null): unknown =>
    of && [of.kind, expected.error?.offset === undefined ? null : of.offset];
  return [
    { end, calls: sorted(read), error: place(error) },
    { end: expected.end, calls: sorted(said), error: place(expected.error) },
  ];
}

function plain(args: CallArguments): object {
  if (args.form === 'json') return args.object;
  return Object.fromEntries(args.values.map(({ key, bytes }) => [key, Buffer.from(bytes).toString()]));
}

function sorted(calls: readonly object[]): readonly string[] {
  return calls.map((call) => JSON.stringify(call)).sort();
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSuites, verifySuites } from './load.ts';
import type { NewRecording } from './suite-writer.ts';
import { SuiteWriter } from './suite-writer.ts';

let dir = '';
let suite = '';
const HEAD = { suite: 'own', about: 'Of a test.' };

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writer-'));
  suite = join(dir, 'own');
});
afterEach(() => rmSync(dir, { recursive: true }));

function recording(task: string, text = task, run = 'run1'): NewRecording {
  return {
    entry: {
      task,
      protocol: 'ctl',
      wire: 'openai-chat',
      provider: null,
      model: 'm',
      recordedAt: '2026-01-02T03:04:05.000Z',
      request: { messages: [{ role: 'user', content: 'do it' }], parameters: {} },
      source: 'recorded',
      run,
    },
    bytes: Buffer.from(text),
    times: [{ ms: 1.5, bytes: Buffer.byteLength(text) }],
  };
}

async function problems(): Promise<readonly string[]> {
  return (await verifySuites(dir)).problems.map(({ message }) => message);
}

async function write(...recordings: readonly NewRecording[]): Promise<readonly string[]> {
  const writer = await SuiteWriter.open(dir, HEAD);
  try {
    return await Promise.all(recordings.map((one) => writer.add(one)));
  } finally {
    await writer.close();
  }
}

describe('a suite that is written', () => {
  test('is loaded with its bytes, times and entries, and nothing else lies in its folder', async () => {
    expect(await write(recording('b', 'two'), recording('a', 'one'))).toEqual(['b.ctl.sse', 'a.ctl.sse']);
    const [first, second] = await loadSuites(dir);
    expect([first?.file, second?.file]).toEqual(['a.ctl.sse', 'b.ctl.sse']);
    expect(Buffer.from((await first?.bytes()) ?? []).toString()).toBe('one');
    expect(await first?.arrivals?.()).toEqual([{ ms: 1.5, bytes: 3 }]);
    expect(readdirSync(suite).sort()).toEqual([
      'a.ctl.sse',
      'a.ctl.times.csv',
      'b.ctl.sse',
      'b.ctl.times.csv',
      'manifest.json',
    ]);
  });

  test('is continued: numbers go on, and what it is about stands', async () => {
    await write(recording('a', 'one'));
    const writer = await SuiteWriter.open(dir, { suite: 'own', about: 'Something else.' });
    expect(writer.has({ task: 'a', protocol: 'ctl', model: 'm', run: 'run1' })).toBe(true);
    expect(writer.has({ task: 'a', protocol: 'ctl', model: 'm', run: 'run2' })).toBe(false);
    expect(await writer.add(recording('a', 'two', 'run2'))).toBe('a.ctl.2.sse');
    expect(await writer.add({ ...recording('a', 'four', 'run4'), number: 4 })).toBe('a.ctl.4.sse');
    await writer.close();
    expect(JSON.parse(readFileSync(join(suite, 'manifest.json'), 'utf8')).about).toBe('Of a test.');
    expect(await problems()).toEqual([]);
  });

  test('does not mix up names that some file systems take for one', async () => {
    expect(await write(recording('a', 'one'), recording('A', 'two'))).toEqual(['a.ctl.sse', 'A.ctl.2.sse']);
  });

  test('in which nothing was written is no folder', async () => {
    await write();
    expect(existsSync(suite)).toBe(false);
  });
});

describe('what is refused leaves the suite as it was', () => {
  const many = 'x'.repeat(101);
  test.each([
    ['a task that is a path', { task: '../a' }, 'the task "../a" cannot name a file'],
    ['a task that is too long', { task: many }, `the task "${many}" cannot name a file`],
    ['a key among the parameters', { request: { messages: [], parameters: { api_key: 'x' } } }, 'without headers and'],
    ['a run without a name', { run: '' }, 'a.ctl.2.sse, run: '],
  ])('%s', async (_, fields, message) => {
    await write(recording('a'));
    const whole = recording('a');
    await expect(write({ ...whole, entry: { ...whole.entry, ...fields } })).rejects.toThrow(message);
    expect(await problems()).toEqual([]);
    expect(readdirSync(suite)).toHaveLength(3);
  });

  test('times of another size', async () => {
    await expect(write({ ...recording('a'), times: [{ ms: 1, bytes: 9 }] })).rejects.toThrow('the recording has 1');
  });

  test('a number that is taken', async () => {
    await write(recording('a'));
    await expect(write({ ...recording('a'), number: 1 })).rejects.toThrow('a.ctl.sse: there is such a file already');
  });

  test('a second writer, in one sentence that says who writes', async () => {
    const first = await SuiteWriter.open(dir, HEAD);
    await expect(SuiteWriter.open(dir, HEAD)).rejects.toThrow(`process ${process.pid} is writing to this suite`);
    await first.close();
    await (await SuiteWriter.open(dir, HEAD)).close();
  });

  test('a folder of streams without a manifest', async () => {
    mkdirSync(suite);
    writeFileSync(join(suite, 'mine.sse'), 'x');
    await expect(SuiteWriter.open(dir, HEAD)).rejects.toThrow('the folder holds streams and no manifest.json');
    expect(readdirSync(suite)).toEqual(['mine.sse']);
  });

  test('a suite of another name, and a manifest that cannot be read', async () => {
    await write(recording('a'));
    renameSync(suite, join(dir, 'other'));
    await expect(SuiteWriter.open(dir, { ...HEAD, suite: 'other' })).rejects.toThrow('the suite is called own');
    writeFileSync(join(dir, 'other', 'manifest.json'), '{');
    await expect(SuiteWriter.open(dir, { ...HEAD, suite: 'other' })).rejects.toThrow('manifest.json: not JSON');
  });
});

describe('a writer that was killed', () => {
  test('before its recording counted: it is thrown away', async () => {
    await write(recording('a'));
    mkdirSync(join(suite, '.writing'));
    writeFileSync(join(suite, '.writing', 'stream'), 'half');
    writeFileSync(join(suite, '.writing', 'entry.json.new'), '{"file"');
    expect(await problems()).toEqual([]);
    await write(recording('b'));
    expect(await problems()).toEqual([]);
    expect(readdirSync(suite)).toHaveLength(5);
  });

  test.each([
    ['before the stream is in its place', []],
    ['before the times are', ['stream']],
    ['before the manifest is', ['stream', 'times']],
  ])('%s: the next one ends what it began', async (_, placed) => {
    const places = { stream: 'b.ctl.sse', times: 'b.ctl.times.csv' };
    await write(recording('a'));
    const before = readFileSync(join(suite, 'manifest.json'));
    await write(recording('b'));
    const { recordings } = JSON.parse(readFileSync(join(suite, 'manifest.json'), 'utf8'));
    writeFileSync(join(suite, 'manifest.json'), before);
    mkdirSync(join(suite, '.writing'));
    writeFileSync(join(suite, '.writing', 'entry.json'), JSON.stringify(recordings[1]));
    for (const part of ['stream', 'times'] as const) {
      if (!placed.includes(part)) renameSync(join(suite, places[part]), join(suite, '.writing', part));
    }
    await write();
    expect(await problems()).toEqual([]);
    expect((await loadSuites(dir)).map(({ file }) => file)).toEqual(['a.ctl.sse', 'b.ctl.sse']);
    expect(existsSync(join(suite, '.writing'))).toBe(false);
  });

  test.each([
    ['not JSON', '{', 'entry.json: not JSON. Remove the folder .writing'],
    [
      'a file elsewhere',
      JSON.stringify({ ...recording('b').entry, file: '../b.ctl.sse', sha256: 'a'.repeat(64), bytes: 1 }),
      'stay inside its suite',
    ],
    [
      'a stream that is gone',
      JSON.stringify({ ...recording('b').entry, file: 'b.ctl.sse', sha256: 'a'.repeat(64), bytes: 1 }),
      'b.ctl.sse: the recording cannot be read',
    ],
  ])('and left something else is refused: %s', async (_, journal, message) => {
    await write(recording('a'));
    mkdirSync(join(suite, '.writing'));
    writeFileSync(join(suite, '.writing', 'entry.json'), journal);
    await expect(SuiteWriter.open(dir, HEAD)).rejects.toThrow(message);
    expect(await problems()).toEqual([]);
  });

  test('at any moment leaves whole recordings only', async () => {
    const source = `
      const { SuiteWriter } = await import(${JSON.stringify(new URL('./suite-writer.ts', import.meta.url).href)});
      const writer = await SuiteWriter.open(${JSON.stringify(dir)}, ${JSON.stringify(HEAD)});
      process.stdout.write('open');
      const { entry } = ${JSON.stringify({ entry: recording('a').entry })};
      for (let n = writer.recordings.length; ; n++) {
        const bytes = Buffer.alloc(20_000, n);
        await writer.add({ entry: { ...entry, run: 'run' + n }, bytes, times: [{ ms: 1, bytes: bytes.length }] });
      }`;
    await write(recording('z'));
    for (const pause of [10, 30, 47, 80]) {
      const child = spawn(process.execPath, [
        '--import',
        import.meta.resolve('tsx'),
        '--input-type=module',
        '-e',
        source,
      ]);
      await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, pause));
      child.kill('SIGKILL');
      await once(child, 'close');
      const writer = await SuiteWriter.open(dir, HEAD);
      const written = writer.recordings.length;
      await writer.close();
      const { recordings, problems: found } = await verifySuites(dir);
      expect([recordings, found]).toEqual([written, []]);
    }
  });
});

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

/** Put together here, so that no scanner takes the test for a leak. */
const KEY = `ghp_${'q7Zt4Lw9Xb2Vn6Kd3Rf8Hs5Jc1Gm0PyTaUeW'}`;

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
    ['a key as a task', { task: KEY }, 'own: the manifest would have a secret (GitHub token) in its field task'],
    ['a key as a model', { model: KEY }, 'a secret (GitHub token) in its field model'],
    ['a key in a note', { note: `From ${KEY}.yaml.` }, 'a secret (GitHub token) in its field note'],
    ['a key in an origin', { origin: `https://x.test/${KEY}` }, 'a secret (GitHub token) in its field origin'],
    [
      'a key in a message',
      { request: { messages: [{ role: 'user', content: KEY }], parameters: {} } },
      'a secret (GitHub token) in its field request',
    ],
    [
      'headers deep in a request',
      { request: { messages: [], parameters: { tools: [{ headers: { 'X-Own': 'short' } }] } } },
      'the manifest would have a field for a key or a header in its request',
    ],
  ])('%s', async (_, fields, message) => {
    await write(recording('a'));
    const whole = recording('a');
    await expect(write({ ...whole, entry: { ...whole.entry, ...fields } })).rejects.toThrow(message);
    expect(await problems()).toEqual([]);
    expect(readdirSync(suite)).toHaveLength(3);
  });

  test('a key in what the suite is about, or in its name', async () => {
    await expect(SuiteWriter.open(dir, { suite: 'own', about: `With ${KEY}.` })).rejects.toThrow('in its field about');
    await expect(SuiteWriter.open(dir, { ...HEAD, suite: KEY })).rejects.toThrow('in its field suite');
    expect(readdirSync(dir)).toEqual([]);
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

describe('recordings in batches', () => {
  test('take their places together, and all of them in the end', async () => {
    const writer = await SuiteWriter.open(dir, HEAD, { batch: 3 });
    const seen: [string, number, number][] = [];
    for (const name of ['a', 'b', 'c', 'd', 'a']) {
      const file = await writer.add(recording(name));
      seen.push([file, writer.staged, writer.recordings.length]);
    }
    expect(seen).toEqual([
      ['a.ctl.sse', 1, 0],
      ['b.ctl.sse', 2, 0],
      ['c.ctl.sse', 0, 3],
      ['d.ctl.sse', 1, 3],
      ['a.ctl.2.sse', 2, 3],
    ]);
    expect(existsSync(join(suite, 'd.ctl.sse'))).toBe(false);
    await writer.flush();
    expect([writer.staged, writer.recordings.length, await problems()]).toEqual([0, 5, []]);
    await writer.close();
    expect(readdirSync(suite)).toHaveLength(11);
  });

  test('leave none behind when the writer is closed', async () => {
    const writer = await SuiteWriter.open(dir, HEAD, { batch: 100 });
    await writer.add(recording('a'));
    await writer.add(recording('b'));
    await writer.close();
    expect((await loadSuites(dir)).map(({ file }) => file)).toEqual(['a.ctl.sse', 'b.ctl.sse']);
    expect(await problems()).toEqual([]);
  });

  test('write a manifest as often as a part of it is new', async () => {
    const writer = await SuiteWriter.open(dir, HEAD, { batch: 2 });
    const sizes = new Set<number>();
    for (let number = 1; number <= 40; number++) {
      await writer.add(recording(`t${number}`));
      sizes.add(writer.recordings.length);
    }
    await writer.close();
    expect([...sizes]).toEqual([0, 2, 4, 6, 8, 10, 13, 17, 22, 28, 35]);
  });
});

describe('a writer that was killed', () => {
  test('before its recording counted: it is thrown away', async () => {
    await write(recording('a'));
    mkdirSync(join(suite, '.writing'));
    writeFileSync(join(suite, '.writing', 'b.ctl.sse.part'), 'half');
    writeFileSync(join(suite, '.writing', 'entries.json.new'), '[{"file"');
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
    writeFileSync(join(suite, '.writing', 'entries.json'), JSON.stringify([recordings[1]]));
    for (const part of ['stream', 'times'] as const) {
      const name = places[part];
      if (!placed.includes(part)) renameSync(join(suite, name), join(suite, '.writing', `${name}.part`));
    }
    await write();
    expect(await problems()).toEqual([]);
    expect((await loadSuites(dir)).map(({ file }) => file)).toEqual(['a.ctl.sse', 'b.ctl.sse']);
    expect(existsSync(join(suite, '.writing'))).toBe(false);
  });

  test.each([
    ['not JSON', '{', 'entries.json: not JSON. Remove the folder .writing'],
    ['no list', '{}', 'entries.json: no list of entries. Remove the folder .writing'],
    [
      'a file elsewhere',
      JSON.stringify([{ ...recording('b').entry, file: '../b.ctl.sse', sha256: 'a'.repeat(64), bytes: 1 }]),
      'stay inside its suite',
    ],
    [
      'a stream that is gone',
      JSON.stringify([{ ...recording('b').entry, file: 'b.ctl.sse', sha256: 'a'.repeat(64), bytes: 1 }]),
      'b.ctl.sse: the recording cannot be read',
    ],
  ])('and left something else is refused: %s', async (_, journal, message) => {
    await write(recording('a'));
    mkdirSync(join(suite, '.writing'));
    writeFileSync(join(suite, '.writing', 'entries.json'), journal);
    await expect(SuiteWriter.open(dir, HEAD)).rejects.toThrow(message);
    expect(await problems()).toEqual([]);
  });

  test.each([1, 5])('at any moment leaves whole recordings only, in batches of %i', async (batch) => {
    const source = `
      const { SuiteWriter } = await import(${JSON.stringify(new URL('./suite-writer.ts', import.meta.url).href)});
      const writer = await SuiteWriter.open(${JSON.stringify(dir)}, ${JSON.stringify(HEAD)}, { batch: ${batch} });
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

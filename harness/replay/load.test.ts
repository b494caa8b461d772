import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chunkEvent, DONE_EVENT } from './envelope.ts';
import { loadSuites, verifySuites } from './load.ts';
import { formatManifest, type ManifestEntry } from './manifest.ts';
import { RecordingError } from './recording-error.ts';
import { sha256 } from './stored-recording.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'suites-'));
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

describe('suites with a manifest', () => {
  test('one suite is loaded in order of file, and its bytes are read on demand', async () => {
    await suite('', [stored('t02.ctl.sse', 'b'), stored('t01.ctl.sse', 'a')]);
    const recordings = await loadSuites(root);
    expect(recordings.map(({ suite: name, file, guessed }) => [name, file, guessed])).toEqual([
      ['own', 't01.ctl.sse', false],
      ['own', 't02.ctl.sse', false],
    ]);
    expect(Buffer.from((await recordings[1]?.bytes()) ?? []).toString()).toBe('b');
  });

  test('arrival times are read on demand, and null where there are none', async () => {
    await suite('', [stored('t01.ctl.sse', 'abc'), stored('t02.ctl.sse', 'abc')]);
    await put('t01.ctl.times.csv', 'ms,bytes\n1.5,2\n3,3\n');
    const [timed, untimed] = await loadSuites(root);
    expect(await timed?.arrivals?.()).toEqual([
      { ms: 1.5, bytes: 2 },
      { ms: 3, bytes: 3 },
    ]);
    expect(await untimed?.arrivals?.()).toBeNull();
    await put('t01.ctl.times.csv', 'ms,bytes\n1.5,2\n3,4\n');
    await expect(timed?.arrivals?.()).rejects.toThrow(RecordingError);
  });

  test('several suites are loaded in order of name, or only those that are named', async () => {
    for (const name of ['zeta', 'alpha']) await suite(name, [stored('t01.ctl.sse', name)]);
    expect((await loadSuites(root)).map((recording) => recording.suite)).toEqual(['alpha', 'zeta']);
    expect((await loadSuites(root, { suites: ['zeta'] })).map((recording) => recording.suite)).toEqual(['zeta']);
  });

  test('a suite that was not named is not looked at', async () => {
    await suite('good', [stored('t01.ctl.sse', 'a')]);
    await put('broken/manifest.json', '{');
    expect(await loadSuites(root, { suites: ['good'] })).toHaveLength(1);
    await expect(loadSuites(root)).rejects.toThrow(RecordingError);
  });

  test('an unknown suite is refused with the names that there are', async () => {
    await suite('good', [stored('t01.ctl.sse', 'a')]);
    await expect(loadSuites(root, { suites: ['bad'] })).rejects.toThrow('no suite is called bad. There is: good');
  });

  test('a single suite answers to the name in its manifest', async () => {
    await suite('', [stored('t01.ctl.sse', 'a')]);
    expect(await loadSuites(root, { suites: ['own'] })).toHaveLength(1);
  });

  test('a recording that changes after loading is refused when it is read', async () => {
    await suite('', [stored('t01.ctl.sse', 'a')]);
    const [recording] = await loadSuites(root);
    await put('t01.ctl.sse', 'b');
    await expect(recording?.bytes()).rejects.toMatchObject({ field: 'sha256' });
    await put('t01.ctl.sse', 'bc');
    await expect(recording?.bytes()).rejects.toMatchObject({ field: 'bytes' });
  });

  test('a size that differs, a missing file and an orphan are refused', async () => {
    await suite('', [stored('t01.ctl.sse', 'a'), stored('t02.ctl.sse', 'b')]);
    await put('t01.ctl.sse', 'longer');
    await rm(join(root, 't02.ctl.sse'));
    await put('sub/t03.ctl.sse', 'c');
    expect(await verdicts()).toEqual([
      't01.ctl.sse, bytes: 6 bytes, not 1',
      't02.ctl.sse: the manifest lists it, but there is no such file',
      'sub/t03.ctl.sse: the manifest does not list it',
    ]);
    await expect(loadSuites(root)).rejects.toThrow('6 bytes, not 1');
  });

  test('a hash that differs is found by verifying', async () => {
    await suite('', [stored('t01.ctl.sse', 'a'), stored('t02.ctl.sse', 'b')]);
    await put('t01.ctl.sse', 'x');
    expect(await verdicts()).toEqual([expect.stringMatching(/^t01\.ctl\.sse, sha256: the hash is /)]);
  });

  test('a symbolic link out of the suite is refused, one within it is not', async () => {
    await suite('inside', [stored('t01.ctl.sse', 'a'), stored('t02.ctl.sse', 'a')]);
    await put('outside.txt', 'a');
    await link('inside/t01.ctl.sse', 'outside.txt');
    await link('inside/t02.ctl.sse', 'inside/kept.txt');
    await put('inside/kept.txt', 'a');
    expect(await verdicts()).toEqual(['inside/t01.ctl.sse: the file lies outside its suite']);
  });

  test('a suite whose folder has another name is refused', async () => {
    await suite('one', [stored('t01.ctl.sse', 'a')], 'two');
    expect(await verdicts()).toEqual(['one/manifest.json, suite: the suite is called two, its folder one']);
  });

  test('a stream beside suites is refused', async () => {
    await suite('one', [stored('t01.ctl.sse', 'a')]);
    await put('stray.sse', 'a');
    expect(await verdicts()).toEqual(['stray.sse: a stream beside suites belongs to none of them']);
  });

  test('a request that refers to a file that is not there is refused', async () => {
    const request = { system: ['prompts/a.md'], tasks: 'tasks.json', task: 't01', parameters: {} };
    await suite('', [{ ...stored('t01.ctl.sse', 'a'), request }]);
    await put('tasks.json', '[]');
    expect(await verdicts()).toEqual([
      'manifest.json, recordings[0].request: the request refers to prompts/a.md, which is not in the suite',
    ]);
  });

  test('arrival times are checked, and orphaned ones refused', async () => {
    await suite('', [stored('t01.ctl.sse', 'abc'), stored('t02.ctl.sse', 'abc')]);
    await put('t01.ctl.times.csv', 'ms,bytes\n1.5,2\n3,3\n');
    await put('t02.ctl.times.csv', 'ms,bytes\n1.5,2\n');
    await put('t03.ctl.times.csv', 'ms,bytes\n');
    expect(await verdicts()).toEqual([
      't02.ctl.times.csv, line 2: 2 bytes, but the recording has 3',
      't03.ctl.times.csv: the manifest does not list it',
    ]);
  });
});

describe('bare folders', () => {
  test('the framing is guessed and shown as guessed', async () => {
    await put('a.sse', chat('call c1 t\narg k <<E\nx\nE\nend\n'));
    await put('deep/er/b.sse', chat('call c1 t\narg k 1\nx\nend\n'));
    const recordings = await loadSuites(root);
    expect(
      recordings.map(({ file, task, framing, guessed, source }) => [file, task, framing, guessed, source]),
    ).toEqual([
      ['a.sse', 'a', 'ctl-heredoc', true, 'unknown'],
      ['deep/er/b.sse', 'deep/er/b', 'ctl', true, 'unknown'],
    ]);
  });

  test('a subfolder without manifest among suites is a bare suite', async () => {
    await suite('one', [stored('t01.ctl.sse', 'a')]);
    await put('two/a.sse', chat('hello'));
    expect((await loadSuites(root)).map(({ suite: name, guessed }) => [name, guessed])).toEqual([
      ['one', false],
      ['two', true],
    ]);
  });

  test('a file that changes after loading is refused', async () => {
    await put('a.sse', chat('hello'));
    const [recording] = await loadSuites(root);
    await put('a.sse', chat('jello'));
    await expect(recording?.bytes()).rejects.toMatchObject({ name: 'RecordingError', field: 'sha256' });
  });

  test('a folder without streams is refused with what to do', async () => {
    await expect(loadSuites(root)).rejects.toThrow('Name a folder of .sse files, of suites, or a suite');
  });

  test('a folder that does not exist, and a file, are refused', async () => {
    await put('a.sse', '');
    await expect(loadSuites(join(root, 'nothing'))).rejects.toThrow('there is no such folder');
    await expect(loadSuites(join(root, 'a.sse'))).rejects.toThrow('Name the folder that holds the recordings');
  });

  test('a link out of the folder is refused', async () => {
    await put('outside.txt', 'a');
    await mkdir(join(root, 'bare'));
    await link('bare/a.sse', 'outside.txt');
    await expect(loadSuites(join(root, 'bare'))).rejects.toThrow('the file lies outside its suite');
  });
});

async function suite(folder: string, entries: readonly ManifestEntry[], name = folder || 'own'): Promise<void> {
  for (const entry of entries) await put(join(folder, entry.file), entry.note ?? '');
  const manifest = formatManifest({ format: 1, suite: name, about: 'a test', recordings: entries });
  await put(join(folder, 'manifest.json'), manifest);
}

/** The note carries the content to `suite`. */
function stored(file: string, content: string): ManifestEntry {
  return {
    file,
    sha256: sha256(Buffer.from(content)),
    bytes: content.length,
    task: file.split('.')[0] ?? '',
    protocol: 'ctl',
    wire: 'openai-chat',
    provider: null,
    model: null,
    recordedAt: null,
    request: null,
    source: 'recorded',
    note: content,
  };
}

function chat(content: string): string {
  return chunkEvent({ id: 'x', model: 'm' }, { content }) + DONE_EVENT;
}

async function put(file: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), content);
}

async function link(from: string, to: string): Promise<void> {
  await rm(join(root, from), { force: true });
  await symlink(join(root, to), join(root, from));
}

/** Messages without the folder and the advice. */
async function verdicts(): Promise<readonly string[]> {
  const { problems } = await verifySuites(root);
  return problems.map(({ message }) => message.replace(`${root}/`, '').replace(/\. [A-Z].*$/, ''));
}

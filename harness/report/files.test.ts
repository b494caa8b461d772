import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ForeignFileError, type ManifestContent, ResultFiles } from './files.ts';

const MANIFEST: ManifestContent = { experiment: 'c', seed: 7 };
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cst-files-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

function results(files: Record<string, string>): ResultFiles {
  const made = new ResultFiles();
  for (const [path, content] of Object.entries(files)) made.add(path, content);
  return made;
}

async function tree(): Promise<string[]> {
  return (await readdir(dir, { recursive: true })).sort();
}

describe('ResultFiles.write', () => {
  it('writes the files and a manifest that lists them, sorted', async () => {
    await results({ 'b.csv': 'x\n', 'charts/a.svg': '<svg/>' }).write(join(dir, 'c'), MANIFEST);
    expect(await tree()).toEqual(['c', 'c/b.csv', 'c/charts', 'c/charts/a.svg', 'c/manifest.json']);
    expect(JSON.parse(await readFile(join(dir, 'c/manifest.json'), 'utf8'))).toEqual({
      experiment: 'c',
      seed: 7,
      files: [
        { path: 'b.csv', sha256: '73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac' },
        { path: 'charts/a.svg', sha256: 'd4dc56669143034f31aa309635d4113d9ad76a02b1739da22c965ed2049be9e6' },
      ],
    });
  });

  it('lists pixels without a hash: they may depend on the platform', async () => {
    await results({ 'a.png': 'one' }).write(dir, MANIFEST);
    expect(JSON.parse(await readFile(join(dir, 'manifest.json'), 'utf8')).files).toEqual([{ path: 'a.png' }]);
  });

  it('replaces its own files, removes those no longer produced with their empty folders, and keeps foreign ones', async () => {
    await results({ 'a.csv': '1\n', 'old/b.csv': '2\n' }).write(dir, MANIFEST);
    await writeFile(join(dir, 'notes.txt'), 'mine');
    await results({ 'a.csv': '3\n' }).write(dir, MANIFEST);
    expect(await tree()).toEqual(['a.csv', 'manifest.json', 'notes.txt']);
    expect(await readFile(join(dir, 'a.csv'), 'utf8')).toBe('3\n');
  });

  it('changes nothing when a foreign file is in the way', async () => {
    await writeFile(join(dir, 'b.csv'), 'mine');
    await expect(results({ 'a.csv': '1\n', 'b.csv': '2\n' }).write(dir, MANIFEST)).rejects.toThrow(ForeignFileError);
    expect(await tree()).toEqual(['b.csv']);
    expect(await readFile(join(dir, 'b.csv'), 'utf8')).toBe('mine');
  });

  it.each([
    ['of something else', '{"streams":[]}'],
    ['of another experiment', '{"experiment":"d","files":[]}'],
    ['that is no JSON', 'x'],
    ['that lists a file outside', '{"experiment":"c","files":[{"path":"../x"}]}'],
  ])('changes nothing when there is a manifest %s', async (_, text) => {
    await writeFile(join(dir, 'manifest.json'), text);
    await expect(results({ 'a.csv': '1\n' }).write(dir, MANIFEST)).rejects.toThrow(ForeignFileError);
    expect(await tree()).toEqual(['manifest.json']);
  });

  it.each(['../a.csv', '/a.csv', 'a/../b', 'a//b', '', 'manifest.json', '.hidden', 'a\\b'])(
    'takes no path like %j',
    (path) => {
      expect(() => results({ [path]: '' })).toThrow(RangeError);
    },
  );

  it('takes each path once', () => {
    const files = results({ 'a.csv': '' });
    expect(() => files.add('a.csv', '')).toThrow(RangeError);
  });
});

describe('ResultFiles.check', () => {
  it('finds nothing after a write, whatever the pixels', async () => {
    const files = results({ 'a.csv': 'k\n1\n', 'a.png': 'one' });
    await files.write(dir, MANIFEST);
    await writeFile(join(dir, 'a.png'), 'two');
    await writeFile(join(dir, '.DS_Store'), '');
    expect(await files.check(dir, MANIFEST)).toEqual([]);
  });

  it('reports what is missing, extra and different, in the order of the paths', async () => {
    await results({ 'a.csv': 'k\n1\n', 'b.csv': 'k\n' }).write(dir, MANIFEST);
    await mkdir(join(dir, 'deep'));
    await writeFile(join(dir, 'deep/orphan.csv'), '');
    const differences = await results({ 'a.csv': 'k\n2\n', 'c.png': '' }).check(dir, MANIFEST);
    expect(differences.map(({ kind, path }) => [path, kind])).toEqual([
      ['a.csv', 'differs'],
      ['b.csv', 'extra'],
      ['c.png', 'missing'],
      ['deep/orphan.csv', 'extra'],
      ['manifest.json', 'differs'],
    ]);
    expect(differences[0]).toMatchObject({ line: 2, column: 'k', committed: '1', produced: '2' });
  });

  it('reports everything missing when there is no folder', async () => {
    const differences = await results({ 'a.csv': '' }).check(join(dir, 'none'), MANIFEST);
    expect(differences.map(({ kind }) => kind)).toEqual(['missing', 'missing']);
  });

  it('reports a manifest that says something else', async () => {
    const files = results({ 'a.csv': '' });
    await files.write(dir, MANIFEST);
    expect(await files.check(dir, { experiment: 'c', seed: 8 })).toMatchObject([
      { kind: 'differs', path: 'manifest.json', line: 3, committed: '  "seed": 7,', produced: '  "seed": 8,' },
    ]);
  });
});

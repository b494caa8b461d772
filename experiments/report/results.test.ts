import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ResultFiles } from '../../harness/report/files.ts';
import { readResults } from './results.ts';

let root: string;

const PLAIN = { lineLimit: 4096, seed: 20261202, filter: null };

function write(options: typeof PLAIN | { lineLimit: number; seed: number; filter: string }): Promise<void> {
  const files = new ResultFiles();
  files.add('a.csv', 'k\n1\n');
  files.add('charts/b.vl.json', '{}\n');
  files.add('charts/b.svg', '<svg/>');
  return files.write(join(root, 'results/c'), { experiment: 'c', program: 'cst-eval 0', options, recordings: [] });
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cst-results-'));
  await write(PLAIN);
});
afterEach(async () => {
  await rm(root, { recursive: true });
});

const inFolder = (file: string): string => join(root, 'results/c', file);

describe('readResults', () => {
  it('reads tables and charts as the run wrote them', async () => {
    const { tables, charts } = await readResults(root, 'c');
    expect(tables).toEqual([{ path: 'results/c/a.csv', csv: 'k\n1\n' }]);
    expect(charts).toEqual([{ name: 'b', spec: '{}\n', svg: '<svg/>' }]);
  });

  it.each(['a.csv', 'charts/b.vl.json', 'charts/b.svg'])('publishes no %s that was edited', async (file) => {
    await writeFile(inFolder(file), 'k\n2\n');
    await expect(readResults(root, 'c')).rejects.toThrow(
      `results/c/${file} is not what its manifest lists (SHA-256): npm run exp:c makes it anew`,
    );
  });

  it('names a file that is missing, and the command that makes it', async () => {
    await rm(inFolder('a.csv'));
    await expect(readResults(root, 'c')).rejects.toThrow(
      'results/c/a.csv cannot be read (ENOENT): npm run exp:c makes it',
    );
  });

  it('takes no manifest of another form', async () => {
    await writeFile(
      inFolder('manifest.json'),
      '{"program":"x","options":{"lineLimit":4096,"seed":20261202,"filter":null},"recordings":[],"files":["a.csv"]}',
    );
    await expect(readResults(root, 'c')).rejects.toThrow('results/c/manifest.json is no manifest of results');
  });

  it.each([
    [{ ...PLAIN, filter: 'replies/t0' }, '--filter replies/t0'],
    [{ ...PLAIN, seed: 5 }, '--seed 5'],
    [{ ...PLAIN, lineLimit: 64 }, '--l-line 64'],
  ])('publishes no run with other options: %j', async (options, told) => {
    await write(options);
    const message = `results/c are of a run with ${told}: npm run exp:c makes them anew`;
    await expect(readResults(root, 'c')).rejects.toThrow(message);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../testing/runs.ts';
import { projectRoot, resolveProjectPath } from './project-path.ts';

const place = realpathSync(mkdtempSync(join(tmpdir(), 'cst-path-')));
const root = join(place, 'project');
const OUTSIDE = 'leads out of the project folder';

const LINKS = {
  'to-file': 'src/a.txt',
  'to-folder': 'src',
  'to-link': 'to-folder/deep',
  'src/deep/up': '../..',
  'absolute-inside': join(root, 'src'),
  out: '../outside',
  'out-file': '../outside/secret',
  'absolute-out': join(place, 'outside'),
  'out-and-back': '../outside/../project/src',
  'dangling-inside': 'src/not-yet.txt',
  'dangling-outside': '../outside/not-yet.txt',
  'dangling-folder': 'nowhere/x.txt',
  loop: 'loop',
  ping: 'pong',
  pong: 'ping',
};

beforeAll(() => {
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  mkdirSync(join(place, 'project-two'));
  mkdirSync(join(place, 'outside'));
  writeFileSync(join(root, 'src/a.txt'), 'a');
  writeFileSync(join(place, 'outside/secret'), 's');
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, join(root, path));
});
afterAll(() => rmSync(place, { recursive: true }));

async function shown(path: string): Promise<string> {
  const found = await resolveProjectPath({ root }, path);
  if ('problem' in found) return found.problem.replace(`${JSON.stringify(path)}: `, '! ');
  expect(found.real).toBe(found.shown === '.' ? root : join(root, found.shown));
  const { stats } = found;
  return `${found.shown} ${stats === null ? 'nothing' : stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other'}`;
}

describe('the session of the run', () => {
  it('is no path of a tool, and neither is its lock', async () => {
    const folder = { root, session: join(root, 'src/a.txt') };
    for (const path of ['src/a.txt', 'to-file', 'src/a.txt.lock', 'src/a.txt.lock.12.1', join(root, 'src/a.txt')]) {
      expect(await resolveProjectPath(folder, path)).toEqual({
        problem: `${JSON.stringify(path)}: is the session of this run, which no tool touches`,
      });
    }
    expect(await resolveProjectPath(folder, 'src/a.txt.locked')).toMatchObject({ shown: 'src/a.txt.locked' });
    expect(await resolveProjectPath(folder, 'src')).toMatchObject({ shown: 'src' });
  });
});

describe('a path inside the project folder', () => {
  it.each([
    ['.', '. folder'],
    ['./', '. folder'],
    ['src', 'src folder'],
    ['src/', 'src folder'],
    ['src//./a.txt', 'src/a.txt file'],
    ['src/deep/../a.txt', 'src/a.txt file'],
    ['../project/src', 'src folder'],
    ['new.txt', 'new.txt nothing'],
    ['new/folder/x.txt', 'new/folder/x.txt nothing'],
    ['..a', '..a nothing'],
    ['é\n', 'é\n nothing'],
  ])('%j is %j', async (path, expected) => {
    expect(await shown(path)).toBe(expected);
  });

  it('may be absolute', async () => {
    expect(await shown(root)).toBe('. folder');
    expect(await shown(join(root, 'src/a.txt'))).toBe('src/a.txt file');
    expect(await shown(join(root, 'new/x'))).toBe('new/x nothing');
  });

  it.each([
    ['to-file', 'src/a.txt file'],
    ['to-folder/a.txt', 'src/a.txt file'],
    ['to-link', 'src/deep folder'],
    ['to-link/new', 'src/deep/new nothing'],
    ['src/deep/up/src/a.txt', 'src/a.txt file'],
    ['absolute-inside/a.txt', 'src/a.txt file'],
    ['out-and-back/a.txt', 'src/a.txt file'],
    ['dangling-inside', 'src/not-yet.txt nothing'],
    ['dangling-folder', 'nowhere/x.txt nothing'],
    ['to-folder/../src', 'src folder'],
    ['to-link/..', 'src folder'],
    ['to-link/../a.txt', 'src/a.txt file'],
  ])('%j goes through links to %j', async (path, expected) => {
    expect(await shown(path)).toBe(expected);
  });

  it('is where the kernel says it is', async () => {
    for (const path of ['to-link/../a.txt', 'src/deep/up/to-file', 'out-and-back', 'absolute-inside/deep/..']) {
      const kernel = execFileSync('readlink', ['-f', path], { cwd: root, encoding: 'utf8' }).trimEnd();
      expect(await resolveProjectPath({ root }, path)).toMatchObject({ real: kernel });
    }
  });
});

describe('a path that leads out', () => {
  it.each([
    '..',
    '../',
    '../outside/secret',
    '../project-two',
    'src/../../outside',
    'src/deep/up/..',
    'to-link/../../..',
    '/',
    '/etc/passwd',
    'out',
    'out/',
    'out/secret',
    'out/new/file',
    'out-file',
    'absolute-out/secret',
    'absolute-out/../project-two/x',
    'dangling-outside',
    '/nowhere/at/all',
  ])('%j is refused', async (path) => {
    expect(await shown(path)).toBe(`! ${OUTSIDE}`);
  });

  it('is refused though its name begins like that of the project', async () => {
    expect(await shown(`${root}-two/x`)).toBe(`! ${OUTSIDE}`);
  });
});

describe('a path that names nothing', () => {
  it.each([
    ['', 'the path is empty ("." is the project folder)'],
    ['a\0b', '! a path cannot hold a NUL byte'],
    ['src/a.txt/', '! a part of it is a file, no folder'],
    ['src/a.txt/..', '! a part of it is a file, no folder'],
    ['src/a.txt/b', '! a part of it is a file, no folder'],
    ['to-file/b', '! a part of it is a file, no folder'],
    ['new/', '! no such file or directory'],
    ['new/..', '! no such file or directory'],
    ['dangling-folder/..', '! no such file or directory'],
    ['loop', '! too many symbolic links, or a loop of them'],
    ['ping/x', '! too many symbolic links, or a loop of them'],
    ['x'.repeat(300), '! name too long'],
  ])('%j: %s', async (path, problem) => {
    expect(await shown(path)).toBe(problem);
  });
});

describe('any path', () => {
  const names = ['..', '.', '', 'src', 'deep', 'up', 'a.txt', 'new', ...Object.keys(LINKS)];
  const paths = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 8 }).map((parts) => parts.join('/'));

  it('leads where the kernel leads it, and never out', async () => {
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        fc.pre(path !== '');
        const found = await resolveProjectPath({ root }, path);
        const kernel = realPathOrNull(path.startsWith('/') ? path : `${root}/${path}`);
        if (kernel === null) {
          expect('problem' in found || found.stats === null).toBe(true);
        } else if (kernel === root || kernel.startsWith(`${root}/`)) {
          expect(found).toMatchObject({ real: kernel, stats: { ino: statSync(kernel).ino } });
        } else {
          expect(found).toEqual({ problem: `${JSON.stringify(path)}: ${OUTSIDE}` });
        }
        if ('real' in found) expect(found.real === root || found.real.startsWith(`${root}/`)).toBe(true);
      }),
      runs(1000, 20_000, 911),
    );
  });
});

function realPathOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

describe('the project folder', () => {
  it('is known by its real path', async () => {
    expect(await projectRoot(join(root, 'to-folder/deep/..'))).toEqual({ root: join(root, 'src') });
    expect(await projectRoot(join(root, 'to-link'))).toEqual({ root: join(root, 'src/deep') });
  });

  it('is a folder that is there', async () => {
    expect(await projectRoot(join(root, 'src/a.txt'))).toEqual({ problem: `${root}/src/a.txt: is no folder` });
    expect(await projectRoot(join(root, 'no'))).toEqual({ problem: `${root}/no: no such file or directory` });
  });
});

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile } from './atomic-write.ts';
import { heldFiles } from './held-files.ts';
import { HeldFolder, inFolder } from './held-folder.ts';
import { TestProject } from './test-project.ts';

const project = new TestProject();
afterAll(() => project.remove());
const outside = join(project.around, 'outside');
const sub = project.path('sub');

beforeEach(() => {
  for (const folder of [sub, outside, project.path('moved')]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(sub);
  mkdirSync(outside);
  writeFileSync(join(sub, 'f'), 'inside');
  writeFileSync(join(outside, 'f'), 'outside');
});

/** What another process may do between check and use. */
function swap(): void {
  renameSync(sub, project.path('moved'));
  symlinkSync('../outside', sub);
}

describe.skipIf(process.platform !== 'linux')('a folder that is swapped for a link out of the project', () => {
  it('is refused when it is opened', async () => {
    mkdirSync(join(sub, 'deep'));
    mkdirSync(join(outside, 'deep'));
    swap();
    await expect(HeldFolder.open(sub)).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(HeldFolder.open(join(sub, 'deep'))).rejects.toMatchObject({ code: 'ESTALE' });
  });

  it('is still the same folder while it is held', async () => {
    await inFolder(sub, async (folder) => {
      swap();
      expect(readFileSync(folder.at('f'), 'utf8')).toBe('inside');
      writeFileSync(folder.at('g'), 'x');
    });
    expect([existsSync(join(outside, 'g')), existsSync(project.path('moved/g'))]).toEqual([false, true]);
  });

  it('is written to by no tool', async () => {
    swap();
    await expect(replaceFile(join(sub, 'f'), Buffer.from('x'), null)).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(replaceFile(join(sub, 'new/f'), Buffer.from('x'), null)).rejects.toMatchObject({ code: 'ENOTDIR' });
    const files = heldFiles({ root: project.root });
    await expect(files.rename(join(outside, 'f'), join(sub, 'g'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(files.remove(join(sub, 'f'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('outside');
  });
});

describe('a file that is written', () => {
  it('has its folders made, and they are removed where the writing fails', async () => {
    await replaceFile(join(sub, 'a/b/c'), Buffer.from('x'), null);
    expect(readFileSync(join(sub, 'a/b/c'), 'utf8')).toBe('x');
    await expect(replaceFile(join(sub, 'a/d/e', 'x'.repeat(256)), Buffer.from('x'), null)).rejects.toThrow();
    expect(existsSync(join(sub, 'a/d'))).toBe(false);
  });
});

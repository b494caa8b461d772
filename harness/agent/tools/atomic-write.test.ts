import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { replaceFile } from './atomic-write.ts';
import { TestProject } from './test-project.ts';

const project = new TestProject();
afterAll(() => project.remove());
const bytes = Buffer.from('new');

describe('a file that cannot be replaced', () => {
  it('leaves neither a temporary file nor a new folder', async () => {
    project.file('kept/file', 'old');
    const path = project.path(`kept/new/er/${'x'.repeat(256)}`);
    await expect(replaceFile(path, bytes, null)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    expect(readdirSync(project.path('kept'))).toEqual(['file']);
  });

  it('is left as it is', async () => {
    mkdirSync(project.path('busy/now-a-folder'), { recursive: true });
    await expect(replaceFile(project.path('busy/now-a-folder'), bytes, null)).rejects.toMatchObject({ code: 'EISDIR' });
    expect(readdirSync(project.path('busy'))).toEqual(['now-a-folder']);
  });
});

describe('a file that is replaced', () => {
  it('is a new file with the mode of the old one', async () => {
    const path = project.file('secret', 'x'.repeat(100));
    const old = statSync(path);
    await replaceFile(path, bytes, { ...old, mode: (old.mode & ~0o777) | 0o600 } as typeof old);
    expect(statSync(path)).toMatchObject({ size: 3, mode: (old.mode & ~0o777) | 0o600 });
    expect(statSync(path).ino).not.toBe(old.ino);
  });
});

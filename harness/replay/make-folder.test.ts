import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'cst-folder-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('makes those above it, and may be there already', async () => {
  await makeFolder(join(folder, 'a/b/c'));
  await makeFolder(join(folder, 'a/b/c'));
  expect(statSync(join(folder, 'a/b/c')).isDirectory()).toBe(true);
});

test('says which part is a file', async () => {
  const file = join(folder, 'f');
  writeFileSync(file, '');
  await expect(makeFolder(file)).rejects.toThrow(`${file}: is a file, a folder is wanted. Choose another folder`);
  const inside = join(file, 'x/y');
  await expect(makeFolder(inside)).rejects.toThrow(`${inside}: ${file} is a file, and no folder can be in it`);
});

test.skipIf(!existsSync('/proc/self'))('ends where none can be made', async () => {
  const words = '/proc/x/y: the folder cannot be made (at /proc/x): its file system takes no folders';
  await expect(makeFolder('/proc/x/y')).rejects.toThrow(words);
});

test('says that a name is too long', async () => {
  await expect(makeFolder(join(folder, 'n'.repeat(300)))).rejects.toThrow('the name is too long');
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readUtf8 } from './utf8-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'cst-utf8-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'a.json');

test.each([
  ['a Latin-1 letter', 'ab\ncaf\xe9 x', 'byte 6 (line 2) is no UTF-8 (0xe9)'],
  ['the same at the end', 'caf\xe9', 'byte 3 (line 1) is no UTF-8 (0xe9)'],
  ['a lone continuation', 'a\x80', 'byte 1 (line 1) is no UTF-8 (0x80)'],
  ['a mark of UTF-16', '\xff\xfea\0', 'byte 0 (line 1) is no UTF-8 (0xff)'],
  ['half a character', 'x\xe2\x82', 'byte 1 (line 1) is no UTF-8 (0xe2)'],
  ['half a character before another', '\xc3\xa9\xe2\x82\xc3\xa9', 'byte 2 (line 1) is no UTF-8 (0xe2)'],
  ['a surrogate', 'a\xed\xa0\x80', 'byte 1 (line 1) is no UTF-8 (0xed)'],
])('%s is refused at its byte', async (_, bytes, what) => {
  writeFileSync(file, Buffer.from(bytes, 'latin1'));
  const words = `${file}: ${what}. Save it as UTF-8: it may be Latin-1, Windows-1252 or UTF-16`;
  await expect(readUtf8(file, 'x')).rejects.toThrow(words);
});

test('UTF-8 is read as it is, with its mark', async () => {
  writeFileSync(file, '\ufeffé😀');
  expect(await readUtf8(file, 'x')).toBe('\ufeffé😀');
});

test('a folder is no file', async () => {
  await expect(readUtf8(folder, 'a list')).rejects.toThrow(`${folder}: is a folder. Name a file: a list`);
});

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { cst, TestFolder } from './test-terminal.ts';

const folder = new TestFolder();
const project = join(folder.path, 'project');
afterAll(() => folder.remove());

beforeEach(() => {
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project);
  for (const name of ['a', 'b', 'c']) writeFileSync(join(project, name), 'one\ntwo\nthree\n');
});

const texts = () => ['a', 'b', 'c'].map((name) => readFileSync(join(project, name), 'utf8'));
const BEFORE = Array.from({ length: 3 }, () => 'one\ntwo\nthree\n');

const entry = (path: string, hunk: string) => `--- a/${path}\n+++ b/${path}\n${hunk}`;
const GOOD = '@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n';
const COUNTS = '@@ -1,9 +1,9 @@\n one\n-two\n+zwei\n three\n';
const FUZZ = '@@ -1,2 +1,2 @@\n one \n-two\n+zwei\n';
const BAD = '@@ -1,2 +1,2 @@\n one\n-deux\n+zwei\n';

const patch = (text: string, ...options: readonly string[]) => cst(['patch', '-', '--cwd', project, ...options], text);

describe('cst patch', () => {
  it('applies a patch and says in a line what it did to each file', async () => {
    const text =
      entry('a', COUNTS) +
      entry('b', FUZZ) +
      'diff --git a/c b/d\nsimilarity index 100%\nrename from c\nrename to d\n--- /dev/null\n+++ b/new/e\n@@ -0,0 +1 @@\n+e\n';
    const planned = [
      'would edit a, 1 hunk (hunk 1: counts corrected to -1,3 +1,3)',
      'would edit b, 1 hunk, 1 with fuzz (hunk 1: fuzz (blanks at line ends))',
      'would rename c -> d',
      'would create new/e, 1 hunk',
    ];
    expect(await patch(text, '--dry-run')).toEqual({ code: 0, out: `${planned.join('\n')}\n`, err: '' });
    expect(texts()).toEqual(BEFORE);
    const done = [
      'edited a, 1 hunk (hunk 1: counts corrected to -1,3 +1,3)',
      'edited b, 1 hunk, 1 with fuzz (hunk 1: fuzz (blanks at line ends))',
      'renamed c -> d',
      'created new/e, 1 hunk',
    ];
    expect(await patch(text)).toEqual({ code: 0, out: `${done.join('\n')}\n`, err: '' });
    expect(readFileSync(join(project, 'a'), 'utf8')).toBe('one\nzwei\nthree\n');
    expect(readFileSync(join(project, 'd'), 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it('of three files with one bad hunk changes nothing, and says where and why', async () => {
    const text = entry('a', GOOD) + entry('b', BAD) + entry('c', GOOD);
    const { code, out, err } = await patch(text);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /^not_found: b, hunk 1: its 2 old lines .* line 2 is "two", the hunk has "deux"\nNothing was changed.\n$/,
    );
    expect(texts()).toEqual(BEFORE);
  });

  it('answers in one JSON line', async () => {
    const path = folder.file('good.diff', entry('a', GOOD));
    const good = await cst(['patch', path, '--cwd', project, '--json']);
    const file = { path: 'a', action: 'edit', hunks: 1, fuzz: 0, corrections: [] };
    expect(JSON.parse(good.out)).toEqual({ ok: true, files: [file], error: null });
    expect([good.code, good.err]).toEqual([0, '']);
    const bad = await patch(entry('b', BAD), '--json');
    const error = { kind: 'not_found', file: 'b', hunk: 1, message: expect.any(String) };
    expect(JSON.parse(bad.out)).toEqual({ ok: false, files: [], error });
    expect([bad.code, bad.err, bad.out.split('\n').length]).toEqual([1, '', 2]);
  });

  it('takes a short last hunk as cut if asked to', async () => {
    const { code, err } = await patch(entry('a', GOOD) + entry('b', COUNTS), '--counts', 'strict');
    expect(code).toBe(1);
    expect(err).toContain('truncated: b, hunk 1: the hunk ends after 3 of 9 old lines');
    expect(texts()).toEqual(BEFORE);
  });

  it('shows names and lines from elsewhere without obeying them', async () => {
    const { err } = await patch(entry('\u001b[2J', GOOD));
    expect(err).toContain('not_found: \\u001b[2J: there is no such file');
  });

  it.each([
    [['patch', '-', '--counts', 'maybe'], 2, '--counts takes recount, strict, not maybe'],
    [['patch', '-', '--cwd', 'x', '--cwd', 'y'], 2, '--cwd was given twice'],
    [['patch'], 2, 'a file is missing'],
    [['patch', '-', 'x'], 2, 'unknown option or argument: x'],
    [['patch', 'nowhere.diff'], 3, 'nowhere.diff: no such file or folder'],
    [['patch', folder.path], 3, 'is a folder, a file is wanted'],
    [['patch', '-', '--cwd', 'nowhere'], 3, 'nowhere: no such file or folder'],
    [['patch', '-', '--cwd', 'package.json'], 3, 'package.json: is a file, a folder is wanted'],
  ])('%j is a mistake', async (argv, code, words) => {
    const answer = await cst(argv, entry('a', GOOD));
    expect([answer.code, answer.out]).toEqual([code, '']);
    expect(answer.err).toContain(words);
  });

  it('has help with examples and exit codes', async () => {
    const { out } = await cst(['patch', '--help']);
    for (const words of ['cst patch changes.diff --cwd project', '--dry-run', '--counts', 'Exit codes: 0 applied']) {
      expect(out).toContain(words);
    }
  });
});

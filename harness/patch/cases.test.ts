import { afterAll, describe, expect, it } from 'vitest';
import type { CountsMode } from './patch.ts';
import { type Contents, TestTree } from './test-tree.ts';

/** A fault that another program's users have met; `source` is the public report of it. */
interface Case {
  readonly name: string;
  readonly source: string;
  readonly before: Contents;
  /** Lines without their LF. */
  readonly patch: readonly string[];
  /** Where there is an error, all stays as before. */
  readonly after?: Contents;
  readonly error?: string;
  readonly report?: string;
  readonly counts?: CountsMode;
}

const CASES: readonly Case[] = [
  {
    name: '01-count-omitted',
    source: 'use-agent-os/agent-os#2224',
    before: { 't.txt': 'red\norange\nyellow\ngreen\nblue\n' },
    patch: ['--- a/t.txt', '+++ b/t.txt', '@@ -2 +2 @@', ' orange', '-yellow', '+lemon', ' green'],
    after: { 't.txt': 'red\norange\nlemon\ngreen\nblue\n' },
    report: 'hunk 1: counts corrected to -2,3 +2,3',
  },
  {
    name: '02-count-too-large-at-end',
    source: 'use-agent-os/agent-os#2224',
    before: { 't.txt': 'red\norange\nyellow\ngreen\nblue\n' },
    patch: ['--- a/t.txt', '+++ b/t.txt', '@@ -2,4 +2,4 @@', ' orange', '-yellow', '+lemon', ' green'],
    error: 'truncated',
    counts: 'strict',
  },
  {
    name: '04-wrong-line-number',
    source: 'oven-sh/bun#41733',
    before: {
      't.txt': numbered(40),
    },
    patch: ['--- a/t.txt', '+++ b/t.txt', '@@ -3,3 +3,3 @@', ' line 29', '-line 30', '+line thirty', ' line 31'],
    after: {
      't.txt': numbered(40).replace('line 30', 'line thirty'),
    },
    report: 'hunk 1: offset 26',
  },
  {
    name: '05-ambiguous-no-line-number',
    source: 'openclaw/openclaw#124392',
    before: { 'h.txt': 'on open:\n    log(1)\n    done\n\non close:\n    log(1)\n    done\n' },
    patch: ['--- a/h.txt', '+++ b/h.txt', '@@', '-    log(1)', '     done'],
    error: 'ambiguous',
  },
  {
    name: '07-indentation-is-not-fuzz',
    source: 'openclaw/openclaw#124392',
    before: { 'h.txt': 'while true\n\tif ready\n\t\temit\n\t\tstop\n' },
    patch: ['--- a/h.txt', '+++ b/h.txt', '@@ -3,2 +3,1 @@', '-    emit', '     stop'],
    error: 'not_found',
  },
  {
    name: '08-trailing-blank-on-context',
    source: 'TokenRhythm/opensquilla#957',
    before: { 't.md': 'first  \nsecond\nthird\n' },
    patch: ['--- a/t.md', '+++ b/t.md', '@@ -1,3 +1,3 @@', ' first', '-second', '+zweite', ' third'],
    after: { 't.md': 'first  \nzweite\nthird\n' },
    report: 'hunk 1: fuzz (blanks at line ends)',
  },
  {
    name: '10-eof-newline-untouched',
    source: 'anomalyco/opencode#45912',
    before: { f: 'rain\nsnow\nhail' },
    patch: ['--- a/f', '+++ b/f', '@@ -1,2 +1,2 @@', '-rain', '+drizzle', ' snow'],
    after: { f: 'drizzle\nsnow\nhail' },
  },
  {
    name: '11-final-blank-line-kept',
    source: 'anomalyco/opencode#42081',
    before: { f: 'oak\nelm\n\n' },
    patch: ['--- a/f', '+++ b/f', '@@ -1,2 +1,2 @@', '-oak', '+ash', ' elm'],
    after: { f: 'ash\nelm\n\n' },
  },
  {
    name: '13-no-newline-marker',
    source: 'BaseIntelligence/bounty-challenge#7396',
    before: { f: 'a\nb\n' },
    patch: ['--- a/f', '+++ b/f', '@@ -1,2 +1,2 @@', ' a', '-b', '+B', '\\ No newline at end of file'],
    after: { f: 'a\nB' },
  },
  {
    name: '14-crlf-file-lf-patch',
    source: 'openclaw/openclaw#115943',
    before: { 'w.bat': '@echo off\r\nset A=1\r\necho %A%\r\n' },
    patch: ['--- a/w.bat', '+++ b/w.bat', '@@ -1,3 +1,3 @@', ' @echo off', '-set A=1', '+set A=2', ' echo %A%'],
    after: { 'w.bat': '@echo off\r\nset A=2\r\necho %A%\r\n' },
  },
  {
    name: '16-second-file-fails',
    source: 'openclaw/openclaw#127496',
    before: { 'a.txt': 'one\n', 'b.txt': 'x\n' },
    patch: [
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1 +1 @@',
      '-one',
      '+two',
      '--- a/b.txt',
      '+++ b/b.txt',
      '@@ -1 +1 @@',
      '-not there',
      '+y',
    ],
    error: 'not_found',
  },
  {
    name: '17-cut-in-second-file',
    source: 'ahwurm/localharness#77',
    before: { 'a.txt': 'one\n', 'b.txt': '1\n2\n3\n' },
    patch: [
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1 +1 @@',
      '-one',
      '+two',
      '--- a/b.txt',
      '+++ b/b.txt',
      '@@ -1,3 +1,3 @@',
      ' 1',
      '-2',
    ],
    error: 'truncated',
    counts: 'strict',
  },
  {
    name: '19-delete-with-stale-content',
    source: 'Gitlawb/zero#956',
    before: { 'g.txt': 'version 4\n' },
    patch: ['--- a/g.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-version 3'],
    error: 'not_found',
  },
  {
    name: '20-rename-onto-existing',
    source: 'openai/openai-agents-python#4919',
    before: { 's.txt': 'draft\n', 't.txt': 'ledger\n' },
    patch: [
      'diff --git a/s.txt b/t.txt',
      'similarity index 50%',
      'rename from s.txt',
      'rename to t.txt',
      '--- a/s.txt',
      '+++ b/t.txt',
      '@@ -1 +1 @@',
      '-draft',
      '+final',
    ],
    error: 'exists',
  },
];

function numbered(length: number): string {
  return Array.from({ length }, (_, i) => `line ${i + 1}\n`).join('');
}

const tree = new TestTree();
afterAll(() => tree.remove());

describe('faults of patches in public reports', () => {
  it.each(CASES)('$name', async ({ before, patch, after, error, report, counts = 'recount' }) => {
    tree.reset(before);
    const answer = await tree.apply(`${patch.join('\n')}\n`, { counts });
    expect(tree.files()).toEqual(after ?? before);
    expect(answer.error?.kind).toBe(error);
    expect(answer.files.flatMap(({ corrections }) => corrections)).toEqual(report === undefined ? [] : [report]);
  });
});

describe('what the reports of errors name', () => {
  const cases = new Map(CASES.map((one) => [one.name, one]));
  it.each([
    ['02-count-too-large-at-end', 't.txt', 1, 'after 3 of 4 old lines and 3 of 4 new lines'],
    ['05-ambiguous-no-line-number', 'h.txt', 1, 'stand at lines 2 and 6'],
    ['07-indentation-is-not-fuzz', 'h.txt', 1, 'line 3 is "\\t\\temit", the hunk has "    emit" (indentation counts)'],
    ['16-second-file-fails', 'b.txt', 1, 'its old line "not there" is not in the file'],
    ['17-cut-in-second-file', 'b.txt', 1, 'after 2 of 3 old lines and 1 of 3 new lines'],
    ['19-delete-with-stale-content', 'g.txt', 1, 'its old line "version 3" is not in the file'],
    ['20-rename-onto-existing', 't.txt', null, 'it is there already'],
  ])('%s', async (name, file, hunk, words) => {
    const { before, patch, counts = 'recount' } = cases.get(name)!;
    tree.reset(before);
    const { error } = await tree.apply(`${patch.join('\n')}\n`, { counts });
    expect(error).toMatchObject({ file, hunk, message: expect.stringContaining(words) });
  });

  it('02 and 17 apply where the end of the patch is known to be its author’s', async () => {
    const whole = async (name: string) => {
      const { before, patch } = cases.get(name)!;
      tree.reset(before);
      return tree.apply(`${patch.join('\n')}\n`, { counts: 'recount' });
    };
    const corrected = { ok: true, files: [{ corrections: ['hunk 1: counts corrected to -2,3 +2,3'] }] };
    expect(await whole('02-count-too-large-at-end')).toMatchObject(corrected);
    expect(tree.files()).toEqual({ 't.txt': 'red\norange\nlemon\ngreen\nblue\n' });
    expect(await whole('17-cut-in-second-file')).toMatchObject({ ok: true });
    expect(tree.files()).toEqual({ 'a.txt': 'two\n', 'b.txt': '1\n3\n' });
  });
});

import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { applyPatch } from './apply-patch.ts';
import { TestProject, told } from './test-project.ts';

const project = new TestProject();
afterAll(() => project.remove());
beforeEach(() => {
  project.file('a.txt', 'one\ntwo\nthree\n');
  project.file('b.txt', 'b\n');
});
const apply = async (patch: string) => told(await applyPatch.run({ patch }, project.context));

const EDIT_A = '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n';

describe('apply_patch', () => {
  it('says what it did to each file', async () => {
    const create = '--- /dev/null\n+++ b/new/c.txt\n@@ -0,0 +1 @@\n+c\n';
    const remove = '--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n';
    expect(await apply(EDIT_A + create + remove)).toEqual([
      0,
      'edit a.txt: 1 hunk\ncreate new/c.txt: 1 hunk\ndelete b.txt: 1 hunk\n',
    ]);
    expect([project.read('a.txt'), project.read('new/c.txt')]).toEqual(['one\n2\nthree\n', 'c\n']);
    expect(existsSync(project.path('b.txt'))).toBe(false);
  });

  it('says what it had to correct, and where it was lenient', async () => {
    const [exit, text] = await apply('--- a/a.txt\n+++ b/a.txt\n@@ -1,9 +1,9 @@\n one  \n-two\n+2\n three\n');
    expect([exit, text.split('; ').slice(0, 2)]).toEqual([
      0,
      ['edit a.txt: 1 hunk, fuzz 1', expect.stringContaining('counts corrected to -1,3 +1,3')],
    ]);
  });

  it('names both paths of a rename', async () => {
    const rename = 'diff --git a/b.txt b/d.txt\nsimilarity index 100%\nrename from b.txt\nrename to d.txt\n';
    expect(await apply(rename)).toEqual([0, 'rename b.txt -> d.txt: 0 hunks\n']);
    expect(project.read('d.txt')).toBe('b\n');
  });

  it('changes nothing if one hunk of one file does not fit, and names it', async () => {
    const [exit, text] = await apply(`${EDIT_A}--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-other\n+x\n`);
    expect([exit, text.slice(0, text.indexOf('):') + 2)]).toEqual([
      1,
      'the patch was not applied: not_found (b.txt, hunk 1):',
    ]);
    expect([project.read('a.txt'), project.read('b.txt')]).toEqual(['one\ntwo\nthree\n', 'b\n']);
  });

  it('refuses a patch that leads out, or is none', async () => {
    symlinkSync('..', project.path('up'));
    const out = '--- /dev/null\n+++ b/up/out.txt\n@@ -0,0 +1 @@\n+c\n';
    expect(await apply(out)).toEqual([
      1,
      expect.stringMatching(/^the patch was not applied: outside_root \(up\/out.txt/),
    ]);
    expect(await apply('no patch')).toEqual([1, expect.stringMatching(/^the patch was not applied: empty: /)]);
    expect(readdirSync(project.around)).toEqual(['project']);
    expect(existsSync(join(project.around, 'out.txt'))).toBe(false);
  });

  it('lands nothing once it is cancelled', async () => {
    const cancel = new AbortController();
    const created = Array.from({ length: 200 }, (_, at) => `--- /dev/null\n+++ b/many/f${at}\n@@ -0,0 +1 @@\n+c\n`);
    const running = applyPatch.run({ patch: EDIT_A + created.join('') }, { ...project.context, signal: cancel.signal });
    await expect.poll(() => existsSync(project.path('many')), { interval: 1 }).toBe(true);
    cancel.abort();
    expect(told(await running)).toEqual([130, expect.stringMatching(/: cancelled .*; nothing was changed\n$/)]);
    expect([project.read('a.txt'), existsSync(project.path('many'))]).toEqual(['one\ntwo\nthree\n', false]);
  });

  it('touches neither the session nor its lock, under no name', async () => {
    const session = project.file('s.jsonl', 's\n');
    project.file('s.jsonl.lock', 'l\n');
    symlinkSync('s.jsonl', project.path('other'));
    const context = { ...project.context, session };
    for (const path of ['s.jsonl', 's.jsonl.lock', 'other']) {
      const patch = `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-s\n+x\n`;
      expect(told(await applyPatch.run({ patch }, context))).toEqual([
        1,
        expect.stringMatching(
          /: outside_root \(s\.jsonl(\.lock)?\): is the session of this run, which no tool touches\n$/,
        ),
      ]);
    }
    expect(project.read('s.jsonl')).toBe('s\n');
  });
});

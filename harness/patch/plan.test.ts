import { afterAll, describe, expect, it } from 'vitest';
import { type Contents, TestTree } from './test-tree.ts';

const tree = new TestTree();
afterAll(() => tree.remove());

/** Applies; a refusal must have left all as it was. */
async function apply(before: Contents, patch: string) {
  tree.reset(before);
  const picture = tree.picture();
  const answer = await tree.apply(patch);
  if (!answer.ok) expect(tree.picture()).toEqual(picture);
  return answer;
}

const edit = (path: string) => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+A\n`;
const create = (path: string) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+new\n`;
const remove = (path: string) => `--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n`;
const rename = (from: string, to: string, hunks = '') =>
  `diff --git a/${from} b/${to}\nsimilarity index 50%\nrename from ${from}\nrename to ${to}\n${hunks === '' ? '' : `--- a/${from}\n+++ b/${to}\n${hunks}`}`;
const copy = (from: string, to: string) => rename(from, to).replaceAll('rename', 'copy');

describe('a patch of several files', () => {
  it('with one bad hunk changes nothing', async () => {
    const before = { a: 'a\n', b: 'a\n', 'c/d': 'not a\n' };
    const answer = await apply(before, edit('a') + create('n/n') + remove('b') + edit('c/d'));
    expect(answer).toMatchObject({ ok: false, files: [], error: { kind: 'not_found', file: 'c/d', hunk: 1 } });
  });

  it.each([
    ['the same line', '@@ -1 +1 @@\n-a\n+a\n'],
    ['a line that differs from the old one in blanks the file does not have', '@@ -1 +1 @@\n-a  \n+a\n'],
  ])('of which one adds %s is no silent no-op', async (_, hunk) => {
    const answer = await apply({ a: 'a\n', b: 'a\n' }, `${edit('b')}--- a/a\n+++ b/a\n${hunk}`);
    expect(answer).toMatchObject({ ok: false, error: { kind: 'empty', file: 'a' } });
  });

  it('tells what it did to each', async () => {
    const patch = edit('./a') + create('n/n') + remove('b') + rename('c', 'd', '@@ -1 +1 @@\n-a\n+A\n');
    const plain = { fuzz: 0, corrections: [] };
    expect(await apply({ a: 'a\n', b: 'a\n', c: 'a\n' }, patch)).toEqual({
      ok: true,
      files: [
        { path: 'a', action: 'edit', hunks: 1, ...plain },
        { path: 'n/n', action: 'create', hunks: 1, ...plain },
        { path: 'b', action: 'delete', hunks: 1, ...plain },
        { path: 'd', from: 'c', action: 'rename', hunks: 1, ...plain },
      ],
      error: null,
    });
    expect(tree.files()).toEqual({ a: 'A\n', 'n/n': 'new\n', d: 'A\n' });
  });

  it('may say two things where a header looks like edits; what fits the files counts', async () => {
    const hunk = (counts: string) =>
      `--- a/f\n+++ b/f\n@@ ${counts} @@\n x\n-y\n+Y\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-w\n+W\n`;
    const edits = { f: 'w\nx\ny\n-- a/g\n' };
    expect(await apply(edits, hunk('-2,3 +2,3'))).toMatchObject({ ok: true, files: [{ path: 'f', hunks: 2 }] });
    expect(tree.files()).toEqual({ f: 'W\nx\nY\n++ b/g\n' });
    const files = { f: 'x\ny\nz\n', g: 'w\n' };
    const corrections = ['hunk 1: counts corrected to -1,2 +1,2'];
    expect(await apply(files, hunk('-1,3 +1,3'))).toMatchObject({ ok: true, files: [{ corrections }, { path: 'g' }] });
    expect(tree.files()).toEqual({ f: 'x\nY\nz\n', g: 'W\n' });
  });
});

describe('names that move', () => {
  it.each<[string, Contents, string, Contents]>([
    ['a swap', { a: '1', b: '2' }, rename('a', 'b') + rename('b', 'a'), { a: '2', b: '1' }],
    ['a chain', { a: '1', b: '2' }, rename('a', 'b') + rename('b', 'c'), { b: '1', c: '2' }],
    ['a chain the other way', { a: '1', b: '2' }, rename('b', 'c') + rename('a', 'b'), { b: '1', c: '2' }],
    ['a name that is freed', { a: 'a\n', b: '2' }, remove('a') + rename('b', 'a'), { a: '2' }],
    ['a new file under a freed name', { a: '1' }, rename('a', 'b') + create('a'), { a: 'new\n', b: '1' }],
    ['a copy of what is edited', { a: 'a\n' }, copy('a', 'b') + edit('a'), { a: 'A\n', b: 'a\n' }],
    ['into a new folder', { 'x/a': '1' }, rename('x/a', 'y/z/a'), { 'y/z/a': '1' }],
  ])('%s', async (_, before, patch, after) => {
    expect((await apply(before, patch)).error).toBeNull();
    // No folder is left empty either.
    expect(tree.files()).toEqual(after);
  });

  it.each<[string, Contents, string, string, string]>([
    ['onto a file', { a: '1', b: '2' }, rename('a', 'b'), 'exists', 'b'],
    ['a copy onto a file', { a: '1', b: '2' }, copy('a', 'b'), 'exists', 'b'],
    ['a new file onto a file', { a: '1' }, create('a'), 'exists', 'a'],
    ['a new file onto a folder', { 'a/b': '1' }, create('a'), 'exists', 'a'],
    ['a new file below a file', { a: '1' }, create('a/b'), 'exists', 'a/b'],
    ['of a file that is not there', {}, rename('a', 'b'), 'not_found', 'a'],
    ['two onto one', { a: '1', b: '2' }, rename('a', 'c') + rename('b', 'c'), 'malformed', 'c'],
    ['one to two', { a: '1' }, rename('a', 'b') + rename('a', 'c'), 'malformed', 'a'],
    ['an edit beside a rename', { a: 'a\n' }, rename('a', 'b') + edit('a'), 'malformed', 'a'],
    ['one file twice', { a: 'a\n' }, edit('a') + edit('./a'), 'malformed', 'a'],
    ['deleted and created', { a: 'a\n' }, remove('a') + create('a'), 'malformed', 'a'],
    ['a file and a folder of one name', {}, create('n') + create('n/n'), 'malformed', 'n/n'],
  ])('%s is refused', async (_, before, patch, kind, file) => {
    expect((await apply(before, patch)).error).toMatchObject({ kind, file });
  });
});

describe('a deleted file', () => {
  it.each<[string, string, string]>([
    ['a\nb\n', remove('f'), 'stale_delete'],
    ['b\n', remove('f'), 'not_found'],
    ['a\n', 'diff --git a/f b/f\ndeleted file mode 100644\nindex e69de29..0000000\n', 'stale_delete'],
  ])('that holds %j must be what the patch says', async (content, patch, kind) => {
    expect((await apply({ f: content }, patch)).error).toMatchObject({ kind, file: 'f' });
  });

  it('takes the folders with it that it leaves empty, as git does, and no others', async () => {
    await apply({ 'x/y/z/f': 'a\n', 'x/g': '1' }, remove('x/y/z/f'));
    expect(tree.picture()).toEqual({ 'x/g': { content: '1', mode: expect.any(Number) } });
    await apply({ 'x/f': 'a\n' }, remove('x/f') + create('x/g'));
    expect(tree.files()).toEqual({ 'x/g': 'new\n' });
    await apply({ 'x/f': 'a\n' }, remove('x/f'));
    expect(tree.picture()).toEqual({});
  });
});

describe('a file that is not there', () => {
  it('is created by a hunk that begins at line 0, as git does it', async () => {
    const patch = '--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+new\n';
    expect(await apply({}, patch)).toMatchObject({ ok: true, files: [{ action: 'create' }] });
    expect(tree.files()).toEqual({ f: 'new\n' });
    expect(await apply({ f: 'old\n' }, patch)).toMatchObject({ ok: true, files: [{ action: 'edit' }] });
    expect(tree.files()).toEqual({ f: 'new\nold\n' });
  });

  it('is no file to edit or delete', async () => {
    expect((await apply({}, edit('f'))).error).toMatchObject({ kind: 'not_found', file: 'f', hunk: null });
    expect((await apply({}, remove('f'))).error).toMatchObject({ kind: 'not_found', file: 'f' });
  });
});

describe('the root', () => {
  it.each([
    '../f',
    'x/../../f',
    'x/../f',
    '/etc/hostname',
    'out/f',
    'way/f',
    'outside',
    'nowhere',
    'nowhere/f',
    'loop',
    'folder',
    'linked-folder',
  ])('is not left by %j', async (path) => {
    const before = {
      f: 'a\n',
      'folder/f': 'a\n',
      out: '-> ..',
      way: '-> ../beside',
      outside: '-> ../beside/f',
      nowhere: '-> ./missing',
      loop: '-> loop',
      'linked-folder': '-> folder',
    };
    tree.reset({});
    tree.write({ 'beside/f': 'a\n' }, tree.base);
    const { error } = await apply(before, edit(path).replaceAll(/[ab]\/\//g, '/'));
    expect(error).toMatchObject({ kind: 'outside_root', file: path });
    const created = (await apply(before, create(path).replaceAll('b//', '/'))).error;
    // A folder is there already, and so is a link to one.
    expect(created?.kind).toBe(path.endsWith('folder') ? 'exists' : 'outside_root');
  });

  it('holds what links inside it lead to: an edit goes through, and the link stays', async () => {
    const before = { 'real/f': 'a\n', link: '-> real/f', dir: '-> real', '.git/config': 'a\n' };
    await apply(before, edit('link'));
    expect(tree.files()).toEqual({ ...before, 'real/f': 'A\n' });
    await apply(before, edit('dir/f') + create('dir/n/g') + edit('.git/config'));
    expect(tree.files()).toEqual({ ...before, 'real/f': 'A\n', 'real/n/g': 'new\n', '.git/config': 'A\n' });
  });

  it('knows one file under two names', async () => {
    const before = { 'real/f': 'a\n', link: '-> real/f', dir: '-> real' };
    for (const other of ['link', 'dir/f']) {
      expect((await apply(before, edit('real/f') + edit(other))).error).toMatchObject({
        kind: 'malformed',
        file: other,
      });
    }
  });

  it('loses a link that is deleted or renamed, never what it leads to', async () => {
    const before = { 'real/f': 'a\n', link: '-> real/f' };
    await apply(before, remove('link'));
    expect(tree.files()).toEqual({ 'real/f': 'a\n' });
    await apply(before, rename('link', 'file'));
    expect(tree.files()).toEqual({ 'real/f': 'a\n', file: 'a\n' });
  });

  it('may itself be reached through a link', async () => {
    tree.reset({ 'real/f': 'a\n', link: '-> real' });
    expect(await tree.apply(edit('f'), { root: `${tree.root}/link` })).toMatchObject({ ok: true });
    expect(tree.files()['real/f']).toBe('A\n');
  });
});

describe('a dry run', () => {
  it('answers as the patch would, and changes nothing', async () => {
    const patch = edit('a') + create('n/n');
    tree.reset({ a: 'a\n' });
    const picture = tree.picture();
    const dry = await tree.apply(patch, { dryRun: true });
    expect(tree.picture()).toEqual(picture);
    expect(await tree.apply(patch)).toEqual(dry);
  });
});

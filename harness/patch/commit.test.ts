import { chownSync, linkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type FileOperations, REAL_FILES } from './file-operations.ts';
import { TestTree } from './test-tree.ts';

const tree = new TestTree();
afterAll(() => tree.remove());

type Operation = keyof FileOperations;
const CHANGING: readonly Operation[] = [
  'writeTemporary',
  'rename',
  'link',
  'remove',
  'makeFolder',
  'removeFolder',
  'syncFolder',
];
const READING: readonly Operation[] = ['look', 'realpath', 'read'];

function noSpace(operation: string): Error {
  return Object.assign(new Error(`ENOSPC: ${operation}`), { code: 'ENOSPC', syscall: operation });
}

/** Real files, of which `fails(n, operation)` says whether the n-th of these operations fails, from 0. */
function failing(operations: readonly Operation[], fails: (n: number, operation: Operation) => boolean) {
  const done: Operation[] = [];
  const files: Record<string, unknown> = { ...REAL_FILES };
  for (const operation of operations) {
    files[operation] = async (...args: readonly unknown[]) => {
      done.push(operation);
      if (!fails(done.length - 1, operation)) return (REAL_FILES[operation] as (...all: unknown[]) => unknown)(...args);
      // A full disk takes the first bytes.
      if (operation === 'writeTemporary') await REAL_FILES.writeTemporary(args[0] as string, Buffer.from('a'), NEW);
      throw noSpace(operation);
    };
  }
  return { files: files as unknown as FileOperations, done };
}

const NEW = { mode: 0o666, isExact: false, owner: null } as const;

const BEFORE = {
  'a.txt': 'a\n',
  'b.txt': 'a\n',
  'src/swap1': '1\n',
  'src/swap2': '2\n',
  'old/deep/gone': 'a\n',
  'old/deep/moved': 'm\n',
  'run.sh': '#!\n',
  link: '-> a.txt',
  gonelink: '-> b.txt',
};
const edit = (path: string) => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+A\n`;
const rename = (from: string, to: string) => `diff --git a/${from} b/${to}\nrename from ${from}\nrename to ${to}\n`;
const PATCH = [
  edit('link'),
  '--- /dev/null\n+++ b/new/deeper/n\n@@ -0,0 +1 @@\n+new\n',
  rename('src/swap1', 'src/swap2'),
  rename('src/swap2', 'src/swap1'),
  '--- a/old/deep/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n',
  rename('old/deep/moved', 'moved/there'),
  'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n',
  rename('gonelink', 'src/file'),
  '--- /dev/null\n+++ b/new/other\n@@ -0,0 +1 @@\n+other\n',
].join('');
const AFTER = {
  'a.txt': 'A\n',
  'b.txt': 'a\n',
  link: '-> a.txt',
  'moved/there': 'm\n',
  'new/deeper/n': 'new\n',
  'new/other': 'other\n',
  'run.sh': '#!\n',
  'src/file': 'a\n',
  'src/swap1': '2\n',
  'src/swap2': '1\n',
};

function begin() {
  tree.reset(BEFORE);
  tree.chmod('a.txt', 0o640);
  tree.chmod('run.sh', 0o644);
  return tree.picture();
}

describe('a commit', () => {
  it('does all of the patch', async () => {
    begin();
    const { files, done } = failing(CHANGING, () => false);
    expect(await tree.apply(PATCH, { files })).toMatchObject({ ok: true });
    expect(tree.files()).toEqual(AFTER);
    expect([tree.mode('a.txt'), tree.mode('run.sh')]).toEqual([0o640, 0o755]);
    // Every temporary file is written before the first name changes.
    expect(done.lastIndexOf('writeTemporary')).toBeLessThan(done.indexOf('rename'));
    expect(done.filter((operation) => operation === 'writeTemporary')).toHaveLength(8);
  });

  it('in which one step fails, whichever it is, leaves all as it was', async () => {
    const failed = new Map<Operation, number>();
    for (let k = 0; ; k += 1) {
      const picture = begin();
      const { files, done } = failing(CHANGING, (n) => n === k);
      const answer = await tree.apply(PATCH, { files });
      const operation = done[k];
      if (operation === undefined || (answer.ok && operation === 'remove')) break;
      failed.set(operation, (failed.get(operation) ?? 0) + 1);
      if (operation === 'link') {
        // Without second names a rename does it.
        expect([answer.ok, tree.files()]).toEqual([true, AFTER]);
        continue;
      }
      expect(answer).toMatchObject({ ok: false, files: [], error: { kind: 'io', hunk: null } });
      expect(answer.error?.message).toBe('no space is left on the device (ENOSPC); nothing was changed');
      expect(tree.picture()).toEqual(picture);
    }
    expect(Object.fromEntries(failed)).toEqual({
      makeFolder: 3,
      writeTemporary: 8,
      rename: 11,
      link: 4,
      syncFolder: 6,
    });
  });

  it('in which all steps of a kind fail from some point on says what could not be put back', async () => {
    begin();
    const { files } = failing(['rename'], (n) => n >= 4);
    const { error } = await tree.apply(PATCH, { files });
    expect(error).toMatchObject({ kind: 'io', message: expect.stringContaining('putting back failed: ') });
    // Nothing is lost: what is not in its place is where the message says.
    const old = [...error!.message.matchAll(/the old (\S+) is ([^\s;]+)/g)].map(([, path, aside]) => [path, aside]);
    expect(old.length).toBeGreaterThan(0);
    for (const [path, aside] of old) {
      const name = path!.slice(tree.root.length + 1) as keyof typeof BEFORE;
      expect(tree.files()[aside!.slice(tree.root.length + 1)]).toBe(BEFORE[name]);
    }
  });

  it('that cannot remove what it set aside has happened all the same, and says what is left over', async () => {
    begin();
    const { files } = failing(['remove'], (n) => n === 0);
    const answer = await tree.apply(PATCH, { files });
    expect(answer).toMatchObject({ ok: true, leftovers: [expect.stringContaining('.cst-patch-')] });
    expect(tree.files()).toMatchObject(AFTER);
  });

  it('that is cancelled at any step leaves all as it was, or has landed whole', async () => {
    const outcomes = new Set<boolean>();
    for (let k = 0; ; k += 1) {
      const picture = begin();
      const controller = new AbortController();
      const { files, done } = failing(CHANGING, (n) => {
        if (n === k) controller.abort();
        return false;
      });
      const answer = await tree.apply(PATCH, { files, signal: controller.signal });
      if (done.length <= k) break;
      outcomes.add(answer.ok);
      if (answer.ok) expect(tree.files()).toEqual(AFTER);
      else {
        expect(answer.error).toMatchObject({
          kind: 'cancelled',
          message: 'interrupted before all had landed; nothing was changed',
        });
        expect(tree.picture()).toEqual(picture);
      }
    }
    expect([...outcomes].sort()).toEqual([false, true]);
  });

  it('whose reading fails changes nothing', async () => {
    const { done } = await count();
    for (let k = 0; k < done; k += 1) {
      const picture = begin();
      const { files } = failing(READING, (n) => n === k);
      expect((await tree.apply(PATCH, { files })).error).toMatchObject({ kind: 'io' });
      expect(tree.picture()).toEqual(picture);
    }
  });

  async function count() {
    begin();
    const { files, done } = failing(READING, () => false);
    await tree.apply(PATCH, { files });
    return { done: done.length };
  }

  it.each([
    ['b.txt', edit('b.txt')],
    ['new/n', '--- /dev/null\n+++ b/new/n\n@@ -0,0 +1 @@\n+new\n'],
    ['src/swap1', rename('src/swap1', 'src/swap3')],
  ])('does not write over %s if somebody else has written it meanwhile', async (path, entry) => {
    begin();
    let written = 0;
    const writeTemporary: FileOperations['writeTemporary'] = async (...args) => {
      await REAL_FILES.writeTemporary(...args);
      written += 1;
      if (written === 2) tree.write({ [path]: 'by somebody else\n' });
    };
    const { error } = await tree.apply(edit('a.txt') + entry, { files: { ...REAL_FILES, writeTemporary } });
    expect(error).toMatchObject({
      kind: 'io',
      file: expect.any(String),
      message: expect.stringContaining('somebody else'),
    });
    expect(tree.files()).toEqual({ ...BEFORE, [path]: 'by somebody else\n' });
  });
});

describe('permissions', () => {
  it('of a file that is changed or renamed stay', async () => {
    tree.reset({ f: 'a\n', g: 'a\n' });
    tree.chmod('f', 0o600);
    tree.chmod('g', 0o777);
    await tree.apply(
      `${edit('f')}diff --git a/g b/h\nrename from g\nrename to h\n--- a/g\n+++ b/h\n@@ -1 +1 @@\n-a\n+A\n`,
    );
    expect([tree.mode('f'), tree.mode('h')]).toEqual([0o600, 0o777]);
  });

  it('change as the patch says: who may read may execute', async () => {
    tree.reset({ f: 'a\n', g: 'a\n' });
    tree.chmod('f', 0o640);
    tree.chmod('g', 0o751);
    const mode = (path: string, bits: string) => `diff --git a/${path} b/${path}\nold mode 100644\nnew mode ${bits}\n`;
    const patch = `${mode('f', '100755')}--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n${mode('g', '100644')}`;
    expect(await tree.apply(patch)).toMatchObject({ files: [{ action: 'edit' }, { action: 'mode' }] });
    expect([tree.mode('f'), tree.mode('g')]).toEqual([0o750, 0o640]);
  });

  it('of a new file are the usual ones', async () => {
    tree.reset({});
    const created = (path: string, mode: string) =>
      `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+a\n`;
    await tree.apply(created('f', '100644') + created('g', '100755'));
    const mask = process.umask();
    expect([tree.mode('f'), tree.mode('g')]).toEqual([0o666 & ~mask, 0o777 & ~mask]);
    tree.chmod('g', 0o600);
    await tree.apply(rename('g', 'h') + created('g', '100644'));
    expect([tree.mode('g'), tree.mode('h')]).toEqual([0o666 & ~mask, 0o600]);
  });

  it.runIf(process.getuid?.() === 0)('of another user’s file leave it that user’s', async () => {
    tree.reset({ f: 'a\n' });
    chownSync(join(tree.root, 'f'), 12_345, 54_321);
    await tree.apply(edit('f'));
    const { uid, gid } = statSync(join(tree.root, 'f'));
    expect([uid, gid, tree.files()['f']]).toEqual([12_345, 54_321, 'A\n']);
  });
});

describe('a file with a second name', () => {
  it('is patched under the name that the patch has', async () => {
    tree.reset({ f: 'a\n' });
    linkSync(join(tree.root, 'f'), join(tree.root, 'g'));
    await tree.apply(edit('f'));
    expect(tree.files()).toEqual({ f: 'A\n', g: 'a\n' });
  });

  it('is not patched under both', async () => {
    tree.reset({ f: 'a\n' });
    linkSync(join(tree.root, 'f'), join(tree.root, 'g'));
    expect((await tree.apply(edit('f') + edit('g'))).error).toMatchObject({ kind: 'malformed', file: 'g' });
  });
});

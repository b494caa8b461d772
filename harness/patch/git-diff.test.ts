import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { applyPatch as applyByJsdiff, createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { PATIENCE, runs } from '../testing/runs.ts';
import { type TreeChange, textChange, treeChange } from './generated-trees.ts';
import { type Contents, diffOutput, TestTree } from './test-tree.ts';

const tree = new TestTree();
afterAll(() => tree.remove());

const hasGit = diffOutput('git', ['--version'], tree.base) !== null;
const hasDiff = diffOutput('diff', ['--version'], tree.base) !== null;
if (!hasGit) console.warn('git is not installed: what git diff writes is not tested here');
if (!hasDiff) console.warn('diff is not installed: what diff -u writes is not tested here');

const repository = join(tree.base, 'repository');
const git = (...args: readonly string[]) => diffOutput('git', args, repository)!;
if (hasGit) {
  mkdirSync(repository);
  git('init', '-q');
}

/** git's name of a folder's state. */
function gitTree(contents: Contents): string {
  execFileSync(
    'find',
    ['.', '-mindepth', '1', '-maxdepth', '1', '!', '-name', '.git', '-exec', 'rm', '-rf', '{}', '+'],
    {
      cwd: repository,
    },
  );
  tree.write(contents, repository);
  git('-c', 'core.autocrlf=false', 'add', '-A', '-f');
  return git('write-tree').trim();
}

function gitDiff({ before, after }: TreeChange, options: readonly string[] = []): string {
  return git('diff', ...options, gitTree(before), gitTree(after));
}

/** `diff -u` between two texts, as a patch of the file `f`. */
function unified(before: string, after: string, context: number): string {
  tree.write({ before, after }, tree.base);
  const labels = ['--label', 'a/f', '--label', 'b/f'];
  return diffOutput('diff', ['-a', `-U${context}`, ...labels, 'before', 'after'], tree.base)!;
}

describe('what git diff writes', () => {
  it.runIf(hasGit)(
    'leads to the very bytes, for files that change, come, go and move',
    async () => {
      const options = fc.constantFrom(
        ['-M'],
        ['--no-renames'],
        ['-M20%', '-U1'],
        ['-M', '--no-prefix'],
        ['--src-prefix=i/', '--dst-prefix=w/'],
        ['-M', '-U20'],
        ['--patience', '-C', '--find-copies-harder'],
      );
      await fc.assert(
        fc.asyncProperty(treeChange(), options, async (change, flags) => {
          const patch = gitDiff(change, flags);
          fc.pre(patch !== '');
          for (const counts of ['recount', 'strict'] as const) {
            tree.reset(change.before);
            const answer = await tree.apply(patch, { counts });
            expect(answer.error).toBeNull();
            expect(answer.files.flatMap(({ corrections }) => corrections)).toEqual([]);
            expect(tree.files()).toEqual(change.after);
          }
        }),
        runs(20, 2000),
      );
    },
    PATIENCE,
  );
});

describe('what diff -u writes', () => {
  it.runIf(hasDiff)(
    'leads to the very bytes, whatever the line ends',
    async () => {
      await fc.assert(
        fc.asyncProperty(textChange(), fc.integer({ min: 1, max: 4 }), async ({ before, after }, context) => {
          const patch = unified(before, after, context);
          fc.pre(patch !== '');
          tree.reset({ f: before });
          expect(await tree.apply(patch)).toMatchObject({ error: null, files: [{ corrections: [], fuzz: 0 }] });
          expect(tree.files()).toEqual({ f: after });
        }),
        runs(60, 5000, 1),
      );
    },
    PATIENCE,
  );
});

describe('jsdiff, as a second opinion', () => {
  it(
    'writes patches that lead to the very bytes, and reads those with hunks as we do',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          textChange(['lf', 'crlf']),
          fc.integer({ min: 1, max: 4 }),
          async ({ before, after }, context) => {
            fc.pre(before !== after);
            const patch = createTwoFilesPatch('a/f', 'b/f', before, after, undefined, undefined, { context });
            tree.reset({ f: before });
            expect(await tree.apply(patch)).toMatchObject({ error: null, files: [{ corrections: [] }] });
            expect(tree.files()).toEqual({ f: after });
            expect(applyByJsdiff(before, patch)).toBe(after);
          },
        ),
        runs(60, 5000, 2),
      );
    },
    PATIENCE,
  );
});

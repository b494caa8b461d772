import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { perhapsDamaged } from '../testing/byte-damage.ts';
import { PATIENCE, runs } from '../testing/runs.ts';
import { type Change, textChange, uniqueLines } from './generated-trees.ts';
import { parsePatch } from './parse.ts';
import type { Patch, PatchError } from './patch.ts';
import { TestTree } from './test-tree.ts';

const tree = new TestTree();
afterAll(() => tree.remove());

function patchOf(changes: { readonly [path: string]: Change }, context = 3): string {
  const patches = Object.entries(changes).map(([path, { before, after }]) =>
    before === after
      ? ''
      : createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, { context }),
  );
  return patches.join('');
}

const COUNTS = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/gm;

function parse(text: string, counts: 'recount' | 'strict'): Patch | PatchError {
  return parsePatch(Buffer.from(text, 'latin1'), counts);
}

describe('a damaged patch', () => {
  it(
    'that is refused leaves every byte of the tree as it was, and says why',
    async () => {
      const patches = fc.record({ f: textChange(), 'd/g': textChange(), h: uniqueLines() });
      const seen = { applied: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(
          patches.chain((changes) =>
            fc.record({
              before: fc.constant({ f: changes.f.before, 'd/g': changes['d/g'].before, h: changes.h.before }),
              patch: perhapsDamaged(fc.constant(Buffer.from(patchOf(changes), 'latin1'))),
              counts: fc.constantFrom('recount' as const, 'strict' as const),
            }),
          ),
          async ({ before, patch, counts }) => {
            tree.reset(before);
            const picture = tree.picture();
            const answer = await tree.apply(Buffer.from(patch).toString('latin1'), { counts });
            seen[answer.ok ? 'applied' : 'refused'] += 1;
            if (answer.ok) return;
            expect(tree.picture()).toEqual(picture);
            expect(answer.error.message).not.toBe('');
            expect(answer.error.kind).not.toBe('io');
          },
        ),
        runs(80, 5000),
      );
      expect(Math.min(seen.applied, seen.refused)).toBeGreaterThan(10);
    },
    PATIENCE,
  );

  it(
    'with wrong counts in every hunk is read by its lines',
    async () => {
      const wrong = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { minLength: 1, maxLength: 9 });
      await fc.assert(
        fc.asyncProperty(uniqueLines(), uniqueLines(), wrong, async (f, g, counts) => {
          let k = 0;
          const patch = patchOf({ f, g }).replace(COUNTS, (_, old: string, __, added: string) => {
            const [x, y] = counts[k++ % counts.length]!;
            return `@@ -${old},${x} +${added},${y} @@`;
          });
          fc.pre(patch !== '');
          tree.reset({ f: f.before, g: g.before });
          expect((await tree.apply(patch)).error).toBeNull();
          expect(tree.files()).toEqual({ f: f.after, g: g.after });
        }),
        runs(80, 5000, 1),
      );
    },
    PATIENCE,
  );

  it(
    'without line numbers finds lines that stand once, and in a file that has grown says how far off they are',
    async () => {
      await fc.assert(
        fc.asyncProperty(uniqueLines(), fc.integer({ min: 1, max: 30 }), async (f, grown) => {
          const patch = patchOf({ f });
          fc.pre(patch !== '');
          tree.reset({ f: f.before });
          const bare = await tree.apply(patch.replace(COUNTS, '@@'));
          expect(bare).toMatchObject({ error: null, files: [{ corrections: [] }] });
          expect(tree.files()).toEqual({ f: f.after });
          const top = 'new on top\n'.repeat(grown);
          tree.reset({ f: top + f.before });
          const { error, files } = await tree.apply(patch);
          expect(error).toBeNull();
          expect(tree.files()).toEqual({ f: top + f.after });
          const hunks = files[0]!.hunks;
          expect(files[0]!.corrections).toEqual(
            Array.from({ length: hunks }, (_, i) => `hunk ${i + 1}: offset ${grown}`),
          );
        }),
        runs(80, 5000, 2),
      );
    },
    PATIENCE,
  );
});

describe('a patch that may be cut (strict)', () => {
  it(
    'is read, at every byte at which it may end, as whole hunks of the whole patch or not at all',
    () => {
      fc.assert(
        fc.property(textChange(['lf']), uniqueLines(), (f, g) => {
          const text = patchOf({ f: { before: `${f.before}\n`, after: `${f.after}\n` }, g });
          const whole = parse(text, 'strict');
          if ('kind' in whole) return;
          for (let length = 0; length < text.length; length += 1) {
            const cut = parse(text.slice(0, length), 'strict');
            if ('kind' in cut) continue;
            for (const [i, file] of cut.files.entries()) {
              expect(file.to).toBe(whole.files[i]!.to);
              expect(file.hunks).toEqual(whole.files[i]!.hunks.slice(0, file.hunks.length));
            }
          }
        }),
        runs(15, 300, 3),
      );
    },
    PATIENCE,
  );
});

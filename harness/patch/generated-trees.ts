/** Draws two states of a small folder, for tests: what a patch starts from and what it shall lead to. */
import fc from 'fast-check';
import type { Contents } from './test-tree.ts';

/** Some look like the lines of a patch. All are Latin-1, some no UTF-8. */
const LINES = [
  '',
  ' ',
  '\t',
  'a',
  'b',
  'c',
  'a ',
  '  a',
  'end',
  '-- a/f',
  '++ b/f',
  '- a',
  '+ b',
  '@@ -1,2 +1,2 @@',
  '@@',
  '\\ No newline at end of file',
  'diff --git a/f b/f',
  '```',
  '\xe9\xff',
  'gr\xc3\xbcn \xc3\xa0',
  'lone\rCR',
  '-- ',
  '2.39.5',
];

/** Names that headers quote, or that look prefixed. */
export const NAMES = [
  'f',
  'a/f',
  'b/f',
  'src/deep/x.ts',
  'two words.txt',
  'gr\u00fcn.md',
  'quo"te',
  'tab\tbed',
  'old/x',
  'new/x',
];

export type LineEnds = 'lf' | 'crlf' | 'mixed';

export interface Change {
  readonly before: string;
  readonly after: string;
}

/** A text with or without final newline, and what a few edits make of it. */
export function textChange(ends: readonly LineEnds[] = ['lf', 'crlf', 'mixed']): fc.Arbitrary<Change> {
  return fc.constantFrom(...ends).chain((style) => {
    const end = style === 'lf' ? ['\n'] : style === 'crlf' ? ['\r\n'] : ['\n', '\r\n'];
    const line = fc.tuple(fc.constantFrom(...LINES), fc.constantFrom(...end)).map(([text, lineEnd]) => text + lineEnd);
    const edit = fc.record({ at: fc.nat(60), remove: fc.nat(4), add: fc.array(line, { maxLength: 4 }) });
    return fc
      .record({
        lines: fc.array(line, { maxLength: 50 }),
        edits: fc.array(edit, { minLength: 1, maxLength: 5 }),
        cutBefore: fc.boolean(),
        cutAfter: fc.boolean(),
      })
      .map(({ lines, edits, cutBefore, cutAfter }) => {
        const after = [...lines];
        for (const { at, remove, add } of edits) after.splice(at % (after.length + 1), remove, ...add);
        return { before: joined(lines, cutBefore), after: joined(after, cutAfter) };
      });
  });
}

function joined(lines: readonly string[], cut: boolean): string {
  const text = lines.join('');
  return cut ? text.replace(/\r?\n$/, '') : text;
}

/** Every line once, LF: a hunk has one place at most. */
export function uniqueLines(): fc.Arbitrary<Change> {
  const edit = fc.record({ at: fc.nat(60), remove: fc.nat(3), add: fc.nat(3) });
  return fc
    .record({ length: fc.integer({ min: 8, max: 60 }), edits: fc.array(edit, { minLength: 1, maxLength: 5 }) })
    .map(({ length, edits }) => {
      const lines = Array.from({ length }, (_, i) => `line ${i + 1}\n`);
      const after = [...lines];
      for (const [k, { at, remove, add }] of edits.entries()) {
        const added = Array.from({ length: add }, (_, i) => `added ${k}.${i}\n`);
        after.splice(at % after.length, remove, ...added);
      }
      return { before: lines.join(''), after: after.join('') };
    });
}

export interface TreeChange {
  readonly before: Contents;
  readonly after: Contents;
}

/** Files that change, come, go, and change names. */
export function treeChange(): fc.Arbitrary<TreeChange> {
  const fate = fc.constantFrom('edit', 'create', 'delete', 'rename', 'keep');
  const file = fc.record({ change: textChange(), fate, name: fc.constantFrom(...NAMES) });
  return fc.uniqueArray(file, { minLength: 1, maxLength: 5, selector: ({ name }) => name }).map((files) => {
    const before: { [path: string]: string } = {};
    const after: { [path: string]: string } = {};
    for (const { change, fate: what, name } of files) {
      if (what !== 'create') before[name] = change.before;
      if (what === 'rename') after[`moved/${name}`] = change.after;
      else if (what !== 'delete') after[name] = what === 'keep' ? change.before : change.after;
    }
    return { before, after };
  });
}

import { describe, expect, it } from 'vitest';
import { applyHunks } from './apply-hunks.ts';
import { parsePatch } from './parse.ts';
import { type PatchError, PatchFault } from './patch.ts';

interface Outcome {
  readonly text: string;
  readonly fuzz: number;
  readonly corrections: readonly string[];
}

function apply(before: string, hunks: string, head = '--- a/f\n+++ b/f\n'): Outcome {
  const patch = parsePatch(Buffer.from(head + hunks, 'latin1'));
  if ('kind' in patch) throw new Error(patch.message);
  const { bytes, ...rest } = applyHunks(Buffer.from(before, 'latin1'), patch.files[0]!);
  return { text: Buffer.from(bytes).toString('latin1'), ...rest };
}

function refusal(before: string, hunks: string): PatchError {
  try {
    apply(before, hunks);
  } catch (fault) {
    if (fault instanceof PatchFault) return fault.error;
    throw fault;
  }
  throw new Error('the hunks were applied');
}

const clean = { fuzz: 0, corrections: [] };
const SIX = '1\n2\n3\n4\n5\n6\n';
/** The same three lines at 1, 5 and 9. */
const THRICE = 'x\ny\nz\n\nx\ny\nz\n\nx\ny\nz\n';
const CHANGE_Y = ' x\n-y\n+Y\n z\n';

describe('the place of a hunk', () => {
  it.each([
    [1, 1, []],
    [5, 5, []],
    [9, 9, []],
    [2, 1, ['hunk 1: offset -1']],
    [4, 5, ['hunk 1: offset 1']],
    [8, 9, ['hunk 1: offset 1']],
    [11, 9, ['hunk 1: offset -2']],
  ])('of number %i, among the lines 1, 5 and 9, is %i', (number, line, corrections) => {
    const lines = THRICE.split('\n');
    lines[line] = 'Y';
    expect(apply(THRICE, `@@ -${number},3 +${number},3 @@\n${CHANGE_Y}`)).toEqual({
      text: lines.join('\n'),
      fuzz: 0,
      corrections,
    });
  });

  it.each([
    ['no number', '@@', 'at lines 1, 5 and 9'],
    ['a number as near to one place as to another', '@@ -3,3 +3,3 @@', 'at lines 1 and 5'],
    ['a number outside the file', '@@ -400,3 +400,3 @@', 'at lines 1, 5 and 9'],
    ['the number 0', '@@ -0,3 +0,3 @@', 'at lines 1, 5 and 9'],
  ])('of %s is ambiguous where several fit', (_, header, words) => {
    const { kind, file, hunk, message } = refusal(THRICE, `${header}\n${CHANGE_Y}`);
    expect([kind, file, hunk]).toEqual(['ambiguous', 'f', 1]);
    expect(message).toContain(words);
  });

  it('without a usable number is the only one that fits', () => {
    for (const header of ['@@', '@@ -400,2 +400,2 @@', '@@ -0,2 +0,2 @@']) {
      expect(apply(SIX, `${header}\n 3\n-4\n+IV\n`).text).toBe('1\n2\n3\nIV\n5\n6\n');
    }
  });

  it('is shifted by the hunks before', () => {
    const top = 'new\nnew\nnew\nnew\n';
    const hunks = '@@ -1,2 +1,2 @@\n first\n-a\n+A\n@@ -6,3 +6,3 @@\n x\n-y\n+Y\n z\n';
    const before = `${top}first\na\nx\ny\nz\nx\ny\nz\nx\ny\nz\n`;
    // By its own number the second hunk would be nearest to line 7.
    expect(apply(before, hunks)).toEqual({
      text: `${top}first\nA\nx\ny\nz\nx\nY\nz\nx\ny\nz\n`,
      fuzz: 0,
      corrections: ['hunk 1: offset 4', 'hunk 2: offset 4'],
    });
  });

  it('may be before that of the hunk before', () => {
    const hunks = '@@ -5,2 +5,2 @@\n 5\n-6\n+VI\n@@ -1,2 +1,2 @@\n 1\n-2\n+II\n';
    expect(apply(SIX, hunks)).toEqual({ text: '1\nII\n3\n4\n5\nVI\n', ...clean });
  });

  it('is not where an earlier hunk changes lines', () => {
    const twice = `@@ -1,3 +1,3 @@\n${CHANGE_Y}@@ -1,3 +1,3 @@\n${CHANGE_Y}`;
    expect(apply(THRICE, twice)).toMatchObject({ text: THRICE.replaceAll('y\nz\n\n', 'Y\nz\n\n') });
    const { kind, hunk, message } = refusal(SIX, '@@ -2 +2 @@\n-2\n+II\n@@ -1,3 +1,3 @@\n 1\n 2\n-3\n+III\n');
    expect([kind, hunk]).toEqual(['malformed', 2]);
    expect(message).toContain('merge the two hunks');
    expect(refusal(SIX, '@@ -1,3 +1,3 @@\n 1\n-2\n+II\n 3\n@@ -3,2 +3,2 @@\n-3\n+III\n 4\n').kind).toBe('malformed');
    expect(refusal(SIX, '@@ -2,3 +2 @@\n-2\n-3\n-4\n+x\n@@ -3,0 +4 @@\n+y\n').kind).toBe('malformed');
    expect(refusal(SIX, '@@ -2,2 +2,3 @@\n 2\n+x\n 3\n@@ -2,2 +2,3 @@\n 2\n+y\n 3\n').kind).toBe('malformed');
  });

  it('may begin where another ends, whichever of them the patch has first', () => {
    const [upper, lower] = ['@@ -1,3 +1,4 @@\n 1\n 2\n 3\n+upper\n', '@@ -4,2 +4,3 @@\n+lower\n 4\n 5\n'];
    const text = '1\n2\n3\nupper\nlower\n4\n5\n6\n';
    expect(apply(SIX, upper + lower)).toEqual({ text, ...clean });
    expect(apply(SIX, lower + upper)).toEqual({ text, ...clean });
  });

  it('may share context with other hunks', () => {
    const hunks = '@@ -1,3 +1,3 @@\n 1\n-2\n+II\n 3\n@@ -3,3 +3,4 @@\n 3\n+3.5\n 4\n-5\n+V\n';
    expect(apply(SIX, hunks)).toEqual({ text: '1\nII\n3\n3.5\n4\nV\n6\n', ...clean });
  });

  it('of added lines alone is after the line of its number', () => {
    expect(apply(SIX, '@@ -2,0 +3 @@\n+2.5\n')).toEqual({ text: '1\n2\n2.5\n3\n4\n5\n6\n', ...clean });
    expect(apply(SIX, '@@ -0,0 +1 @@\n+0\n')).toEqual({ text: `0\n${SIX}`, ...clean });
    expect(apply(SIX, '@@ -6,0 +7 @@\n+7\n')).toEqual({ text: `${SIX}7\n`, ...clean });
    expect(apply('', '@@\n+1\n')).toEqual({ text: '1\n', ...clean });
    expect(refusal(SIX, '@@ -9,0 +10 @@\n+10\n').kind).toBe('not_found');
    expect(refusal(SIX, '@@\n+x\n').kind).toBe('ambiguous');
    expect(refusal(SIX, '@@ -2,3 +2,4 @@\n+x\n').kind).toBe('ambiguous');
  });
});

describe('blanks at line ends', () => {
  it('may differ, which is fuzz; context keeps those of the file', () => {
    expect(apply('a \t\nb\nc  \n', '@@ -1,3 +1,3 @@\n a\n-b\t\n+B \n c\n')).toEqual({
      text: 'a \t\nB \nc  \n',
      fuzz: 1,
      corrections: ['hunk 1: fuzz (blanks at line ends)'],
    });
  });

  it('differ rather at the right line than not at all at another', () => {
    const before = 'a \nb\n\na\nb\n';
    expect(apply(before, '@@ -1,2 +1,2 @@\n a\n-b\n+B\n').text).toBe('a \nB\n\na\nb\n');
    expect(apply(before, '@@ -2,2 +2,2 @@\n a\n-b\n+B\n').text).toBe('a \nb\n\na\nB\n');
  });

  it('are all that may differ', () => {
    for (const line of [' a', '\ta', 'A', 'a b']) {
      expect(refusal(`${line}\nb\n`, '@@ -1,2 +1,2 @@\n a\n-b\n+B\n').kind).toBe('not_found');
    }
  });
});

describe('line ends', () => {
  const change = '@@ -1,3 +1,4 @@\n a\n-b\n+B\n+BB\n c\n';
  const head = '--- a/f\r\n+++ b/f\r\n';
  const crlf = (text: string) => text.replaceAll('\n', '\r\n');

  it.each([
    ['LF on a CR LF file', 'a\r\nb\r\nc\r\n', change, undefined, 'a\r\nB\r\nBB\r\nc\r\n'],
    ['CR LF on an LF file', 'a\nb\nc\n', crlf(change), head, 'a\nB\nBB\nc\n'],
    ['CR LF in the lines alone on an LF file', 'a\nb\nc\n', crlf(change), undefined, 'a\nB\nBB\nc\n'],
    ['CR LF on a CR LF file', 'a\r\nb\r\nc\r\n', crlf(change), head, 'a\r\nB\r\nBB\r\nc\r\n'],
    ['LF on a mixed file', 'a\r\nb\r\nc\n', change, undefined, 'a\r\nB\r\nBB\r\nc\n'],
  ])('%s: the file keeps its own', (_, before, hunks, header, after) => {
    expect(apply(before, hunks, header)).toEqual({ text: after, ...clean });
  });

  it.each([
    ['LF, on a CR LF file', 'a\r\nb\r\n', '@@ -1,0 +2 @@\n+n\n', undefined, 'a\r\nn\r\nb\r\n'],
    ['CR LF, on an LF file', 'a\nb\n', '@@ -1,0 +2 @@\r\n+n\r\n', head, 'a\nn\nb\n'],
  ])('of added lines alone, %s: the file keeps its own, and says so', (_, before, hunks, header, after) => {
    const corrections = ['hunk 1: line ends as in the file'];
    expect(apply(before, hunks, header)).toEqual({ text: after, ...clean, corrections });
  });

  it('of a patch that carries them are changed as it says', () => {
    expect(apply('a\r\nb\r\nc\r\n', '@@ -1,3 +1,3 @@\n a\r\n-b\r\n+b\n c\r\n').text).toBe('a\r\nb\nc\r\n');
    expect(apply('a\nb\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+b\r\n c\n').text).toBe('a\nb\r\nc\n');
  });
});

describe('the newline at the end of the file', () => {
  const no = '\\ No newline at end of file\n';
  it.each([
    ['is taken away', 'a\nb\n', `@@ -1,2 +1,2 @@\n a\n-b\n+B\n${no}`, 'a\nB'],
    ['is added', 'a\nb', `@@ -1,2 +1,2 @@\n a\n-b\n${no}+B\n`, 'a\nB\n'],
    ['stays away', 'a\nb', `@@ -1,2 +1,2 @@\n a\n-b\n${no}+B\n${no}`, 'a\nB'],
    ['stays away from context', 'a\nb', `@@ -1,2 +1,2 @@\n-a\n+A\n b\n${no}`, 'A\nb'],
    ['goes with the last line', 'a\nb', `@@ -1,2 +1 @@\n a\n-b\n${no}`, 'a\n'],
    ['stays as it is where the patch does not speak of it', 'a\nb', '@@ -1,2 +1,2 @@\n a\n-b\n+B\n', 'a\nB'],
    ['moves to the new last line', 'a\nb', '@@ -1,2 +1,4 @@\n a\n b\n+c\n+d\n', 'a\nb\nc\nd'],
    ['stays where the patch says twice that there is none', 'a\nb\n', `@@ -2 +2 @@\n-b\n${no}+B\n${no}`, 'a\nB\n'],
    ['is not made in an emptied file', 'a', `@@ -1 +0,0 @@\n-a\n${no}`, ''],
    ['is made with the first line', '', '@@ -0,0 +1 @@\n+a\n', 'a\n'],
    ['is not made with the first line', '', `@@ -0,0 +1 @@\n+a\n${no}`, 'a'],
    ['has the file’s own kind', 'a\r\nb', '@@ -1,2 +1,3 @@\n a\n b\n+c\n', 'a\r\nb\r\nc'],
  ])('%s', (_, before, hunks, after) => {
    expect(apply(before, hunks)).toEqual({ text: after, ...clean });
  });

  it('is a place: the hunk ends where the file ends', () => {
    const repeated = 'a\nb\na\nb\na\nb';
    expect(apply(repeated, `@@ -1,2 +1,2 @@\n a\n-b\n${no}+B\n${no}`).text).toBe('a\nb\na\nb\na\nB');
    const { kind, message } = refusal('a\nb\nc\n', `@@ -1,2 +1,2 @@\n a\n-b\n+B\n${no}`);
    expect(kind).toBe('not_found');
    expect(message).toContain('the file ends at line 2, but it has 3 lines');
  });
});

describe('a hunk that fits nowhere', () => {
  it.each([
    [
      'names the nearest line and what differs',
      '1\n2\nthree\n4\n',
      '-3\n+III\n',
      'nearest is line 1: there line 3 is "three"',
    ],
    ['says that indentation counts', '1\n2\n\t3\n4\n', '-3\n+III\n', '"\\t3", the hunk has "3" (indentation counts)'],
    ['says where the file is too short', '1\n2\n', '-3\n+III\n', 'where the file has no line (it has 2 lines)'],
    ['says that it may have been applied', '1\n2\nIII\n4\n', '-3\n+III\n', 'at line 1: has it been applied before?'],
    ['says that no line of it is there', 'a\nb\n', '-3\n+III\n', 'nor is any line of it'],
  ])('%s', (_, before, change, words) => {
    const { kind, hunk, message } = refusal(before, `@@ -1,4 +1,4 @@\n 1\n 2\n${change} 4\n`);
    expect([kind, hunk]).toEqual(['not_found', 1]);
    expect(message).toContain('its 4 old lines from "1" on');
    expect(message).toContain(words);
  });
});

describe('a file of 100,000 lines', () => {
  const numbered = Array.from({ length: 100_000 }, (_, i) => `line ${i + 1}\n`);
  const hunkAt = (line: number, header: string) =>
    `${header}\n line ${line}\n-line ${line + 1}\n+LINE\n line ${line + 2}\n`;
  const places = Array.from({ length: 5000 }, (_, i) => 20 * i + 1);
  const after = numbered.map((line, i) => (i % 20 === 1 ? 'LINE\n' : line)).join('');

  it('takes 5,000 hunks, with right numbers, wrong ones or none, in linear time', () => {
    const right = places.map((line) => hunkAt(line, `@@ -${line},3 +${line},3 @@`)).join('');
    const wrong = places.map((line) => hunkAt(line, `@@ -${100_001 - line},3 +1,3 @@`)).join('');
    const bare = places.map((line) => hunkAt(line, '@@')).join('');
    for (const hunks of [right, wrong, bare]) expect(apply(numbered.join(''), hunks).text).toBe(after);
  }, 10_000);

  it('that are all the same is no slower', () => {
    const same = 'x\n'.repeat(100_000);
    const insertions = places.map((line) => `@@ -${line},3 +${line},4 @@\n x\n+y\n x\n x\n`).join('');
    expect(apply(same, insertions).text.length).toBe(210_000);
    const large = `@@ -1,50001 +1,50001 @@\n${' x\n'.repeat(50_000)}-z\n+y\n`;
    expect(refusal(same, large).kind).toBe('not_found');
    expect(refusal(same, `@@\n${' x\n'.repeat(50_000)}+y\n`).kind).toBe('ambiguous');
  }, 10_000);
});

import { describe, expect, it } from 'vitest';
import { parsePatch } from './parse.ts';
import type { CountsMode, PatchFile } from './patch.ts';

function read(text: string, counts: CountsMode = 'recount'): readonly PatchFile[] {
  const patch = parsePatch(Buffer.from(text, 'latin1'), counts);
  if ('kind' in patch) throw new Error(`${patch.kind}: ${patch.message}`);
  return patch.files;
}

function refusal(text: string, counts: CountsMode = 'recount') {
  const patch = parsePatch(Buffer.from(text, 'latin1'), counts);
  if (!('kind' in patch)) throw new Error('the patch was read');
  return patch;
}

/** `edit a.txt [ a-b+B c]`: action, path, and the lines of each hunk. */
function summary(files: readonly PatchFile[]): readonly string[] {
  return files.map(({ action, from, to, hunks }) => {
    const lines = hunks.map((hunk) => `[${hunk.lines.map(({ op, text }) => op + text).join('')}]`);
    return [action, from === to ? to : `${from}>${to}`, ...lines].join(' ');
  });
}

const BODY = '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n';
const HUNK = '[ a-b+B c]';

describe('names', () => {
  it.each([
    ['a/x', 'b/x', 'x'],
    ['x', 'x', 'x'],
    ['a/x', 'a/x', 'a/x'],
    ['i/x', 'w/x', 'x'],
    ['x', 'b/x', 'x'],
    ['a/x', 'x', 'x'],
    ['a/a/x', 'b/a/x', 'a/x'],
    ['old/src/x', 'new/src/x', 'src/x'],
    ['x.orig', 'x', 'x'],
    ['a/two words', 'b/two words', 'two words'],
    ['a/two words\t', 'b/two words\t', 'two words'],
    ['a/x\t2024-05-01 10:00:00.000000000 +0200', 'b/x\t2024-05-01 10:00:01.000000000 +0200', 'x'],
    ['a/x 2024-05-01 10:00:00 +0200', 'b/x 2024-05-01 10:00:01.5 +0200', 'x'],
    ['a/x  ', 'b/x', 'x'],
    ['"a/gr\\303\\274n \\"q\\".md"', '"b/gr\\303\\274n \\"q\\".md"', 'gr\u00fcn "q".md'],
    ['"a/tab\\tbed"', '"b/tab\\tbed"', 'tab\tbed'],
    ['a/voil\xc3\xa0', 'b/voil\xc3\xa0', 'voil\u00e0'],
  ])('%j and %j are %j', (from, to, path) => {
    expect(summary(read(`--- ${from}\n+++ ${to}\n${BODY}`))).toEqual([`edit ${path} ${HUNK}`]);
  });

  it.each([
    ['diff --git a/x b/x\nold mode 100644\nnew mode 100755\n', 'mode x'],
    ['diff --git a/two words b/two words\nnew file mode 100644\nindex 0000000..e69de29\n', 'create two words'],
    ['diff --git "a/\\303\\274" "b/\\303\\274"\nold mode 100755\nnew mode 100644\n', 'mode \u00fc'],
    ['diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n', 'delete x'],
    ['diff --git a/s b/t\nsimilarity index 100%\nrename from s\nrename to t\n', 'rename s>t'],
    ['diff --git a/s b/t\nsimilarity index 100%\ncopy from s\ncopy to t\n', 'copy s>t'],
    ['diff --git b/x b/x\nold mode 100644\nnew mode 100755\n', 'mode b/x'],
  ])('are read from git’s lines alone: %j', (text, expected) => {
    expect(summary(read(text, 'strict'))).toEqual([expected]);
  });

  it('of the entry that follows may come without git’s lines', () => {
    const mode = 'diff --git a/\xc3\xbc b/\xc3\xbc\nold mode 100644\nnew mode 100755\n';
    const plain = `--- a/x\n+++ b/x\n${BODY}`;
    expect(summary(read(mode + plain))).toEqual(['mode \u00fc', `edit x ${HUNK}`]);
    expect(summary(read(mode + plain.replaceAll('/x', '/\xc3\xbc')))).toEqual([`edit \u00fc ${HUNK}`]);
    const rename = 'diff --git a/s b/t\nrename from s\nrename to t\n';
    expect(summary(read(rename + plain))).toEqual(['rename s>t', `edit x ${HUNK}`]);
  });

  it('that differ need rename lines', () => {
    expect(refusal(`--- a/x\n+++ b/y\n${BODY}`)).toMatchObject({ kind: 'malformed', file: 'y' });
    expect(refusal(`diff --git a/x b/x\n--- a/y\n+++ b/y\n${BODY}`)).toMatchObject({ kind: 'malformed', file: 'x' });
    expect(refusal(`diff --git a/s b/t\nrename from s\n${BODY}`).message).toContain('one is missing');
  });

  it('that are no UTF-8, or whose quotes do not fit, are refused', () => {
    expect(refusal(`--- a/\xff\n+++ b/\xff\n${BODY}`)).toMatchObject({ kind: 'malformed' });
    expect(refusal(`--- "a/x\n+++ "b/x\n${BODY}`)).toMatchObject({ kind: 'malformed' });
    expect(refusal(`--- "a/\\q"\n+++ "b/\\q"\n${BODY}`)).toMatchObject({ kind: 'malformed' });
  });
});

describe('created and deleted files', () => {
  const add = '@@ -0,0 +1 @@\n+a\n';
  const remove = '@@ -1 +0,0 @@\n-a\n';
  it.each([
    [`--- /dev/null\n+++ b/x\n${add}`, 'create x [+a]'],
    [`--- a/x\n+++ /dev/null\n${remove}`, 'delete x [-a]'],
    [`--- old/x\t1970-01-01 01:00:00.000000000 +0100\n+++ new/x\t2024-05-01 10:00:00 +0200\n${add}`, 'create x [+a]'],
    [
      `--- old/x\t2024-05-01 10:00:00 +0200\n+++ new/x\t1969-12-31 19:00:00.000000000 -0500\n${remove}`,
      'delete x [-a]',
    ],
    ['--- /dev/null\n+++ b/x\n@@ -0,0 +0,0 @@\n', 'create x'],
  ])('%j', (text, expected) => {
    expect(summary(read(text))).toEqual([expected]);
  });

  it('have one hunk, of added lines', () => {
    expect(refusal(`--- /dev/null\n+++ b/x\n${add}${add}`)).toMatchObject({ kind: 'malformed', hunk: 2 });
    expect(refusal('--- /dev/null\n+++ b/x\n@@ -0,0 +1,3 @@\n+a\n\n+b\n').message).toContain('" " does not');
  });

  it('are regular files', () => {
    const link = 'diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+target\n';
    expect(refusal(link)).toMatchObject({ kind: 'malformed', message: expect.stringContaining('a symbolic link') });
  });
});

describe('what belongs to a hunk', () => {
  const head = '--- a/x\n+++ b/x\n';
  const next = `--- a/y\n+++ b/y\n${BODY}`;

  it.each([
    ['counts too large before the next file', '@@ -1,4 +1,4 @@\n a\n-b\n+B\n c\n', ''],
    ['counts far too large', '@@ -1,99 +1,99 @@\n a\n-b\n+B\n c\n', ''],
    ['counts too small', '@@ -1 +1 @@\n a\n-b\n+B\n c\n', ''],
    ['no numbers', '@@\n a\n-b\n+B\n c\n', ''],
    ['numbers that are none', '@@ ... @@\n a\n-b\n+B\n c\n', ''],
    ['a heading', '@@ -1,3 +1,3 @@ function a() {\n a\n-b\n+B\n c\n', ''],
    ['empty lines after it', BODY, '\n\n'],
    ['empty lines after wrong counts', '@@ -1,7 +1 @@\n a\n-b\n+B\n c\n', '\n\n'],
    ['prose after it', BODY, '\nThen:\n- a list\n\n'],
    ['the signature of format-patch', BODY, '-- \n2.39.5\n\n'],
    ['the signature after wrong counts', '@@ -1,9 +1,9 @@\n a\n-b\n+B\n c\n', '-- \n2.39.5\n\n'],
    ['an index line', BODY, 'Index: y\n===================================================================\n'],
  ])('%s', (_, hunk, between) => {
    const [x, y] = [`edit x ${HUNK}`, `edit y ${HUNK}`];
    const patch = parsePatch(Buffer.from(`${head}${hunk}${between}${next}`));
    if ('kind' in patch) throw new Error(patch.message);
    const readings = [patch.files, patch.otherwise].map((files) => Array.isArray(files) && summary(files));
    expect(readings).toContainEqual([x, y]);
    expect(summary(read(`${head}${hunk}${between}`))).toEqual([x]);
  });

  it('a fence around the patch does not', () => {
    const text = `Here it is:\n\n\`\`\`diff\n${head}@@ -1,9 +1,9 @@\n a\n-b\n+B\n c\n\`\`\`\n\n- a list\n+ of changes\n`;
    expect(summary(read(text))).toEqual([`edit x ${HUNK}`]);
    expect(summary(read(`${head}@@ -1,9 +1,9 @@\n a\n-b\n+B\n c\n\`\`\`\n`))).toEqual([`edit x ${HUNK}`]);
    expect(summary(read(`${head}@@ -1,2 +1,2 @@\n \`\`\`\n-b\n+B\n`))).toEqual(['edit x [ ```-b+B]']);
  });

  it('an empty line is an empty line of context whose blank was lost', () => {
    expect(summary(read(`${head}@@ -1,4 +1,4 @@\n a\n\n-b\n+B\n c\n`))).toEqual(['edit x [ a -b+B c]']);
    for (const after of ['', '\n\n', '-- \n2.39.5\n', next]) {
      expect(summary(read(`${head}@@ -1,3 +1,3 @@\n-b\n+B\n c\n\n${after}`))[0]).toBe('edit x [-b+B c ]');
    }
  });

  it.each([
    ['\ta\n-b\n+B\n c\n', 4, '\\ta'],
    [' a\n-b\n+B\nc\n', 7, 'c'],
    [' a\n\nc\n-b\n+B\n', 6, 'c'],
    [' a\n```\n-b\n+B\n', 5, '```'],
  ])('a line that begins with neither a blank, + nor - is refused, not passed over: %j', (lines, line, text) => {
    const { kind, file, hunk, message } = refusal(`${head}@@ -1,3 +1,3 @@\n${lines}`);
    expect([kind, file, hunk]).toEqual(['malformed', 'x', 1]);
    expect(message).toContain(`line ${line} of the patch, "${text}"`);
  });

  it('a marker of no newline is of the line before it, which must be the last of its side', () => {
    const [file] = read(`${head}@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+B\n`);
    expect(file!.hunks[0]!.lines.map(({ end }) => end)).toEqual(['', '\n']);
    expect(refusal(`${head}@@ -1,2 +1,2 @@\n-b\n\\ No newline at end of file\n+B\n c\n`).kind).toBe('malformed');
    expect(refusal(`${head}@@ -1,2 +1,2 @@\n\\ No newline at end of file\n-b\n+B\n`).kind).toBe('malformed');
  });

  it('line ends are those of its lines, and where the headers end in CR LF, of the patch', () => {
    const crlf = `${head}@@ -1,2 +1,2 @@\n a\r\n-b\n+b\r\n\\ No newline at end of file\n`;
    expect(read(crlf)[0]!.hunks[0]!.lines.map(({ text, end }) => text + end)).toEqual(['a\r\n', 'b\n', 'b\r']);
    const [file] = read(crlf.replace(/\r?\n/g, '\r\n'));
    expect(file!.crlfTransport).toBe(true);
    expect(file!.hunks[0]!.lines.map(({ text, end }) => text + end)).toEqual(['a\r\n', 'b\r\n', 'b']);
  });
});

describe('wrong counts', () => {
  const short = '@@ -1,9 +1,4 @@\n a\n-b\n+B\n c\n';
  const text = (body: string) => `--- a/x\n+++ b/x\n${body}`;

  it('are corrected, and the correction is told', () => {
    expect(read(text(short))[0]!.hunks[0]!.correction).toBe('counts corrected to -1,3 +1,3');
    expect(read(text('@@ -1 +1 @@\n a\n-b\n+B\n c\n'))[0]!.hunks[0]!.correction).toBe('counts corrected to -1,3 +1,3');
    expect(read(text(BODY))[0]!.hunks[0]!.correction).toBeNull();
  });

  it('are truncation where the patch may have been cut and nothing follows', () => {
    const { kind, file, hunk, message } = refusal(text(short), 'strict');
    expect([kind, file, hunk]).toEqual(['truncated', 'x', 1]);
    expect(message).toContain('after 3 of 9 old lines and 3 of 4 new lines');
    expect(read(text(short + BODY), 'strict')[0]!.hunks[0]!.correction).toBe('counts corrected to -1,3 +1,3');
    expect(read(text('@@ -1 +1 @@\n a\n-b\n+B\n c\n'), 'strict')).toHaveLength(1);
  });
});

describe('a patch that may have been cut', () => {
  const git = 'diff --git a/s b/t\nsimilarity index 80%\nrename from s\nrename to t\nindex 1..2 100644\n';
  const whole = `${git}--- a/s\n+++ b/t\n${BODY}diff --git a/n b/n\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n--- a/z\n+++ b/z\n${BODY}`;

  it('is read as whole entries or refused, wherever it ends', () => {
    const files = read(whole, 'strict');
    const ends: number[] = [];
    for (let length = 0; length < whole.length; length += 1) {
      const patch = parsePatch(Buffer.from(whole.slice(0, length)), 'strict');
      if ('kind' in patch) continue;
      ends.push(length);
      expect(patch.files).toEqual(files.slice(0, patch.files.length));
    }
    const half = `--- a/x\n+++ b/x\n${BODY}--- a/y\n`;
    expect(refusal(half, 'strict')).toMatchObject({ kind: 'truncated', file: 'x', hunk: 1 });
    // Right after the first entry, and after the second.
    expect(ends).toEqual([whole.indexOf('diff --git a/n'), whole.indexOf('--- a/z')]);
  });
});

describe('no patch', () => {
  it.each([
    ['', 'empty'],
    ['Nothing to do.\n', 'empty'],
    ['--- a/x\n+++ b/x\n', 'empty'],
    ['diff --git a/x b/x\nindex 1..2 100644\n', 'empty'],
    ['--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n b\n', 'empty'],
    ['--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n', 'empty'],
    [BODY, 'malformed'],
    [`--- a/x\n${BODY}`, 'malformed'],
    [`+++ a/x\n${BODY}`, 'malformed'],
    ['diff --cc x\n@@@ -1,2 -1,2 +1,2 @@@\n  a\n--b\n++B\n', 'malformed'],
    ['--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n', 'malformed'],
    ['--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\nand then\n@@ -3 +3 @@\n-c\n+d\n', 'malformed'],
    ['diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 3\nabc\n', 'binary'],
    ['diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n', 'binary'],
    ['Binary files old/x and new/x differ\n', 'binary'],
  ])('%j is %s', (text, kind) => {
    expect(refusal(text).kind).toBe(kind);
  });

  it('of another format is said to be one', () => {
    const other = '*** Begin Patch\n*** Update File: x\n@@\n-b\n+B\n*** End Patch\n';
    expect(refusal(other).message).toContain('wanted is a unified diff');
    expect(refusal('*** Begin Patch\n*** Delete File: x\n*** End Patch\n').message).toContain(
      'wanted is a unified diff',
    );
  });
});

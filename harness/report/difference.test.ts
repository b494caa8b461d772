import { describe, expect, it } from 'vitest';
import { describeDifference, firstDifference } from './difference.ts';

function between(path: string, committed: string, produced: string) {
  return firstDifference(path, Buffer.from(committed), Buffer.from(produced));
}

describe('firstDifference', () => {
  it('is null for equal bytes', () => {
    expect(between('a.csv', 'x\n1\n', 'x\n1\n')).toBeNull();
  });

  it('names the line of a text file', () => {
    expect(between('a.svg', '<svg>\n<a/>\n', '<svg>\n<b/>\n')).toEqual({
      kind: 'differs',
      path: 'a.svg',
      line: 2,
      committed: '<a/>',
      produced: '<b/>',
    });
  });

  it('says where one side ends', () => {
    expect(between('a.json', '{}', '{}\n')).toMatchObject({ line: 2, committed: null, produced: '' });
    expect(between('a.csv', 'x\n1\n2\n', 'x\n1\n')).toMatchObject({ line: 3, committed: '2', produced: null });
  });

  it('names the column of a CSV cell', () => {
    expect(between('a.csv', 'k,v\na,1\nb,2\n', 'k,v\na,1\nb,3\n')).toEqual({
      kind: 'differs',
      path: 'a.csv',
      line: 3,
      column: 'v',
      committed: '2',
      produced: '3',
    });
  });

  it('counts lines of the file, not records, when cells hold line feeds, commas and quotes', () => {
    const head = 'k,v\n"two\nlines, ""quoted""",1\n';
    expect(between('a.csv', `${head}b,2\n`, `${head}b,3\n`)).toMatchObject({ line: 4, column: 'v' });
  });

  it('shows whole lines when the header or the number of cells differs', () => {
    expect(between('a.csv', 'k,v\na,1\n', 'k,w\na,1\n')).toMatchObject({ line: 1, committed: 'k,v', produced: 'k,w' });
    expect(between('a.csv', 'k,v\na,1\n', 'k,v\na\n')).toMatchObject({ line: 2, committed: 'a,1', produced: 'a' });
  });

  it('shows the lines when only the quoting differs', () => {
    expect(between('a.csv', 'k\n"a"\n', 'k\na\n')).toMatchObject({ line: 2, committed: '"a"', produced: 'a' });
  });

  it('reads a quoted cell of a megabyte', () => {
    const cell = `"${'x""\n'.repeat(250_000)}"`;
    expect(between('a.csv', `k,v\n${cell},1\n`, `k,v\n${cell},2\n`)).toMatchObject({ line: 2, column: 'v' });
  });
});

describe('describeDifference', () => {
  it('shows both sides, with long and strange text made readable', () => {
    const difference = between('a.csv', 'k\n1\n', `k\n${'é\t'.repeat(200)}\n`);
    if (difference === null) throw new Error('equal');
    expect(describeDifference(difference)).toBe(
      `a.csv, line 2, column k:\n  committed "1"\n  produced  "${'é\\t'.repeat(100)}…"`,
    );
  });
});

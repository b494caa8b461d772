import { describe, expect, it } from 'vitest';
import { csvTable, formatNumber, type Table, TableError, textTable } from './table.ts';

interface Row {
  readonly name: string;
  readonly bytes: number;
  readonly share: number | null;
}

const TABLE: Table<Row> = {
  columns: [
    { key: 'name', format: 'text' },
    { key: 'bytes', name: 'size', format: 'integer' },
    { key: 'share', format: { decimals: 3 } },
  ],
  sortBy: ['bytes'],
};

describe('csvTable', () => {
  it('writes a header, LF at each line, fixed decimals, and nothing for null', () => {
    const rows = [
      { name: 'b', bytes: 10, share: 0.5 },
      { name: 'a', bytes: 9, share: null },
    ];
    expect(csvTable(TABLE, rows)).toBe('name,size,share\na,9,\nb,10,0.500\n');
  });

  it('writes a header alone for no rows', () => {
    expect(csvTable(TABLE, [])).toBe('name,size,share\n');
  });

  it('quotes what RFC 4180 quotes, and every control character', () => {
    const rows = ['a,b', 'say "x"', 'two\nlines', 'cr\r', 'nul\u0000', '=1+1', 'é€'].map((name, bytes) => ({
      name,
      bytes,
      share: null,
    }));
    expect(csvTable(TABLE, rows)).toBe(
      'name,size,share\n"a,b",0,\n"say ""x""",1,\n"two\nlines",2,\n"cr\r",3,\n"nul\u0000",4,\n=1+1,5,\né€,6,\n',
    );
  });

  it('shows a lone surrogate as an escape and leaves pairs alone', () => {
    expect(csvTable(TABLE, [{ name: 'x\ud800y😀', bytes: 1, share: 1 }])).toBe(
      'name,size,share\nx\\ud800y😀,1,1.000\n',
    );
  });

  it('gives the same bytes for every order of rows, also of rows with equal keys', () => {
    const rows = ['c', 'a', 'B', 'b'].map((name) => ({ name, bytes: 1, share: 0 }));
    expect(csvTable(TABLE, rows)).toBe(csvTable(TABLE, rows.toReversed()));
    expect(csvTable(TABLE, rows)).toBe('name,size,share\nB,1,0.000\na,1,0.000\nb,1,0.000\nc,1,0.000\n');
  });

  it('sorts by a given order, and refuses a value outside it', () => {
    const ordered: Table<Row> = { ...TABLE, sortBy: [{ key: 'name', order: ['z', 'a'] }] };
    const row = (name: string) => ({ name, bytes: 1, share: null });
    expect(csvTable(ordered, [row('a'), row('z')])).toBe('name,size,share\nz,1,\na,1,\n');
    expect(() => csvTable(ordered, [row('q')])).toThrow(TableError);
  });

  it('sorts null before numbers', () => {
    const bySize: Table<Row> = { ...TABLE, sortBy: ['share'] };
    const rows = [0.5, null, 0].map((share) => ({ name: 'x', bytes: 1, share }));
    expect(csvTable(bySize, rows)).toBe('name,size,share\nx,1,\nx,1,0.000\nx,1,0.500\n');
  });
});

describe('formatNumber', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 2 ** 53])('refuses %s', (value) => {
    expect(() => formatNumber(value, { decimals: 2 })).toThrow(TableError);
    expect(() => formatNumber(value, 'integer')).toThrow(TableError);
  });

  it('refuses a fraction among integers and more than six decimals', () => {
    expect(() => formatNumber(1.5, 'integer')).toThrow(TableError);
    expect(() => formatNumber(1.5, { decimals: 7 })).toThrow(TableError);
  });

  it('never writes an exponent or a negative zero', () => {
    expect(formatNumber(Number.MAX_SAFE_INTEGER, 'integer')).toBe('9007199254740991');
    expect(formatNumber(1e-9, { decimals: 6 })).toBe('0.000000');
    expect(formatNumber(-1e-9, { decimals: 6 })).toBe('0.000000');
    expect(formatNumber(-0.25, { decimals: 1 })).toBe('-0.3');
  });
});

describe('textTable', () => {
  it('aligns numbers to the right, text to the left, in plain characters', () => {
    const rows = [
      { name: 'ctl', bytes: 7, share: 1 },
      { name: 'json-whole', bytes: 1200, share: 0.25 },
    ];
    expect(textTable(TABLE.columns, rows)).toBe(
      ['name        size  share', 'ctl            7  1.000', 'json-whole  1200  0.250', ''].join('\n'),
    );
  });

  it('shows control characters as escapes, so that no cell can command the terminal', () => {
    const text = textTable(TABLE.columns, [{ name: 'a\nb\u001b[31m', bytes: 1, share: null }]);
    expect(text.split('\n')[1]).toBe('a\\u000ab\\u001b[31m     1');
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvTable, type Table } from '../../harness/report/table.ts';
import { parseCsv } from './csv.ts';

interface Row {
  readonly a: string;
  readonly b: string;
}
const TABLE: Table<Row> = {
  columns: [
    { key: 'a', format: 'text' },
    { key: 'b', format: 'text' },
  ],
  sortBy: [],
};

it('reads back every cell that a table writes', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é', '<'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.record({ a: cell, b: cell }), { maxLength: 4 }), (rows) => {
      const [, ...read] = parseCsv(csvTable(TABLE, rows));
      expect(read.map((cells) => cells.join('|')).sort()).toEqual(rows.map(({ a, b }) => `${a}|${b}`).sort());
    }),
    { seed: 20261202, numRuns: 500 },
  );
});

it('reads empty cells at both ends of a line, and a file without rows', () => {
  expect(parseCsv('a,b\n,\n"x,""y""",\n')).toEqual([
    ['a', 'b'],
    ['', ''],
    ['x,"y"', ''],
  ]);
  expect(parseCsv('a,b\n')).toEqual([['a', 'b']]);
});

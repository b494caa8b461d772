/** Experiment C in one table: a row a protocol, counted from its CSV files. */
import { stringify } from 'csv-stringify/sync';
import { PROTOCOLS } from '../../harness/parsers/protocols.ts';
import { type CsvRow, csvRows } from './csv.ts';
import { type Results, tableOf } from './results.ts';

const PROPERTIES = ['s1', 's2', 's3', 'k'] as const;

/** CSV: protocol, streams, S1, S2, S3, K, calls run, calls complete, most pending bytes; the content level, all suites. */
export function glanceCsv(results: Results): string {
  const safety = contentRows(tableOf(results, 'safety.csv').csv);
  const pending = contentRows(tableOf(results, 'pending.csv').csv);
  const rows = PROTOCOLS.map((protocol) => {
    const own = safety.filter(({ parser }) => parser === protocol);
    const most = pending
      .filter(({ parser }) => parser === protocol)
      .reduce((high, { max }) => Math.max(high, Number(max)), 0);
    const verdicts = PROPERTIES.map((property) => verdictOf(own, property));
    return [protocol, own.length, ...verdicts, sum(own, 'calls_executed'), sum(own, 'calls_oracle'), most];
  });
  const head = ['protocol', 'streams', 'S1', 'S2', 'S3', 'K', 'calls run', 'calls complete', 'most pending (bytes)'];
  return stringify([head, ...rows], { record_delimiter: '\n' });
}

function contentRows(csv: string): CsvRow[] {
  return csvRows(csv).filter(({ level }) => level === 'content');
}

function verdictOf(rows: readonly CsvRow[], property: (typeof PROPERTIES)[number]): string {
  if (rows.every((row) => row[property] === '')) return 'no promise';
  const violating = rows.filter((row) => Number(row[property]) > 0);
  if (violating.length === 0) return 'holds';
  const expected = violating.every(({ verdict }) => verdict === 'expected finding');
  return `${expected ? 'expected finding' : 'VIOLATED'}: ${violating.length} streams`;
}

function sum(rows: readonly CsvRow[], column: string): number {
  return rows.reduce((total, row) => total + Number(row[column]), 0);
}

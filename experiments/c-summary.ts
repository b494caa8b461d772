/** What a person reads at the end of experiment C. */
import { CONTRACT_ERROR_KINDS } from '../harness/parsers/contract-error.ts';
import { PROTOCOLS, type Protocol } from '../harness/parsers/protocols.ts';
import { type Column, textTable } from '../harness/report/table.ts';
import { PARSER_NAMES, type ParserName, type SafetyRow } from './c-rows.ts';
import type { ExperimentRows } from './c-run.ts';

interface SummaryRow {
  readonly parser: string;
  readonly streams: number;
  readonly s1: string;
  readonly s2: string;
  readonly s3: string;
  readonly k: string;
  readonly calls: string;
  readonly worst: number;
}

const COLUMNS: readonly Column<SummaryRow>[] = [
  { key: 'parser', format: 'text' },
  { key: 'streams', format: 'integer' },
  { key: 's1', name: 'S1', format: 'text' },
  { key: 's2', name: 'S2', format: 'text' },
  { key: 's3', name: 'S3', format: 'text' },
  { key: 'k', name: 'K', format: 'text' },
  { key: 'calls', name: 'calls run / complete', format: 'text' },
  { key: 'worst', name: 'worst pending (bytes)', format: 'integer' },
];

type KindRow = { readonly kind: string } & Record<Protocol, number>;

const KIND_COLUMNS: readonly Column<KindRow>[] = [
  { key: 'kind', name: 'contract errors', format: 'text' },
  ...PROTOCOLS.map((key) => ({ key, format: 'integer' }) as const),
];

/** A table of one row a parser: what each property says over all streams and levels. */
export function summaryTable(rows: ExperimentRows): string {
  const parsers = PARSER_NAMES.filter((parser) => rows.safety.some((row) => row.parser === parser));
  return textTable(
    COLUMNS,
    parsers.map((parser) => summaryRow(parser, rows)),
  );
}

function summaryRow(parser: ParserName, rows: ExperimentRows): SummaryRow {
  const own = rows.safety.filter((row) => row.parser === parser);
  const content = own.filter((row) => row.level === 'content');
  const worst = rows.pending.filter((row) => row.parser === parser && row.level === 'content');
  return {
    parser,
    streams: content.length,
    s1: cell(own, (row) => row.s1),
    s2: cell(own, (row) => row.s2),
    s3: cell(own, (row) => row.s3),
    k: cell(own, (row) => row.k),
    calls: `${sum(content, (row) => row.callsExecuted)} / ${sum(content, (row) => row.callsOracle)}`,
    worst: worst.reduce((most, row) => Math.max(most, row.max), 0),
  };
}

/** Kind × protocol, without the kinds that did not occur; empty if none did. */
export function errorTable(rows: ExperimentRows): string {
  const kinds = CONTRACT_ERROR_KINDS.filter((kind) => rows.errors.some((row) => row.kind === kind && row.count > 0));
  if (kinds.length === 0) return '';
  const count = (kind: string, parser: Protocol) =>
    rows.errors.reduce((sum, row) => sum + (row.kind === kind && row.parser === parser ? row.count : 0), 0);
  const row = (kind: string): KindRow => {
    const counts = PROTOCOLS.map((parser) => [parser, count(kind, parser)] as const);
    return { kind, ...(Object.fromEntries(counts) as Record<Protocol, number>) };
  };
  return textTable(KIND_COLUMNS, kinds.map(row));
}

function cell(rows: readonly SafetyRow[], count: (row: SafetyRow) => number | null): string {
  if (rows.every((row) => count(row) === null)) return 'no promise';
  const violating = rows.filter((row) => (count(row) ?? 0) > 0);
  if (violating.length === 0) return 'holds';
  const expected = violating.every((row) => row.verdict === 'expected finding');
  return `${expected ? 'expected' : 'VIOLATED'} ×${violating.length}`;
}

function sum(rows: readonly SafetyRow[], of: (row: SafetyRow) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}

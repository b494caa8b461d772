/** Small tables that are counted from the files of experiment C: a row a protocol, a kind of error, a cut point. */
import { stringify } from 'csv-stringify/sync';
import { CONTRACT_ERROR_KINDS } from '../../harness/parsers/contract-error.ts';
import { PROTOCOLS, type Protocol } from '../../harness/parsers/protocols.ts';
import { formatNumber } from '../../harness/report/table.ts';
import { isSweep, meanSalvage } from '../c-chart-data.ts';
import { distinct } from './evidence.ts';
import { type Results, type Row, rowsOf } from './results.ts';

export const PROPERTIES = ['s1', 's2', 's3', 'k'] as const;
export type Property = (typeof PROPERTIES)[number];

/** When each protocol runs a call: the rule, not a finding (streams.md, xml.md, ctl.md, docs/dialects.md). */
const RUNS: Record<Protocol, string> = {
  ctl: 'at the LF of its end line',
  'ctl-heredoc': 'at the LF of its end line',
  xml: 'at a complete end',
  'json-whole': 'at a complete end, all or none',
  'json-object': 'at the next call, a finish reason or [DONE]',
  hermes: 'at </tool_call>',
  'qwen-xml': 'at </function>',
  glm: 'at </tool_call>',
  deepseek: 'at its end token',
  kimi: 'at its end token',
  harmony: 'at <|call|>, or the complete end for it',
};

const SAFETY_COLUMNS = [
  'suite',
  'recording',
  'parser',
  'level',
  ...PROPERTIES,
  'calls_oracle',
  'calls_executed',
  'reopening',
  'verdict',
] as const;
export type SafetyRow = Row<(typeof SAFETY_COLUMNS)[number]>;

export function safetyRows(c: Results): SafetyRow[] {
  return rowsOf(c, 'safety.csv', SAFETY_COLUMNS);
}

export function isContent({ level }: { readonly level: string }): boolean {
  return level === 'content';
}

/** A protocol over all suites. */
export interface Glance {
  readonly protocol: Protocol;
  readonly streams: number;
  /** Names (`suite/file`) of the streams on which it is violated, at either level; `null`: not promised. */
  readonly violations: Record<Property, readonly string[] | null>;
  /** At the content level, as are pending bytes. */
  readonly callsRun: number;
  readonly callsComplete: number;
  readonly mostPending: number;
}

export function glance(c: Results): Glance[] {
  const safety = safetyRows(c);
  const pending = rowsOf(c, 'pending.csv', ['parser', 'level', 'max']).filter(isContent);
  return PROTOCOLS.map((protocol) => {
    const own = safety.filter(({ parser }) => parser === protocol);
    const content = own.filter(isContent);
    const largest = pending.filter(({ parser }) => parser === protocol).map(({ max }) => Number(max));
    const violations = PROPERTIES.map((property) => [property, violatingStreams(own, property)]);
    return {
      protocol,
      streams: content.length,
      violations: Object.fromEntries(violations) as Glance['violations'],
      callsRun: sum(content, 'calls_executed'),
      callsComplete: sum(content, 'calls_oracle'),
      mostPending: Math.max(0, ...largest),
    };
  });
}

function violatingStreams(own: readonly SafetyRow[], property: Property): readonly string[] | null {
  if (own.every((row) => row[property] === '')) return null;
  const violating = own.filter((row) => Number(row[property]) > 0);
  return distinct(violating.map(({ suite, recording }) => `${suite}/${recording}`));
}

/** A row a protocol. */
export function glanceCsv(rows: readonly Glance[]): string {
  const head = ['protocol', 'runs a call', 'streams', 'S1', 'S2', 'S3', 'K'];
  const records = rows.map(({ protocol, streams, violations, callsRun, callsComplete, mostPending }) => {
    const verdicts = PROPERTIES.map((property) => verdictOf(violations[property]));
    return [protocol, RUNS[protocol], streams, ...verdicts, callsRun, callsComplete, mostPending];
  });
  return csvText([...head, 'calls run', 'calls complete', 'most pending (bytes)'], records);
}

function verdictOf(streams: readonly string[] | null): string {
  if (streams === null) return 'no promise';
  if (streams.length === 0) return 'holds';
  return `violated (${streams.length})`;
}

/** A row a suite and kind of contract error that occurred there: streams by protocol. */
export function errorKindsCsv(c: Results): string {
  const counts = rowsOf(c, 'errors.csv', ['suite', 'parser', 'kind', 'count']);
  const rows = distinct(counts.map(({ suite }) => suite)).flatMap((suite) =>
    CONTRACT_ERROR_KINDS.map((kind) => {
      const own = counts.filter((row) => row.suite === suite && row.kind === kind);
      const byProtocol = PROTOCOLS.map((protocol) => own.filter(({ parser }) => parser === protocol));
      return { suite, kind, streams: byProtocol.map((cells) => sum(cells, 'count')) };
    }),
  );
  const occurred = rows.filter(({ streams }) => streams.some((count) => count > 0));
  return csvText(
    ['suite', 'kind', ...PROTOCOLS],
    occurred.map(({ suite, kind, streams }) => [suite, kind, ...streams]),
  );
}

const SALVAGE_COLUMNS = ['suite', 'task', 'recording', 'parser', 'cut', 'executed', 'present', 'share'] as const;
const SHARE = { decimals: 4 } as const;

/** A row a cut point: mean share of the complete calls that had run, by protocol; the reframed tasks, as in the chart. */
export function salvageCsv(c: Results): string {
  const all = rowsOf(c, 'salvage.csv', SALVAGE_COLUMNS).filter((row) => row.suite === 'reframed' && !isSweep(row));
  const rows = all.flatMap(({ suite, task, recording, parser: name, cut, executed, present, share }) => {
    const parser = PROTOCOLS.find((protocol) => protocol === name);
    if (parser === undefined) return [];
    const counts = { cut: Number(cut), executed: Number(executed), present: Number(present) };
    return [{ suite, task, recording, parser, ...counts, share: share === '' ? null : Number(share) }];
  });
  const means = meanSalvage(rows);
  const cuts = [...new Set(means.map(({ cut }) => cut))].sort((a, b) => a - b);
  const records = cuts.map((at) => {
    const here = means.filter(({ cut }) => cut === at);
    const shares = PROTOCOLS.map((protocol) => here.find(({ parser }) => parser === protocol)?.share);
    const streams = range(here.map((mean) => mean.streams));
    return [at, streams, ...shares.map((share) => (share === undefined ? '' : formatNumber(share, SHARE)))];
  });
  return csvText(['cut at %', 'streams', ...PROTOCOLS], records);
}

function range(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? String(least) : `${least} to ${most}`;
}

export function sum<Column extends string>(rows: readonly Row<Column>[], column: Column): number {
  return rows.reduce((total, row) => total + Number(row[column]), 0);
}

function csvText(head: readonly string[], records: readonly (readonly (string | number)[])[]): string {
  return stringify([head, ...records], { record_delimiter: '\n' });
}

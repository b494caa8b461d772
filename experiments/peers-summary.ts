/** Peers by policy and suite, and what a person reads at the end. */
import { compareNames } from '../harness/replay/manifest.ts';
import { type Column, textTable } from '../harness/report/table.ts';
import { ALL, POLICY_ORDER } from './peers-order.ts';
import type { PeerRow, PeerSummary } from './peers-rows.ts';
import { wilson } from './statistics.ts';

/** One row a policy and suite, and one for all suites together. */
export function summarise(rows: readonly PeerRow[]): readonly PeerSummary[] {
  const suites = [...new Set(rows.map(({ suite }) => suite))].sort();
  return [...suites, ALL].flatMap((suite) =>
    POLICY_ORDER.flatMap(({ name, runs }, order) => {
      const own = rows.filter((row) => row.policy === name && (suite === ALL || row.suite === suite));
      return own[0] === undefined ? [] : [summaryOf(own, { suite, order, policy: name, runs }, own[0])];
    }),
  );
}

function summaryOf(
  rows: readonly PeerRow[],
  of: Pick<PeerSummary, 'suite' | 'order' | 'policy' | 'runs'>,
  { library, version }: PeerRow,
): PeerSummary {
  const sum = (value: (row: PeerRow) => number): number => rows.reduce((total, row) => total + value(row), 0);
  const harmed = rows.filter(({ wrong }) => wrong > 0).length;
  const isSample = of.suite !== 'crafted' && of.suite !== ALL;
  const interval = isSample ? wilson(harmed, rows.length) : null;
  const first = rows
    .filter(({ firstPrefix }) => firstPrefix !== null)
    .toSorted((a, b) =>
      a.suite === b.suite ? compareNames(a.recording, b.recording) : compareNames(a.suite, b.suite),
    )[0];
  return {
    ...of,
    library,
    version,
    streams: rows.length,
    byDelta: rows.filter(({ step }) => step === 'delta').length,
    calls: sum(({ calls }) => calls),
    ran: sum(({ ran }) => ran),
    s1: sum(({ s1 }) => s1),
    s1Cut: sum(({ end, foreign }) => (end === 'cut' ? foreign : 0)),
    s2: sum(({ s2 }) => s2),
    s3: sum(({ s3 }) => s3),
    wrong: sum(({ wrong }) => wrong),
    lost: sum(({ lost }) => lost),
    harmed,
    harmedShare: harmed / rows.length,
    harmedLow: interval?.low ?? null,
    harmedHigh: interval?.high ?? null,
    threw: rows.filter(({ threw }) => threw !== null).length,
    firstRecording: first === undefined ? '' : `${first.suite}/${first.recording}`,
    firstPrefix: first?.firstPrefix ?? null,
    firstWhat: first?.firstWhat ?? '',
  };
}

const COLUMNS: readonly Column<PeerSummary & { readonly calledRun: string; readonly harmedOf: string }>[] = [
  { key: 'policy', format: 'text' },
  { key: 'version', format: 'text' },
  { key: 's1', name: 'S1', format: 'integer' },
  { key: 's2', name: 'S2', format: 'integer' },
  { key: 's3', name: 'S3', format: 'integer' },
  { key: 'calledRun', name: 'run / calls', format: 'text' },
  { key: 'wrong', name: 'run wrongly', format: 'integer' },
  { key: 'lost', format: 'integer' },
  { key: 'harmedOf', name: 'streams harmed', format: 'text' },
  { key: 'threw', format: 'integer' },
];

const FAIR = `None of these libraries claims to say when a call may be executed: the table measures the policy "a call runs when
the library's answer is …". Calls are compared by value. S1: run before its end, or no call of the stream. S2: run with
another id, name or value. S3: taken back by the library's answer to the whole text.
`;

export function peersSummary(summaries: readonly PeerSummary[]): string {
  const suites = [...new Set(summaries.map(({ suite }) => suite))];
  const tables = suites.map((suite) => {
    const own = summaries.filter((summary) => summary.suite === suite);
    const lines = own.map((row) => ({
      ...row,
      calledRun: `${row.ran} / ${row.calls}`,
      harmedOf: `${row.harmed} of ${row.streams}`,
    }));
    return `${suite === ALL ? 'all suites' : `suite ${suite}`}\n${textTable(COLUMNS, lines)}`;
  });
  return `${FAIR}\n${tables.join('\n')}`;
}

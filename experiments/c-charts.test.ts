import { describe, expect, it } from 'vitest';
import { CONTRACT_ERROR_KINDS } from '../harness/parsers/contract-error.ts';
import { PROTOCOLS } from '../harness/parsers/protocols.ts';
import { renderChart } from '../harness/report/chart.ts';
import { type ChartRows, chartsOfC } from './c-charts.ts';
import type { PendingRow, SafetyRow } from './c-rows.ts';
import { verdictCells, verdictGrid } from './c-verdict-grid.ts';

const SAFE: SafetyRow = {
  suite: 'replies',
  recording: 'r',
  task: 't',
  parser: 'ctl',
  level: 'content',
  prefixes: 10,
  s1: 0,
  s2: 0,
  s3: 0,
  k: 0,
  callsOracle: 1,
  callsExecuted: 1,
  agrees: 'yes',
  expected: '',
  split: 'holds',
  continuation: 'not-run',
  reopening: 'not-run',
  firstOffset: null,
  firstWhat: '',
  verdict: 'holds',
};

function pending(parser: PendingRow['parser'], size: number): PendingRow {
  const bounded = parser.startsWith('ctl');
  return {
    suite: 'reframed',
    recording: `sweep-${size}`,
    task: `sweep-${size}`,
    parser,
    level: 'content',
    bytes: size,
    max: bounded ? 40 : size,
    mean: 1,
    p95: 1,
    sseHeldMax: 1,
    k: bounded ? 4096 : null,
    bounded: bounded ? 'yes' : 'no promise',
    longestArgument: size,
  };
}

const NOTHING: ChartRows = { safety: [], pending: [], along: [], errors: [], salvage: [] };
const ROWS: ChartRows = {
  safety: [
    ...PROTOCOLS.map((parser) => ({ ...SAFE, parser })),
    { ...SAFE, parser: 'json-repair', k: null, s1: 2, verdict: 'violated' },
  ],
  pending: PROTOCOLS.flatMap((parser) => [pending(parser, 16), pending(parser, 65_536)]),
  along: PROTOCOLS.flatMap((parser) =>
    [0, 1, 2, 0].map((held, offset) => ({ task: 't01', parser, offset, pending: held })),
  ),
  errors: PROTOCOLS.flatMap((parser) =>
    CONTRACT_ERROR_KINDS.map((kind) => ({
      suite: 'replies',
      parser,
      kind,
      count: kind === 'limit' && parser === 'ctl' ? 3 : 0,
    })),
  ),
  salvage: PROTOCOLS.flatMap((parser) =>
    [50, 100].map((cut) => {
      const executed = cut === 100 || parser.startsWith('ctl') ? 1 : 0;
      return { suite: 'reframed', task: 't', recording: 't', parser, cut, executed, present: 1, share: executed };
    }),
  ),
};

describe('chartsOfC', () => {
  it('draws the five charts of the specification, and those of the dialects, without a warning', async () => {
    const charts = chartsOfC(ROWS);
    expect(charts.map(({ name }) => name)).toEqual([
      'verdict-grid',
      'pending-by-argument',
      'pending-along',
      'error-kinds',
      'salvage-by-cut',
      'dialects-pending',
      'dialects-salvage',
    ]);
    for (const chart of charts) expect((await renderChart(chart)).svg).toContain(`>${chart.title}<`);
  });

  it('says in words what the data show', () => {
    const titles = new Map(chartsOfC(ROWS).map(({ name, title }) => [name, title]));
    expect(titles.get('pending-by-argument')).toBe(
      'Pending stays small with ctl and ctl-heredoc, grows with the argument in xml, json-whole and json-object',
    );
    expect(titles.get('error-kinds')).toBe('3 readings end in a contract error, of 1 of 18 kinds');
    expect(titles.get('dialects-pending')).toBe('In 6 of 6 dialects pending grows with the argument, as in JSON');
    expect(titles.get('salvage-by-cut')).toMatch(
      /: ctl 100% of \d+, ctl-heredoc 100% of \d+, xml 0% of \d+, json-whole 0% of \d+, json-object 0% of \d+$/,
    );
  });

  it('leaves out a chart that has nothing to show', () => {
    expect(chartsOfC(NOTHING)).toEqual([]);
    expect(chartsOfC({ ...NOTHING, safety: ROWS.safety }).map(({ name }) => name)).toEqual(['verdict-grid']);
  });

  it.each(['safety', 'pending', 'along', 'errors', 'salvage'] as const)('draws a single row of %s', async (table) => {
    const charts = chartsOfC({ ...NOTHING, [table]: ROWS[table].slice(0, 1) });
    expect(charts).toHaveLength(1);
    for (const chart of charts) await renderChart(chart);
  });

  it('draws the same whatever the order of rows', () => {
    const turned = Object.fromEntries(Object.entries(ROWS).map(([name, rows]) => [name, rows.toReversed()]));
    expect(chartsOfC(turned as unknown as ChartRows)).toEqual(chartsOfC(ROWS));
  });
});

describe('verdictCells', () => {
  const cell = (rows: readonly SafetyRow[], property: string) =>
    verdictCells(rows).find((candidate) => candidate.property.startsWith(`${property}|`));

  it('counts violated checks of all checks', () => {
    const rows: SafetyRow[] = [SAFE, { ...SAFE, s1: 7, verdict: 'violated' }, { ...SAFE, level: 'wire' }];
    expect(cell(rows, 'S1')).toMatchObject({ status: 'violated', violated: 1, checked: 3, text: '1 / 3' });
    expect(cell(rows, 'S2')).toMatchObject({ status: 'holds', text: '0 / 3' });
  });

  it('calls a cell an expected finding only if all its violations are', () => {
    const finding: SafetyRow = { ...SAFE, parser: 'json-object', reopening: 'violated', verdict: 'expected finding' };
    expect(cell([finding], 'reopening')).toMatchObject({ status: 'expected finding', text: '1 / 1' });
    expect(cell([finding, { ...finding, verdict: 'violated' }], 'reopening')).toMatchObject({ status: 'violated' });
  });

  it('tells a promise not made from a check not run', () => {
    expect(cell([{ ...SAFE, k: null }], 'K')).toMatchObject({ status: 'not promised', text: 'not promised' });
    expect(cell([SAFE], 'continuations')).toMatchObject({ status: 'not run', text: 'not run' });
  });

  it('keeps controls out of the title', () => {
    const control: SafetyRow = { ...SAFE, parser: 'end-anywhere', s1: 1, verdict: 'violated' };
    expect(verdictCells([control])[0]?.group).toBe('controls');
    expect(verdictGrid([SAFE, control]).title).toBe('No violation that was not expected: 6 of 6 promises hold');
    expect(verdictGrid([{ ...SAFE, s3: 1, verdict: 'violated' }]).title).toBe('1 of 6 promises is violated');
  });
});

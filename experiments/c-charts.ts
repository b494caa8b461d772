/** The charts of experiment C (properties.md "Experiment C — safety tables"): 2 to 5; the first is in `c-verdict-grid.ts`. */
import { CONTRACT_PROTOCOLS, isContractProtocol, type Protocol } from '../harness/parsers/protocols.ts';
import { byteChannel } from '../harness/report/byte-axis.ts';
import type { Chart } from '../harness/report/chart.ts';
import { INK, LINES_BY_PROTOCOL, LINES_WITH_POINTS, POINTS_BY_PROTOCOL } from '../harness/report/theme.ts';
import { alongSteps, isSweep, meanSalvage, type PendingPoint, pendingPoints } from './c-chart-data.ts';
import { pendingOfDialects, salvageOfDialects } from './c-dialect-charts.ts';
import { errorKinds } from './c-error-chart.ts';
import type { AlongRow, ErrorCount, PendingRow, SafetyRow, SalvageRow } from './c-rows.ts';
import { verdictGrid } from './c-verdict-grid.ts';

const SIZE = { width: 720, height: 400 };
const QUANTITATIVE = { type: 'quantitative' } as const;

export interface ChartRows {
  readonly safety: readonly SafetyRow[];
  readonly pending: readonly PendingRow[];
  readonly along: readonly AlongRow[];
  readonly errors: readonly ErrorCount[];
  readonly salvage: readonly SalvageRow[];
}

/**
 * The five charts, in the order of the specification, and two of the dialects; one that has nothing to show is left out.
 * Lines are drawn of the five protocols of the specification; the dialects stand in panels of their own.
 */
export function chartsOfC(rows: ChartRows): Chart[] {
  const pending = rows.pending.filter(isOfContract);
  const along = rows.along.filter(isOfContract);
  const salvage = rows.salvage.filter(isOfContract);
  const charts = [
    verdictGrid(rows.safety),
    pendingByArgument(pending),
    pendingAlong(along),
    errorKinds(rows.errors),
    salvageByCut(salvage),
    pendingOfDialects(rows.pending),
    salvageOfDialects(rows.salvage),
  ];
  return charts.filter((chart) => Object.values(chart.datasets).some((data) => data.length > 0));
}

function isOfContract({ parser }: { readonly parser: string }): boolean {
  return isContractProtocol(parser);
}

/**
 * Chart 2. The sweep is drawn as lines, recorded answers as points: the other reframed streams, and crafted ones, are
 * no answers. Only the content level is drawn; controls and streams without an argument are left out.
 */
function pendingByArgument(rows: readonly PendingRow[]): Chart {
  const sweep = pendingPoints(rows.filter(isSweep));
  const answers = pendingPoints(rows.filter((row) => row.suite !== 'reframed' && row.suite !== 'crafted'));
  const drawn = [...sweep, ...answers];
  const promises = drawn.length === 0 ? [] : rows.flatMap((row) => row.k ?? []);
  const bounds = [...new Set(promises)].sort((a, b) => a - b).map((k) => ({ k, label: `K = ${bytesLabel(k)}` }));
  return {
    name: 'pending-by-argument',
    title: pendingTitle(sweep),
    subtitle: [
      'Most bytes held back at any content prefix, by the longest argument of the stream (log–log).',
      'Lines: one call, its argument growing. Points: answers. Streams without an argument are left out; 0 is drawn at 1.',
    ],
    description: `Largest pending against longest argument, log–log. ${largestInWords(sweep)}.`,
    datasets: { sweep, answers, bounds },
    view: { ...SIZE, layer: pendingLayers(drawn, bounds) },
  };
}

function pendingLayers(points: readonly PendingPoint[], bounds: readonly { k: number }[]) {
  const x = byteChannel(
    'argument',
    'longest argument',
    points.map((point) => point.argument),
  );
  const y = byteChannel('max', 'largest pending', [...points.map((point) => point.max), ...bounds.map(({ k }) => k)]);
  const bound = { y: { ...y, field: 'k' } };
  return [
    {
      data: { name: 'answers' },
      mark: { type: 'point' as const, size: 40, opacity: 0.55 },
      encoding: { x, y, ...POINTS_BY_PROTOCOL },
    },
    { data: { name: 'sweep' }, mark: { type: 'line' as const }, encoding: { x, y, ...LINES_WITH_POINTS } },
    {
      data: { name: 'bounds' },
      mark: { type: 'rule' as const, color: INK, strokeWidth: 1.5, strokeDash: [3, 3] },
      encoding: bound,
    },
    {
      data: { name: 'bounds' },
      mark: {
        type: 'text' as const,
        align: 'left' as const,
        baseline: 'bottom' as const,
        dx: 6,
        dy: -3,
        fontSize: 12,
        color: INK,
      },
      encoding: { ...bound, x: { value: 0 }, text: { field: 'label' } },
    },
  ];
}

function bytesLabel(bytes: number): string {
  return bytes >= 1024 && bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} B`;
}

/** Growing: the largest pending of the longest argument is at least half of that argument. */
function pendingTitle(sweep: readonly PendingPoint[]): string {
  const last = lastOfEach(sweep);
  const growing = last.filter(({ argument, max }) => max * 2 >= argument).map(({ parser }) => parser);
  const small = last.filter(({ argument, max }) => max * 2 < argument).map(({ parser }) => parser);
  if (growing.length === 0 || small.length === 0) return 'Largest pending by longest argument';
  return `Pending stays small with ${inWords(small)}, grows with the argument in ${inWords(growing)}`;
}

function largestInWords(sweep: readonly PendingPoint[]): string {
  return lastOfEach(sweep)
    .map(({ parser, argument, max }) => `${parser}: ${max} bytes pending at an argument of ${argument} bytes`)
    .join('; ');
}

function lastOfEach<Point extends { parser: Protocol }>(points: readonly Point[]): Point[] {
  return CONTRACT_PROTOCOLS.flatMap((parser) => points.findLast((point) => point.parser === parser) ?? []);
}

function inWords(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}

/** Chart 3: `rows` are those of one task, each protocol's from offset 0 to the length of its message. */
function pendingAlong(rows: readonly AlongRow[]): Chart {
  const steps = alongSteps(rows);
  const largest = CONTRACT_PROTOCOLS.flatMap((parser) => {
    const own = rows.filter((row) => row.parser === parser);
    return own.length === 0 ? [] : `${parser} ${own.reduce((most, row) => Math.max(most, row.pending), 0)} B`;
  });
  const most = steps.reduce((high, step) => Math.max(high, step.pending), 0);
  const decades = [0, 1];
  while ((decades.at(-1) ?? most) < most) decades.push((decades.at(-1) ?? 1) * 10);
  return {
    name: 'pending-along',
    title: `Pending along the answers to task ${rows[0]?.task ?? ''}, one framing a line`,
    subtitle: [
      `Largest pending: ${largest.join(', ')}.`,
      'Bytes delivered and not confirmed (0, then logarithmic); each step shows the most within 0.25% of the message.',
    ],
    description: `Pending along one stream in each framing of task ${rows[0]?.task ?? ''}. Largest: ${largest.join(', ')}.`,
    datasets: { steps },
    view: {
      ...SIZE,
      data: { name: 'steps' },
      mark: { type: 'line', interpolate: 'step-after' },
      encoding: {
        x: {
          field: 'percent',
          ...QUANTITATIVE,
          title: 'part of the message delivered (% of content bytes)',
          scale: { domain: [0, 100] },
          axis: { values: [0, ...CUTS] },
        },
        y: {
          field: 'pending',
          ...QUANTITATIVE,
          title: 'pending (bytes)',
          scale: { type: 'symlog', domain: [0, decades.at(-1) ?? 1] },
          axis: { values: decades, format: 'd' },
        },
        ...LINES_BY_PROTOCOL,
      },
    },
  };
}

/**
 * Chart 5: mean over the streams of `executed / present` at each cut point. A stream in which no complete call is
 * present at a cut has no share there and is left out of that mean. Only tasks of the reframed suite are drawn, so that
 * the lines differ by nothing but the frame.
 */
function salvageByCut(rows: readonly SalvageRow[]): Chart {
  const means = meanSalvage(rows.filter((row) => row.suite === 'reframed' && !isSweep(row)));
  const half = CONTRACT_PROTOCOLS.flatMap((parser) => {
    const mean = means.find((candidate) => candidate.parser === parser && candidate.cut === 50);
    return mean === undefined ? [] : `${parser} ${Math.round(mean.share * 100)}% of ${mean.streams}`;
  });
  const streams = means.map((mean) => mean.streams).sort((a, b) => a - b);
  return {
    name: 'salvage-by-cut',
    title: `Cut at half, complete calls that had run, mean over streams: ${half.join(', ')}`,
    subtitle: [
      'Calls executed / complete calls present when the stream is cut, mean over streams: the same calls in every framing.',
      `Streams without a complete call at a cut are left out of its mean (${streams[0] ?? 0} to ${streams.at(-1) ?? 0} streams a point).`,
    ],
    description: `Share of complete calls that had run, by cut point and protocol. At 50%: ${half.join(', ')}.`,
    datasets: { means },
    view: {
      ...SIZE,
      data: { name: 'means' },
      encoding: {
        x: {
          field: 'cut',
          ...QUANTITATIVE,
          title: 'stream cut at (% of content bytes)',
          scale: { domain: [10, 100] },
          axis: { values: CUTS },
        },
        y: {
          field: 'share',
          ...QUANTITATIVE,
          title: 'complete calls that had run (mean share)',
          scale: { domain: [0, 1] },
          axis: { format: '.0%', tickCount: 5 },
        },
      },
      layer: [
        { mark: { type: 'line' }, encoding: LINES_WITH_POINTS },
        { mark: { type: 'point', filled: true, size: 55, opacity: 1 }, encoding: POINTS_BY_PROTOCOL },
      ],
    },
  };
}

const CUTS = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

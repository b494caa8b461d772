/** The charts of experiment D (properties.md "Experiment D — byte miscounts"). A model a row, if there are several. */
import { byteChannel } from '../harness/report/byte-axis.ts';
import type { Chart } from '../harness/report/chart.ts';
import { INK, QUIET_INK } from '../harness/report/theme.ts';
import { HYPOTHESES, SIZE_BUCKETS } from './d-counts.ts';
import { ALL_SIZES, type HypothesisRow, type MiscountRow, type RegressionRow, type SummaryRow } from './d-rows.ts';
import type { MiscountRows } from './d-run.ts';

const SIZE = { width: 640, height: 400 };
const KINDS = ['ASCII', 'non-ASCII'];
/** Okabe and Ito's blue and vermilion; the shape says the same. */
const KIND = { field: 'text', type: 'nominal', title: 'value' } as const;
const BY_KIND = {
  color: {
    ...KIND,
    scale: { domain: KINDS, range: ['#0072B2', '#D55E00'] },
    legend: { symbolSize: 90, symbolOpacity: 1 },
  },
  shape: { ...KIND, scale: { domain: KINDS, range: ['circle', 'triangle-up'] } },
};

interface LengthPoint {
  readonly model: string;
  readonly text: string;
  readonly meant: number;
  readonly declared: number;
  /** (declared − meant) / meant, in percent. */
  readonly percent: number;
  readonly where: string;
}

/** One that has nothing to show is left out. */
export function chartsOfD(rows: MiscountRows): Chart[] {
  const points = lengthPoints(rows.miscount.filter(({ inFigures }) => inFigures === 'yes'));
  return [
    ...(points.length === 0
      ? []
      : [declaredAgainstMeant(points, rows.regression), relativeError(points, rows.summary)]),
    ...(rows.summary.length === 0 ? [] : [exactShare(rows.summary)]),
    ...(rows.hypotheses.length === 0 ? [] : [whatWasCounted(rows.hypotheses)]),
  ];
}

/** Lengths with a logarithm: values of at least one byte, declared as at least one. */
function lengthPoints(rows: readonly MiscountRow[]): LengthPoint[] {
  return rows.flatMap(({ model, meant, declared, error, nonAsciiBytes, suite, recording, id, key }) => {
    if (meant === null || error === null || meant === 0 || declared === 0) return [];
    const text = nonAsciiBytes === 0 ? 'ASCII' : 'non-ASCII';
    const percent = Math.round((error / meant) * 1e4) / 100;
    return [{ model, text, meant, declared, percent, where: `${suite}/${recording} ${id} ${key}` }];
  });
}

/** `view` over rows with a member `model`: once, or in a row for each model. */
function byModel(rows: readonly { readonly model: string }[], data: string, view: object): Chart['view'] {
  const models = new Set(rows.map(({ model }) => model));
  const source = { data: { name: data } };
  const whole =
    models.size < 2
      ? { ...source, ...view }
      : { ...source, facet: { row: { field: 'model', type: 'nominal', title: null } }, spec: view };
  return whole as Chart['view'];
}

function declaredAgainstMeant(points: readonly LengthPoint[], regression: readonly RegressionRow[]): Chart {
  const sizes = points.flatMap(({ meant, declared }) => [meant, declared]);
  const x = byteChannel('meant', 'meant length', sizes);
  const y = byteChannel('declared', 'declared length', sizes);
  const [low, high] = x.scale.domain as [number, number];
  const exact = points.filter(({ meant, declared }) => meant === declared).length;
  const slopes = regression
    .filter(({ set, text, slope }) => set === 'all lengths' && text === 'all' && slope !== null)
    .map(({ model, slope, slopeLow, slopeHigh }) => `${model}: slope ${slopeText(slope!, slopeLow, slopeHigh)}`);
  return {
    name: 'declared-against-meant',
    title: `Declared against meant length: ${exact} of ${points.length} are exact`,
    subtitle: [
      'One point a length-prefixed value (log–log; empty values have no place on it). Above the line: declared too long.',
      ...(slopes.length === 0 ? [] : [`Regression of the logarithms, ${slopes.join('; ')}.`]),
    ],
    description: `Declared against meant length in bytes, ${points.length} values, ${exact} of them exact; ${above(points)} lie above the line of equality, ${below(points)} below. ${slopes.join('; ')}`,
    datasets: {
      points,
      equal: [
        { meant: low, declared: low },
        { meant: high, declared: high },
      ],
    },
    view: byModel(points, 'points', {
      ...SIZE,
      layer: [
        {
          data: { name: 'equal' },
          mark: { type: 'line', color: QUIET_INK, strokeWidth: 1.5, strokeDash: [4, 3] },
          encoding: { x, y },
        },
        { mark: { type: 'point', size: 45, opacity: 0.6 }, encoding: { x, y, ...BY_KIND, tooltip: LENGTH_TOOLTIP } },
      ],
    }),
  };
}

const LENGTH_TOOLTIP = [
  { field: 'where', type: 'nominal', title: 'value' },
  { field: 'meant', type: 'quantitative' },
  { field: 'declared', type: 'quantitative' },
  { field: 'percent', type: 'quantitative', title: 'error %' },
] as const;

function slopeText(slope: number, low: number | null, high: number | null): string {
  return `${slope.toFixed(3)}${low === null || high === null ? '' : ` [${low.toFixed(3)}, ${high.toFixed(3)}]`}`;
}

function above(points: readonly LengthPoint[]): number {
  return points.filter(({ percent }) => percent > 0).length;
}

function below(points: readonly LengthPoint[]): number {
  return points.filter(({ percent }) => percent < 0).length;
}

function relativeError(points: readonly LengthPoint[], summary: readonly SummaryRow[]): Chart {
  const x = byteChannel(
    'meant',
    'meant length',
    points.map(({ meant }) => meant),
  );
  const worst = points.reduce((most, { percent }) => Math.max(most, Math.abs(percent)), 0);
  const means = summary
    .filter(({ size, text }) => size === ALL_SIZES && text === 'all')
    .map(({ model, meanError }) => `${model}: mean error ${meanError > 0 ? '+' : ''}${meanError.toFixed(1)} bytes`);
  return {
    name: 'relative-error',
    title: `Wrong lengths: ${above(points)} too long, ${below(points)} too short, ${points.length - above(points) - below(points)} exact`,
    subtitle: ['(declared − meant) / meant, by meant length; one point a value.', ...means.map((mean) => `${mean}.`)],
    description: `Signed relative error of the declared length by meant length. ${above(points)} too long, ${below(points)} too short; the largest is ${worst.toFixed(0)} % of the value.`,
    datasets: { points, zero: [{ percent: 0 }] },
    view: byModel(points, 'points', {
      ...SIZE,
      layer: [
        {
          data: { name: 'zero' },
          mark: { type: 'rule', color: QUIET_INK, strokeWidth: 1.5, strokeDash: [4, 3] },
          encoding: { y: PERCENT },
        },
        {
          mark: { type: 'point', size: 45, opacity: 0.6 },
          encoding: { x, y: PERCENT, ...BY_KIND, tooltip: LENGTH_TOOLTIP },
        },
      ],
    }),
  };
}

const PERCENT = { field: 'percent', type: 'quantitative', title: 'relative error (%)' } as const;

/** Intervals are Wilson's; no share stands without one. */
function exactShare(summary: readonly SummaryRow[]): Chart {
  const shares = summary
    .filter(({ size, text }) => size !== ALL_SIZES && text !== 'all')
    .map(({ model, text, size, n, exact, exactShare: share, exactLow: low, exactHigh: high }) => ({
      model,
      text,
      size,
      n,
      exact,
      share: rounded(share),
      low: rounded(low),
      high: rounded(high),
      label: `${exact}/${n}`,
    }));
  const inWords = shares.map(({ text, size, label }) => `${size} bytes ${text}: ${label}`).join('; ');
  const x = {
    field: 'size',
    type: 'nominal',
    sort: SIZE_BUCKETS.map(({ name }) => name),
    title: 'meant length (bytes)',
    axis: { labelAngle: 0 },
  };
  const xOffset = { field: 'text', type: 'nominal', sort: KINDS };
  const y = {
    type: 'quantitative',
    title: 'share of exact lengths',
    scale: { domain: [0, 1] },
    axis: { format: '.0%', tickCount: 5 },
  };
  return {
    name: 'exact-share',
    title: 'Exact lengths by size of the value',
    subtitle: ['Share of declared lengths that are exact, with 95 % Wilson intervals; exact / all above each.'],
    description: `Share of exact lengths by size and kind of text. ${inWords}.`,
    datasets: { shares },
    view: byModel(shares, 'shares', {
      ...SIZE,
      encoding: { x, xOffset },
      layer: [
        {
          mark: { type: 'rule', strokeWidth: 2 },
          encoding: { y: { ...y, field: 'low' }, y2: { field: 'high' }, color: BY_KIND.color },
        },
        {
          mark: { type: 'point', filled: true, size: 80, opacity: 1 },
          encoding: { y: { ...y, field: 'share' }, ...BY_KIND },
        },
        {
          mark: { type: 'text', dy: -9, fontSize: 11, color: INK },
          encoding: { y: { ...y, field: 'high' }, text: { field: 'label', type: 'nominal' } },
        },
      ],
    }),
  };
}

function whatWasCounted(rows: readonly HypothesisRow[]): Chart {
  const fits = rows
    .filter(({ text }) => text === 'all')
    .map(({ model, hypothesis, about, tested, fits: count, byChance }) => ({
      model,
      hypothesis,
      about,
      tested,
      fits: count,
      chance: rounded(byChance),
      label: `${count} of ${tested}, by chance ${byChance.toFixed(1)}`,
    }));
  const most = fits.reduce((high, { fits: count, chance }) => Math.max(high, count, chance), 1);
  const explained = fits.reduce((sum, { fits: count }) => sum + count, 0);
  const y = {
    field: 'about',
    type: 'nominal',
    sort: HYPOTHESES.map(({ about }) => about),
    title: null,
    axis: { labelLimit: 320 },
  };
  const x = {
    type: 'quantitative',
    title: 'wrong lengths that fit exactly',
    scale: { domain: [0, most * 1.6] },
    axis: { tickMinStep: 1, format: 'd' },
  };
  return {
    name: 'what-was-counted',
    title: `What was counted instead of bytes? ${explained} fits of wrong lengths`,
    subtitle: [
      'Bars: wrong lengths that are exactly this count. Ticks: how many would be by chance (relative errors of other answers).',
      'Tried only where the count is another number than the bytes; a length may fit several.',
    ],
    description: `Wrong lengths by the count that they fit. ${fits.map(({ about, label }) => `${about}: ${label}`).join('; ')}.`,
    datasets: { fits },
    view: byModel(fits, 'fits', {
      width: 520,
      height: 30 * HYPOTHESES.length,
      encoding: { y },
      layer: [
        { mark: { type: 'bar', color: '#56B4E9', height: 16 }, encoding: { x: { ...x, field: 'fits' } } },
        {
          mark: { type: 'tick', color: '#D55E00', thickness: 3, size: 24 },
          encoding: { x: { ...x, field: 'chance' } },
        },
        {
          mark: { type: 'text', align: 'left', dx: 8, fontSize: 11, color: INK },
          transform: [{ calculate: 'max(datum.fits, datum.chance)', as: 'end' }],
          encoding: { x: { ...x, field: 'end' }, text: { field: 'label', type: 'nominal' } },
        },
      ],
    }),
  };
}

/** To six decimals, as the tables have at most. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** Chart 4 of experiment C: contract errors, protocol by kind. */
import { CONTRACT_ERROR_KINDS } from '../harness/parsers/contract-error.ts';
import { isContractProtocol, PROTOCOLS, type Protocol } from '../harness/parsers/protocols.ts';
import type { Chart } from '../harness/report/chart.ts';
import { INK } from '../harness/report/theme.ts';
import type { ErrorCount } from './c-rows.ts';

const QUANTITATIVE = { type: 'quantitative' } as const;

/** Suites that were made to hold errors, or hold none by construction: no answers of a model. */
const NO_ANSWERS: readonly string[] = ['crafted', 'reframed'];

/** The counts of all suites of answers together; of all suites if there are no answers. Rows of controls are left out. */
function countsOfAnswers(rows: readonly ErrorCount[]): { counts: Omit<ErrorCount, 'suite'>[]; ofAnswers: boolean } {
  const answers = rows.filter(({ suite }) => !NO_ANSWERS.includes(suite));
  const shown = answers.length > 0 ? answers : rows;
  // A dialect has a column if it has an error there.
  const hasColumn = (parser: Protocol) =>
    shown.some((row) => row.parser === parser && (isContractProtocol(parser) || row.count > 0));
  const counts = PROTOCOLS.filter(hasColumn).flatMap((parser) =>
    CONTRACT_ERROR_KINDS.map((kind) => ({
      parser,
      kind,
      count: shown.reduce((sum, row) => sum + (row.parser === parser && row.kind === kind ? row.count : 0), 0),
    })),
  );
  return { counts, ofAnswers: answers.length > 0 };
}

/** Chart 4: answers that each protocol ended in a contract error, by kind; zeros are shown. */
export function errorKinds(rows: readonly ErrorCount[]): Chart {
  const { counts, ofAnswers } = countsOfAnswers(rows);
  const total = counts.reduce((sum, row) => sum + row.count, 0);
  const most = counts.reduce((high, row) => Math.max(high, row.count), 0);
  const kinds = new Set(counts.filter((row) => row.count > 0).map((row) => row.kind));
  const nonZero = counts.filter((row) => row.count > 0).map((row) => `${row.parser} ${row.kind}: ${row.count}`);
  return {
    name: 'error-kinds',
    title: `${total} readings end in a contract error, of ${kinds.size} of ${CONTRACT_ERROR_KINDS.length} kinds`,
    subtitle: [
      ofAnswers
        ? "Models' answers by protocol and kind of error; crafted and reframed streams are left out."
        : 'Streams by protocol and kind of error, all suites.',
    ],
    description: `Contract errors by protocol and kind. ${nonZero.length === 0 ? 'None' : nonZero.join('; ')}.`,
    datasets: { counts },
    view: {
      data: { name: 'counts' },
      width: Math.max(560, 104 * new Set(counts.map(({ parser }) => parser)).size),
      height: 26 * CONTRACT_ERROR_KINDS.length,
      encoding: {
        x: {
          field: 'parser',
          type: 'nominal',
          sort: [...PROTOCOLS],
          title: null,
          axis: { orient: 'top', labelAngle: 0, ...BARE },
        },
        y: { field: 'kind', type: 'nominal', sort: [...CONTRACT_ERROR_KINDS], title: null, axis: BARE },
      },
      layer: [
        { mark: { type: 'rect', stroke: '#D0D0D0', strokeWidth: 1 }, encoding: { color: heatColor(most) } },
        {
          mark: { type: 'text', fontSize: 12 },
          encoding: { text: { field: 'count', ...QUANTITATIVE, format: 'd' }, color: heatInk(most) },
        },
      ],
    },
  };
}

const BARE = { domain: false, ticks: false, labelPadding: 8 };

function heatColor(most: number) {
  return {
    field: 'count',
    ...QUANTITATIVE,
    title: null,
    scale: {
      type: 'sqrt' as const,
      domain: [0, Math.max(1, most)],
      range: ['#FFFFFF', '#0072B2'],
      interpolate: 'rgb' as const,
    },
    legend: null,
  };
}

function heatInk(most: number) {
  return {
    condition: [
      { test: 'datum.count === 0', value: '#8A8A8A' },
      // The colour scale is a square root: from here on the cell is too dark for black ink.
      { test: `datum.count > ${most * 0.64}`, value: '#FFFFFF' },
    ],
    value: INK,
  };
}

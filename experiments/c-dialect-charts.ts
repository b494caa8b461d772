/** Charts 6 and 7 of experiment C: a panel for each dialect, with protocols of the specification to compare it with. */
import { type ContractProtocol, DIALECTS, type Dialect, isContractProtocol } from '../harness/parsers/protocols.ts';
import { byteChannel } from '../harness/report/byte-axis.ts';
import type { Chart } from '../harness/report/chart.ts';
import { PANEL_LINE, panelLines } from '../harness/report/theme.ts';
import { isSweep, meanSalvage, pendingPoints } from './c-chart-data.ts';
import type { PendingRow, SalvageRow } from './c-rows.ts';

const PANEL = { width: 210, height: 170 };
const COLUMNS = 3;
const QUANTITATIVE = { type: 'quantitative' } as const;
/** The protocol that confirms as it goes, and one that waits for the end. */
const REFERENCES: readonly ContractProtocol[] = ['ctl', 'json-whole'];

/** A point of a line of a panel. */
type InPanel<Point> = Point & { readonly panel: Dialect; readonly line: string };

/** The largest argument that every dialect has is where the comparison ends. */
export function pendingOfDialects(rows: readonly PendingRow[]): Chart {
  const sweep = pendingPoints(rows.filter(isSweep));
  const own = sweep.filter(({ parser }) => !isContractProtocol(parser));
  const longest = Math.max(0, ...own.map(({ argument }) => argument));
  const points = inPanels(sweep.filter(({ argument }) => argument <= longest));
  const last = DIALECTS.flatMap((dialect) => own.findLast(({ parser }) => parser === dialect) ?? []);
  const inWords = last.map(({ parser, argument, max }) => `${parser} ${max} of ${argument} bytes`).join(', ');
  const growing = last.filter(({ argument, max }) => max * 2 >= argument).length;
  return {
    name: 'dialects-pending',
    title: `In ${growing} of ${last.length} dialects pending grows with the argument, as in JSON`,
    subtitle: [
      'Most bytes held back at any content prefix, by the longest argument of the stream (log–log).',
      'One call, its argument growing; a call runs at its closing marker, and until then all of it waits.',
    ],
    description: `Largest pending against longest argument, log–log, a panel for each dialect. At the longest: ${inWords}.`,
    datasets: { points },
    view: panels({
      x: byteChannel(
        'argument',
        'longest argument',
        points.map(({ argument }) => argument),
      ),
      y: byteChannel(
        'max',
        'largest pending',
        points.map(({ max }) => max),
      ),
    }),
  };
}

export function salvageOfDialects(rows: readonly SalvageRow[]): Chart {
  const means = meanSalvage(rows.filter((row) => row.suite === 'reframed' && !isSweep(row)));
  const points = inPanels(means);
  const half = DIALECTS.flatMap((dialect) => {
    const mean = means.find(({ parser, cut }) => parser === dialect && cut === 50);
    return mean === undefined ? [] : `${dialect} ${Math.round(mean.share * 100)}% of ${mean.streams} streams`;
  });
  return {
    name: 'dialects-salvage',
    title: 'Cut at half, complete calls that had run, by dialect',
    subtitle: [
      `${half.join(', ')}.`,
      'Calls executed / complete calls present when the stream is cut, mean over streams: the same calls in every framing.',
    ],
    description: `Share of complete calls that had run, by cut point, a panel for each dialect. At 50%: ${half.join(', ')}.`,
    datasets: { points },
    view: panels({
      x: {
        field: 'cut',
        ...QUANTITATIVE,
        title: 'stream cut at (%)',
        scale: { domain: [10, 100] },
        axis: { values: [10, 50, 100] },
      },
      y: {
        field: 'share',
        ...QUANTITATIVE,
        title: 'had run (mean share)',
        scale: { domain: [0, 1] },
        axis: { format: '.0%', values: [0, 0.5, 1] },
      },
    }),
  };
}

/** The lines of each panel; no panel for a dialect without a point. */
function inPanels<Point extends { readonly parser: string }>(points: readonly Point[]): InPanel<Point>[] {
  return DIALECTS.filter((dialect) => points.some(({ parser }) => parser === dialect)).flatMap((panel) => [
    ...REFERENCES.flatMap((line) =>
      points.filter(({ parser }) => parser === line).map((point) => ({ ...point, panel, line })),
    ),
    ...points.filter(({ parser }) => parser === panel).map((point) => ({ ...point, panel, line: PANEL_LINE })),
  ]);
}

function panels<X extends object, Y extends object>({ x, y }: { readonly x: X; readonly y: Y }) {
  return {
    data: { name: 'points' },
    facet: { field: 'panel', type: 'nominal' as const, title: null, sort: [...DIALECTS] },
    columns: COLUMNS,
    spec: {
      ...PANEL,
      mark: { type: 'line' as const, point: { size: 22 }, strokeWidth: 2 },
      encoding: { x, y, ...panelLines(REFERENCES) },
    },
  };
}

/** Chart 1 of experiment C: parser × property, each cell a verdict over all streams and levels. */
import { CONTROL_NAMES } from '../harness/controls/controls.ts';
import type { Chart } from '../harness/report/chart.ts';
import { INK } from '../harness/report/theme.ts';
import { PARSER_NAMES, type ParserName, type SafetyRow, type SampledCheck } from './c-rows.ts';

type CellStatus = 'holds' | 'violated' | 'expected finding' | 'not promised' | 'not run';

export interface VerdictCell {
  readonly group: 'protocols' | 'controls';
  readonly parser: ParserName;
  readonly property: string;
  readonly status: CellStatus;
  /** Checks in which it is violated, and checks made; one check is one stream at one level. */
  readonly violated: number;
  readonly checked: number;
  /** What stands in the cell. */
  readonly text: string;
}

/** `true`: violated; `null`: not checked, and the status says why. */
interface Property {
  /** The name, and after `|` what it promises. */
  readonly label: string;
  readonly violated: (row: SafetyRow) => boolean | null;
  readonly unchecked: 'not promised' | 'not run';
}

const PROPERTIES: readonly Property[] = [
  { label: 'S1|no incomplete call', violated: (row) => row.s1 > 0, unchecked: 'not run' },
  { label: 'S2|no call changes', violated: (row) => row.s2 > 0, unchecked: 'not run' },
  { label: 'S3|no call vanishes', violated: (row) => row.s3 > 0, unchecked: 'not run' },
  { label: 'K|pending bounded', violated: (row) => (row.k === null ? null : row.k > 0), unchecked: 'not promised' },
  { label: 'splits|make no change', violated: (row) => sampled(row.split), unchecked: 'not run' },
  { label: 'continuations|undo nothing', violated: (row) => sampled(row.continuation), unchecked: 'not run' },
  { label: 'reopening|undoes nothing', violated: (row) => sampled(row.reopening), unchecked: 'not run' },
  { label: 'oracle|agrees', violated: (row) => row.agrees === 'no', unchecked: 'not run' },
];

function sampled(check: SampledCheck): boolean | null {
  return check === 'not-run' ? null : check === 'violated';
}

/** One cell for each parser that has rows and each property, in the order of tables. */
export function verdictCells(rows: readonly SafetyRow[]): VerdictCell[] {
  return PARSER_NAMES.flatMap((parser) => {
    const own = rows.filter((row) => row.parser === parser);
    return own.length === 0 ? [] : PROPERTIES.map((property) => verdictCell(parser, property, own));
  });
}

function verdictCell(parser: ParserName, property: Property, rows: readonly SafetyRow[]): VerdictCell {
  const checked = rows.filter((row) => property.violated(row) !== null);
  const violating = checked.filter((row) => property.violated(row));
  const status = cellStatus(checked, violating, property.unchecked);
  const counts = `${grouped(violating.length)} / ${grouped(checked.length)}`;
  return {
    group: CONTROL_NAMES.some((control) => control === parser) ? 'controls' : 'protocols',
    parser,
    property: property.label,
    status,
    violated: violating.length,
    checked: checked.length,
    text: checked.length === 0 ? status : counts,
  };
}

function cellStatus(
  checked: readonly SafetyRow[],
  violating: readonly SafetyRow[],
  unchecked: Property['unchecked'],
): CellStatus {
  if (checked.length === 0) return unchecked;
  if (violating.length === 0) return 'holds';
  return violating.every((row) => row.verdict === 'expected finding') ? 'expected finding' : 'violated';
}

/** Digits in groups of three, without a locale. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

const STATUS_COLORS: Record<CellStatus, string> = {
  holds: '#CFE4F3',
  violated: '#C24A00',
  'expected finding': '#F2CC6B',
  'not promised': '#EFEFEF',
  'not run': '#FFFFFF',
};
const CELL = { width: 104, height: 34 };

/** `rows`: all of safety.csv, controls included. */
export function verdictGrid(rows: readonly SafetyRow[]): Chart {
  const cells = verdictCells(rows);
  const protocols = cells.filter((cell) => cell.group === 'protocols');
  const controls = cells.filter((cell) => cell.group === 'controls');
  const panels = [
    panel('protocols', protocols, 'Protocols'),
    panel('controls', controls, 'Controls: wrong on purpose'),
  ];
  return {
    name: 'verdict-grid',
    title: gridTitle(protocols),
    subtitle: [
      'In each cell: checks that found a violation / checks made. One check is one stream at one level, at every prefix.',
      'A control must be caught at least once, else the run has failed.',
    ],
    description: `Verdict grid, parser by property. ${protocols.concat(controls).map(cellInWords).join('; ')}.`,
    datasets: { protocols, controls },
    view: { vconcat: panels.filter((_, i) => [protocols, controls][i]?.length), spacing: 28 },
  };
}

function gridTitle(protocols: readonly VerdictCell[]): string {
  const count = (status: CellStatus): number => protocols.filter((cell) => cell.status === status).length;
  const [violated, expected] = [count('violated'), count('expected finding')];
  const expectedPart =
    expected === 0 ? '' : `, ${expected} ${expected === 1 ? 'holds' : 'hold'} but for expected findings`;
  const promised = protocols.filter((cell) => cell.checked > 0).length;
  return violated === 0
    ? `No violation that was not expected: ${count('holds')} of ${promised} promises hold${expectedPart}`
    : `${violated} of ${promised} promises ${violated === 1 ? 'is' : 'are'} violated${expectedPart}`;
}

function cellInWords(cell: VerdictCell): string {
  const property = cell.property.split('|')[0];
  return `${cell.parser} ${property}: ${cell.status}${cell.checked === 0 ? '' : ` (${cell.text})`}`;
}

function panel(name: VerdictCell['group'], cells: readonly VerdictCell[], title: string) {
  const parsers = [...new Set(cells.map((cell) => cell.parser))];
  return {
    data: { name },
    title: { text: title, fontSize: 13, offset: 8, anchor: 'start' as const, frame: 'group' as const },
    width: CELL.width * PROPERTIES.length,
    height: CELL.height * parsers.length,
    encoding: {
      x: {
        field: 'property',
        type: 'nominal' as const,
        sort: PROPERTIES.map(({ label }) => label),
        title: null,
        scale: { paddingInner: 0.03, paddingOuter: 0 },
        axis: {
          orient: 'top' as const,
          labelExpr: "split(datum.label, '|')",
          labelAngle: 0,
          labelFontSize: 11,
          labels: name === 'protocols',
          ...BARE,
          // The second line of a label stands below the first, towards the cells.
          labelPadding: 20,
        },
      },
      y: {
        field: 'parser',
        type: 'nominal' as const,
        sort: parsers,
        title: null,
        scale: { paddingInner: 0.08, paddingOuter: 0 },
        axis: { minExtent: 130, maxExtent: 130, ...BARE },
      },
    },
    layer: [
      { mark: STATUS_MARK, encoding: { color: STATUS_COLOR } },
      { mark: COUNT_MARK, encoding: COUNT_ENCODING },
    ],
  };
}

const BARE = { domain: false, ticks: false, labelPadding: 6 };
const STATUSES = Object.keys(STATUS_COLORS) as CellStatus[];
const STATUS_MARK = { type: 'rect' as const, stroke: '#B8B8B8', strokeWidth: 1 };
const STATUS_COLOR = {
  field: 'status',
  type: 'nominal' as const,
  title: null,
  scale: { domain: STATUSES, range: STATUSES.map((status) => STATUS_COLORS[status]) },
  legend: { orient: 'bottom' as const, symbolType: 'square', symbolSize: 180, columnPadding: 24 },
};
const COUNT_MARK = { type: 'text' as const, fontSize: 11 };
const COUNT_ENCODING = {
  text: { field: 'text' },
  color: { condition: { test: "datum.status === 'violated'", value: '#FFFFFF' }, value: INK },
};

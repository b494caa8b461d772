/** What a person reads at the end of experiment D. */
import { visible } from '../harness/cli/glyphs.ts';
import { FRAMINGS, type Recording } from '../harness/replay/recording.ts';
import { type Column, textTable } from '../harness/report/table.ts';
import type { CoverageRow, SeparatorRow, SummaryRow } from './d-rows.ts';
import type { MiscountRows } from './d-run.ts';

interface SizeLine {
  readonly model: string;
  readonly text: string;
  readonly size: string;
  readonly n: string;
  readonly exact: string;
  readonly typical: string;
  readonly mean: string;
  readonly lost: string;
}

const SIZE_COLUMNS: readonly Column<SizeLine>[] = [
  { key: 'model', format: 'text' },
  { key: 'text', format: 'text' },
  { key: 'size', name: 'size (bytes)', format: 'text' },
  { key: 'n', name: 'lengths', format: 'text' },
  { key: 'exact', name: 'exact [95 %]', format: 'text' },
  { key: 'typical', name: 'median, p95 of |error|', format: 'text' },
  { key: 'mean', name: 'mean error [95 %]', format: 'text' },
  { key: 'lost', name: 'calls lost [95 %]', format: 'text' },
];

interface EffectLine {
  readonly model: string;
  readonly separator: string;
  readonly of: string;
  readonly asMeant: string;
  readonly altered: string;
  readonly lost: string;
}

const EFFECT_COLUMNS: readonly Column<EffectLine>[] = [
  { key: 'model', format: 'text' },
  { key: 'separator', name: 'separator after a body', format: 'text' },
  { key: 'of', format: 'text' },
  { key: 'asMeant', name: 'as meant', format: 'text' },
  { key: 'altered', name: 'altered [95 %]', format: 'text' },
  { key: 'lost', format: 'text' },
];

export function summaryText(rows: MiscountRows): string {
  if (rows.coverage.length === 0) return '';
  const tables = [
    rows.summary.length === 0
      ? 'No complete answer has a length-prefixed argument whose meant length is known.\n'
      : textTable(SIZE_COLUMNS, rows.summary.map(sizeLine)),
    ...(rows.separator.length === 0 ? [] : [textTable(EFFECT_COLUMNS, rows.separator.map(effectLine))]),
  ];
  return `${tables.join('\n')}\n${rows.coverage.map(coverageLine).join('')}${heredocLine(rows)}${alteredLines(rows)}`;
}

/** For a run in which no recording declares lengths: what there is instead. */
export function nothingMeasured(recordings: readonly Recording[]): string {
  const framings = FRAMINGS.flatMap((framing) => {
    const own = recordings.filter((recording) => recording.framing === framing);
    const guessed = own.filter((recording) => recording.guessed).length;
    if (own.length === 0) return [];
    return `${own.length} ${framing}${guessed > 0 ? ` (${guessed} guessed from the content)` : ''}`;
  });
  return `No recording of the framing ctl: nothing declares a length here. There are ${framings.join(', ')}.\n`;
}

function sizeLine(row: SummaryRow): SizeLine {
  const mean =
    row.meanErrorLow === null || row.meanErrorHigh === null
      ? `${signed(row.meanError)} [one answer]`
      : `${signed(row.meanError)} [${signed(row.meanErrorLow)}, ${signed(row.meanErrorHigh)}]`;
  return {
    model: row.model,
    text: row.text,
    size: row.size,
    n: `${row.n} in ${row.streams}`,
    exact: `${row.exact} ${interval(row.exactLow, row.exactHigh)}`,
    typical: `${row.medianAbsError.toFixed(0)}, ${row.p95AbsError.toFixed(0)}`,
    mean,
    lost:
      row.lostLow === null || row.lostHigh === null
        ? ''
        : `${row.callsLost} of ${row.calls} ${interval(row.lostLow, row.lostHigh)}`,
  };
}

function effectLine(row: SeparatorRow): EffectLine {
  return {
    model: row.model,
    separator: row.separator,
    of: row.of,
    asMeant: `${row.asMeant} of ${row.n}`,
    altered: `${row.altered} ${interval(row.alteredLow, row.alteredHigh)}`,
    lost: String(row.lost),
  };
}

/** Never a share without it. */
function interval(low: number, high: number): string {
  return `[${(low * 100).toFixed(1)}, ${(high * 100).toFixed(1)} %]`;
}

function signed(value: number): string {
  const text = value.toFixed(1);
  return value > 0 ? `+${text}` : text;
}

function coverageLine(row: CoverageRow): string {
  const left = [
    ...(row.cut > 0 ? [`${row.cut} cut (left out)`] : []),
    ...(row.withoutLength > 0 ? [`${row.withoutLength} without a declared length`] : []),
    ...(row.unreadable > 0 ? [`${row.unreadable} without a reading`] : []),
    ...(row.ambiguous > 0 ? [`${row.ambiguous} lengths ambiguous (left out)`] : []),
    ...(row.unrecoverable > 0 ? [`${row.unrecoverable} lengths unrecoverable (left out)`] : []),
    ...(row.inFigures === 'no' ? ['written by hand: listed, in no figure'] : []),
  ];
  return `${row.suite}, model ${row.model}: ${[`${row.recordings} ctl recordings`, ...left].join(', ')}\n`;
}

function heredocLine({ counterfactual }: MiscountRows): string {
  const calls = counterfactual.filter(({ inFigures, heredoc }) => inFigures === 'yes' && heredoc !== 'undecided');
  if (calls.length === 0) return '';
  const counted = calls.filter(({ ctl }) => ctl === 'as_meant').length;
  const delimited = calls.filter(({ heredoc }) => heredoc === 'as_meant').length;
  const withLf = calls.filter(({ heredoc }) => heredoc === 'with_final_lf').length;
  return `Of ${calls.length} calls, ${counted} ran as meant with counted values; as heredoc frames ${delimited} would have, and ${withLf} more with a final LF added.\n`;
}

const MOST_SHOWN = 20;

function alteredLines({ altered }: MiscountRows): string {
  const shown = altered
    .slice(0, MOST_SHOWN)
    .map(({ suite, recording, id, key, difference }) => `ALTERED ${suite}/${recording}, ${id} ${key}: ${difference}`)
    // Control characters of a value must not command the terminal.
    .map((line) => `${visible(line)}\n`);
  const left = altered.length - shown.length;
  return `${shown.join('')}${left > 0 ? `… and ${left} more (altered.csv has all)\n` : ''}`;
}

/** What a person reads at the end of experiment E. */
import { type Column, textTable } from '../harness/report/table.ts';
import type { GainRow, HarmRow } from './e-rows.ts';
import type { ExperimentERows } from './e-run.ts';

interface GainLine {
  readonly suite: string;
  readonly calls: string;
  readonly tools: string;
  readonly protocol: string;
  readonly tasks: number;
  readonly first: string;
  readonly last: string;
  readonly firstSaved: string;
  readonly lastSaved: string;
}

const GAIN_COLUMNS: readonly Column<GainLine>[] = [
  { key: 'suite', format: 'text' },
  { key: 'calls', format: 'text' },
  { key: 'tools', format: 'text' },
  { key: 'protocol', format: 'text' },
  { key: 'tasks', format: 'integer' },
  { key: 'first', name: 'first call after', format: 'text' },
  { key: 'last', name: 'last result after', format: 'text' },
  { key: 'firstSaved', name: 'first: saved [95 %]', format: 'text' },
  { key: 'lastSaved', name: 'last: saved [95 %]', format: 'text' },
];

interface HarmLine {
  readonly suite: string;
  readonly control: string;
  readonly streams: number;
  readonly wrong: string;
  readonly early: number;
  readonly harmed: string;
}

const HARM_COLUMNS: readonly Column<HarmLine>[] = [
  { key: 'suite', format: 'text' },
  { key: 'control', name: 'unsafe trigger', format: 'text' },
  { key: 'streams', format: 'integer' },
  { key: 'wrong', name: 'wrong calls / run', format: 'text' },
  { key: 'early', name: 'right, too early', format: 'integer' },
  { key: 'harmed', name: 'streams harmed [95 %]', format: 'text' },
];

export function eagerSummary({ gain, harm }: ExperimentERows): string {
  const drawn = gain.filter(({ tools }) => tools === 'drawn');
  const times =
    drawn.length === 0
      ? 'No task has an answer under each protocol that runs the same calls: there is nothing to compare.\n'
      : textTable(GAIN_COLUMNS, drawn.map(gainLine));
  return harm.length === 0 ? times : `${times}\n${textTable(HARM_COLUMNS, harm.map(harmLine))}`;
}

function gainLine(row: GainRow): GainLine {
  return {
    suite: row.suite,
    calls: row.calls,
    tools: row.tools,
    protocol: row.protocol,
    tasks: row.tasks,
    first: `${row.medianFirstExecution} ms`,
    last: `${row.medianLastResult} ms`,
    firstSaved: saved(row.firstSaved, row.firstSavedLow, row.firstSavedHigh),
    lastSaved: saved(row.lastSaved, row.lastSavedLow, row.lastSavedHigh),
  };
}

function saved(mean: number, low: number | null, high: number | null): string {
  return low === null || high === null ? `${mean} ms [one task]` : `${mean} ms [${low}, ${high}]`;
}

function harmLine(row: HarmRow): HarmLine {
  return {
    suite: row.suite,
    control: row.control,
    streams: row.streams,
    wrong: `${row.wrong} / ${row.ran}`,
    early: row.early,
    harmed: `${row.harmed} [${(row.harmedLow * 100).toFixed(1)}, ${(row.harmedHigh * 100).toFixed(1)} %]`,
  };
}

/** Experiment E over many recordings: recordings in, all rows out, in an order that is theirs alone. */
import pLimit from 'p-limit';
import { CONTROL_NAMES } from '../harness/controls/controls.ts';
import { compareNames } from '../harness/replay/manifest.ts';
import { isContractFraming, type Recording } from '../harness/replay/recording.ts';
import { type ControlReading, timeRecording } from './e-recording.ts';
import {
  CALL_COUNTS,
  type CallRow,
  type GainRow,
  type HarmCase,
  type HarmRow,
  RUNTIME_PROTOCOLS,
  type RuntimeProtocol,
  type TimingRow,
  TOOL_PROFILES,
  type ToolProfile,
} from './e-rows.ts';
import { clusterBootstrap, meanOf, quantileOf, wilson } from './statistics.ts';

export interface EagerOptions {
  readonly lineLimit: number;
  readonly seed: number;
  /** Recordings in memory at once; 0: a few. */
  readonly concurrency: number;
  readonly onProgress: (done: number) => void;
}

export interface ExperimentERows {
  readonly timing: readonly TimingRow[];
  readonly calls: readonly CallRow[];
  readonly gain: readonly GainRow[];
  readonly harm: readonly HarmRow[];
  readonly harmCases: readonly HarmCase[];
}

const FEW = 4;

export async function runEager(given: readonly Recording[], options: EagerOptions): Promise<ExperimentERows> {
  // Ties, and what a chart shows as an example, must not depend on the order in which recordings come.
  const recordings = given.toSorted((a, b) => compareNames(a.suite, b.suite) || compareNames(a.file, b.file));
  const limit = pLimit(options.concurrency || FEW);
  let done = 0;
  try {
    const all = await Promise.all(
      recordings.map((recording) =>
        limit(async () => {
          const rows = await timeRecording(recording, options);
          options.onProgress(++done);
          return rows;
        }),
      ),
    );
    // A stream that was written by hand has no speed.
    const isTimed = recordings.map(({ source }) => source !== 'crafted');
    const timing = all.flatMap((rows, i) => (isTimed[i] ? rows.timing : []));
    const controls = all.flatMap((rows) => rows.controls);
    return {
      timing,
      calls: all.flatMap((rows, i) => (isTimed[i] ? rows.calls : [])),
      gain: gainRows(timing, options.seed),
      harm: harmRows(controls),
      harmCases: controls.flatMap(({ cases }) => cases),
    };
  } finally {
    limit.clearQueue();
  }
}

/** The size sweep is no task that anybody would wait for, and the runtime speaks no dialect. */
export function isRun({ suite, task, framing }: Recording): boolean {
  return isContractFraming(framing) && !(suite === 'reframed' && task.startsWith('sweep-'));
}

/** The times of one task: one row a protocol. */
type TaskTimes = Readonly<Partial<Record<RuntimeProtocol, TimingRow>>>;

/** Compared are tasks whose answers run the same number of calls, at least one, under every protocol. */
function gainRows(timing: readonly TimingRow[], seed: number): GainRow[] {
  const suites = [...new Set(timing.map(({ suite }) => suite))].sort();
  return suites.flatMap((suite) =>
    TOOL_PROFILES.flatMap((tools) => {
      const tasks = comparableTasks(timing.filter((row) => row.suite === suite && row.tools === tools));
      return CALL_COUNTS.flatMap((calls) => {
        const own = tasks.filter(({ 'native-eos': eos }) => isOfCount(eos!.calls, calls));
        if (own.length === 0) return [];
        return RUNTIME_PROTOCOLS.map((protocol) => gainRow({ suite, calls, tools, protocol }, own, seed));
      });
    }),
  );
}

function isOfCount(calls: number, wanted: (typeof CALL_COUNTS)[number]): boolean {
  return wanted === 'all' || (wanted === 'one call') === (calls === 1);
}

/** The first answer of each protocol to a task, by name of its recording. */
function comparableTasks(rows: readonly TimingRow[]): TaskTimes[] {
  const byTask = new Map<string, Partial<Record<RuntimeProtocol, TimingRow>>>();
  for (const row of rows.toSorted((a, b) => (a.recording < b.recording ? 1 : -1))) {
    byTask.set(row.task, { ...byTask.get(row.task), [row.protocol]: row });
  }
  const names = [...byTask.keys()].sort();
  return names
    .map((name) => byTask.get(name)!)
    .filter((times) => {
      const calls = RUNTIME_PROTOCOLS.map((protocol) => times[protocol]?.calls ?? 0);
      return calls.every((count) => count > 0 && count === calls[0]);
    });
}

function gainRow(
  of: { suite: string; calls: GainRow['calls']; tools: ToolProfile; protocol: RuntimeProtocol },
  tasks: readonly TaskTimes[],
  seed: number,
): GainRow {
  const own = tasks.map((times) => times[of.protocol]!);
  const base = tasks.map((times) => times['native-eos']!);
  const firstSaved = own.map((row, i) => base[i]!.firstExecution! - row.firstExecution!);
  const lastSaved = own.map((row, i) => base[i]!.lastResult! - row.lastResult!);
  const shares = own.map((row, i) => 1 - row.lastResult! / base[i]!.lastResult!);
  // The same tasks are drawn for every protocol and tool profile: rows differ by what is in them, not by the draw.
  const label = `${seed}/${of.suite}/${of.calls}`;
  const first = intervalOf(firstSaved, label);
  const last = intervalOf(lastSaved, label);
  return {
    ...of,
    tasks: tasks.length,
    medianFirstExecution: Math.round(
      quantileOf(
        own.map((row) => row.firstExecution!),
        0.5,
      )!,
    ),
    medianLastResult: Math.round(
      quantileOf(
        own.map((row) => row.lastResult!),
        0.5,
      )!,
    ),
    firstSaved: whole(meanOf(firstSaved)!),
    firstSavedLow: first.low,
    firstSavedHigh: first.high,
    lastSaved: whole(meanOf(lastSaved)!),
    lastSavedLow: last.low,
    lastSavedHigh: last.high,
    lastSavedShare: meanOf(shares)!,
    meanTokens: meanOf(own.map(({ tokens }) => tokens))!,
  };
}

function intervalOf(values: readonly number[], seed: string): { low: number | null; high: number | null } {
  const clusters = values.map((value) => [value]);
  const interval = clusterBootstrap(clusters, meanOf, seed);
  return interval === null ? { low: null, high: null } : { low: whole(interval.low), high: whole(interval.high) };
}

/** Whole ms, without a negative zero. */
function whole(value: number): number {
  return Math.round(value) + 0;
}

function harmRows(controls: readonly ControlReading[]): HarmRow[] {
  const suites = [...new Set(controls.map(({ suite }) => suite))];
  return suites.flatMap((suite) =>
    CONTROL_NAMES.flatMap((control) => {
      const own = controls.filter((reading) => reading.suite === suite && reading.control === control);
      const wrong = own.map(({ cases }) => cases.filter(({ what }) => what !== 'early').length);
      const harmed = wrong.filter((count) => count > 0).length;
      const interval = wilson(harmed, own.length);
      if (interval === null) return [];
      return [
        {
          suite,
          control,
          streams: own.length,
          ran: own.reduce((sum, { ran }) => sum + ran, 0),
          wrong: wrong.reduce((sum, count) => sum + count, 0),
          early: own.reduce((sum, { cases }) => sum + cases.filter(({ what }) => what === 'early').length, 0),
          harmed,
          harmedShare: harmed / own.length,
          harmedLow: interval.low,
          harmedHigh: interval.high,
        },
      ];
    }),
  );
}

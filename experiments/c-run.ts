/** Experiment C over many recordings: recordings in, all rows and findings out, in an order that is theirs alone. */
import pLimit from 'p-limit';
import { CONTRACT_ERROR_KINDS } from '../harness/parsers/contract-error.ts';
import { PROTOCOLS } from '../harness/parsers/protocols.ts';
import { FRAMINGS, READERS, type Recording } from '../harness/replay/recording.ts';
import type { Finding, RecordingRows } from './c-recording.ts';
import type {
  AlongRow,
  ErrorCase,
  ErrorCount,
  LagRow,
  MismatchCount,
  PendingRow,
  SafetyRow,
  SalvageRow,
} from './c-rows.ts';
import { type ExpectedFinding, expectedUnder } from './expected-findings.ts';
import { createPool } from './worker-pool.ts';

export interface RunOptions {
  readonly lineLimit: number;
  readonly seed: number;
  /** Worker threads; 0: as many as there are cores, if the recordings are many. */
  readonly concurrency: number;
  readonly expected: readonly ExpectedFinding[];
  /** Told after each recording. */
  readonly onProgress: (done: number) => void;
}

export interface ExperimentRows {
  readonly safety: readonly SafetyRow[];
  readonly pending: readonly PendingRow[];
  readonly errors: readonly ErrorCount[];
  readonly errorCases: readonly ErrorCase[];
  readonly salvage: readonly SalvageRow[];
  readonly lag: readonly LagRow[];
  readonly along: readonly AlongRow[];
  readonly mismatches: readonly MismatchCount[];
  readonly findings: readonly Finding[];
}

/** Recordings that are read and waiting for a thread, beyond the threads themselves: bounds the memory. */
const READ_AHEAD = 4;

export async function runExperiment(recordings: readonly Recording[], options: RunOptions): Promise<ExperimentRows> {
  const pool = createPool(
    recordings.reduce((sum, { size }) => sum + size, 0),
    options.concurrency,
  );
  const limit = pLimit((options.concurrency || 2) + READ_AHEAD);
  const alongTask = taskShownAlong(recordings);
  let done = 0;
  const check = async (recording: Recording): Promise<RecordingRows> => {
    const { suite, file, task, framing, wire, expectations, limits = {} } = recording;
    const { lineLimit, seed } = options;
    const along = suite === 'reframed' && task === alongTask;
    const bytes = await recording.bytes();
    const rows = await pool.run({
      suite,
      file,
      task,
      framing,
      wire,
      bytes,
      limits,
      expectations,
      lineLimit,
      seed,
      along,
    });
    options.onProgress(++done);
    return rows;
  };
  try {
    const all = await Promise.all(recordings.map((recording) => limit(() => check(recording))));
    return gather(recordings, all, options.expected);
  } finally {
    limit.clearQueue();
    await pool.close();
  }
}

/** The task whose pending is drawn along the stream: that of the reframed suite with the longest native stream. */
function taskShownAlong(recordings: readonly Recording[]): string | undefined {
  const candidates = recordings.filter(
    ({ suite, framing, task }) => suite === 'reframed' && framing === 'native' && !task.startsWith('sweep-'),
  );
  return candidates.reduce<Recording | undefined>(
    (longest, recording) => (longest === undefined || recording.size > longest.size ? recording : longest),
    undefined,
  )?.task;
}

function gather(
  recordings: readonly Recording[],
  all: readonly RecordingRows[],
  expected: readonly ExpectedFinding[],
): ExperimentRows {
  const findings = all.flatMap((rows) => rows.findings);
  const errorCases = all.flatMap((rows) => rows.errorCases);
  const verdicts = verdictsByRow(findings, expected);
  return {
    safety: all.flatMap((rows) =>
      rows.safety.map((row) => ({ ...row, verdict: verdicts.get(rowKey(row)) ?? ('holds' as const) })),
    ),
    pending: all.flatMap((rows) => rows.pending),
    errors: countErrors(recordings, errorCases),
    errorCases,
    salvage: all.flatMap((rows) => rows.salvage),
    lag: all.flatMap((rows) => rows.lag),
    along: all.flatMap((rows) => rows.along),
    mismatches: countMismatches(recordings),
    findings,
  };
}

function rowKey(row: Pick<Finding, 'suite' | 'recording' | 'parser' | 'level'>): string {
  return [row.suite, row.recording, row.parser, row.level].join('\n');
}

/** A row is an expected finding only if all that it violates is expected. */
function verdictsByRow(
  findings: readonly Finding[],
  expected: readonly ExpectedFinding[],
): ReadonlyMap<string, 'violated' | 'expected finding'> {
  const verdicts = new Map<string, 'violated' | 'expected finding'>();
  for (const finding of findings) {
    const key = rowKey(finding);
    if (expectedUnder(finding, expected) === null) verdicts.set(key, 'violated');
    else if (!verdicts.has(key)) verdicts.set(key, 'expected finding');
  }
  return verdicts;
}

function countErrors(recordings: readonly Recording[], cases: readonly ErrorCase[]): ErrorCount[] {
  const counts = new Map<string, number>();
  const keyOf = (suite: string, parser: string, kind: string) => [suite, parser, kind].join('\n');
  for (const { suite, parser, kind } of cases) {
    const key = keyOf(suite, parser, kind);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return suitesOf(recordings).flatMap((suite) =>
    PROTOCOLS.flatMap((parser) =>
      CONTRACT_ERROR_KINDS.map((kind) => ({ suite, parser, kind, count: counts.get(keyOf(suite, parser, kind)) ?? 0 })),
    ),
  );
}

function suitesOf(recordings: readonly Recording[]): readonly string[] {
  return [...new Set(recordings.map(({ suite }) => suite))];
}

/** Recordings of a framing that a protocol does not read: not run, and counted. */
function countMismatches(recordings: readonly Recording[]): MismatchCount[] {
  return suitesOf(recordings).flatMap((suite) =>
    FRAMINGS.flatMap((framing) => {
      const count = recordings.filter((recording) => recording.suite === suite && recording.framing === framing).length;
      if (count === 0) return [];
      return PROTOCOLS.filter((protocol) => !READERS[framing].includes(protocol)).map((parser) => ({
        suite,
        framing,
        parser,
        count,
      }));
    }),
  );
}

/** Experiment C on one recording: bytes in, rows out. Runs in a worker thread as well as in the main one. */
import { CONTROL_NAMES, CONTROLS } from '../harness/controls/controls.ts';
import { describeError } from '../harness/parsers/contract-error.ts';
import { DEFAULT_OPTIONS, type ParserOptions } from '../harness/parsers/parser.ts';
import { PARSERS, type Protocol } from '../harness/parsers/protocols.ts';
import { type CheckedStream, type CheckReport, checkStream, type LevelReport } from '../harness/properties/check.ts';
import { controlSubject, protocolSubject } from '../harness/properties/subjects.ts';
import type { Property, Verdict } from '../harness/properties/verdict.ts';
import { type Expectation, type Framing, READERS, type RecordingLimits } from '../harness/replay/recording.ts';
import { type Level, replayContent } from '../harness/replay/replay.ts';
import { readStream } from '../harness/stream/reader.ts';
import type { WireFormat } from '../harness/stream/wire-format.ts';
import type {
  AlongRow,
  ErrorCase,
  LagRow,
  ParserName,
  PendingRow,
  SafetyRow,
  SalvageRow,
  SampledCheck,
} from './c-rows.ts';

/** What a worker is told: plain data. */
export interface RecordingTask {
  readonly suite: string;
  readonly file: string;
  readonly task: string;
  readonly framing: Framing;
  readonly wire: WireFormat;
  readonly bytes: Uint8Array;
  readonly limits: RecordingLimits;
  readonly expectations: readonly Expectation[];
  readonly lineLimit: number;
  readonly seed: number;
  /** Give pending at every content prefix, too. */
  readonly along: boolean;
}

/** A property that was violated. Whether it was expected is decided where all findings are. */
export interface Finding {
  readonly suite: string;
  readonly recording: string;
  readonly parser: ParserName;
  readonly property: Property;
  readonly level: Level;
  readonly prefix: number;
  readonly what: string;
}

export interface RecordingRows {
  readonly safety: readonly Omit<SafetyRow, 'verdict'>[];
  readonly pending: readonly PendingRow[];
  readonly errorCases: readonly ErrorCase[];
  readonly salvage: readonly SalvageRow[];
  readonly lag: readonly LagRow[];
  readonly along: readonly AlongRow[];
  readonly findings: readonly Finding[];
}

/** One parser's report on the recording. */
interface Reading {
  readonly task: RecordingTask;
  readonly parser: ParserName;
  readonly isControl: boolean;
  readonly report: CheckReport;
  readonly bound: number | null;
}

export function checkRecording(task: RecordingTask): RecordingRows {
  const { eventLimit, ...limits } = task.limits;
  const options: ParserOptions = { ...DEFAULT_OPTIONS, lineLimit: task.lineLimit, ...limits };
  const limit = eventLimit === undefined ? {} : { eventLimit };
  const stream = readStream(task.bytes, task.wire, limit);
  const label = `${task.suite}/${task.file}`;
  const base = { bytes: task.bytes, wire: task.wire, ...limit, stream, label };
  const readings = READERS[task.framing].flatMap((protocol) => readAs(protocol, task, base, options));
  const along = task.along
    ? READERS[task.framing].flatMap((protocol) => pendingAlong(protocol, task, base, options))
    : [];
  return {
    safety: readings.flatMap(safetyRows),
    pending: readings.flatMap((reading) => reading.report.levels.map((level) => pendingRow(reading, level))),
    errorCases: readings.flatMap(errorCase),
    salvage: readings.filter(({ isControl }) => !isControl).flatMap(salvageRows),
    lag: readings.filter(({ isControl }) => !isControl).flatMap(lagRows),
    along,
    findings: readings.flatMap(findingsOf),
  };
}

function readAs(
  protocol: Protocol,
  task: RecordingTask,
  base: Omit<CheckedStream, 'expectation'>,
  options: ParserOptions,
): Reading[] {
  const subject = protocolSubject(protocol, options, task.seed);
  const expectation = task.expectations.find((expected) => expected.protocol === protocol) ?? null;
  const own: Reading = {
    task,
    parser: protocol,
    isControl: false,
    report: checkStream({ ...base, expectation }, subject, { beyondTheRecording: true }),
    bound: subject.bound,
  };
  const controls = CONTROL_NAMES.filter((name) => CONTROLS[name].judgedAs.includes(protocol)).map((name): Reading => {
    const control = controlSubject(name, protocol, subject);
    const report = checkStream({ ...base, expectation: null }, control, { beyondTheRecording: false });
    return { task, parser: name, isControl: true, report, bound: subject.bound };
  });
  return [own, ...controls];
}

function pendingAlong(
  protocol: Protocol,
  task: RecordingTask,
  { stream }: Pick<CheckedStream, 'stream'>,
  options: ParserOptions,
): AlongRow[] {
  const rows: AlongRow[] = [{ task: task.task, parser: protocol, offset: 0, pending: 0 }];
  replayContent(stream, PARSERS[protocol](options), {
    step: ({ delivered, frontier, ended }) => {
      if (ended || delivered < rows.length) return;
      rows.push({ task: task.task, parser: protocol, offset: delivered, pending: frontier.pending });
    },
  });
  return rows;
}

function verdictOf(verdicts: readonly Verdict[], property: Property): Verdict | undefined {
  return verdicts.find((verdict) => verdict.property === property);
}

function countOf(verdicts: readonly Verdict[], property: Property): number {
  const verdict = verdictOf(verdicts, property);
  return verdict?.status === 'violated' ? verdict.count : 0;
}

function sampled(verdict: Verdict | undefined): SampledCheck {
  return verdict === undefined || verdict.status === 'not-applicable' ? 'not-run' : verdict.status;
}

/** The verdicts of a level: its own, and at the content level those that are of the recording as a whole. */
function verdictsAt(report: CheckReport, level: LevelReport): readonly Verdict[] {
  return level.level === 'content' ? [...level.verdicts, ...report.verdicts] : level.verdicts;
}

function safetyRows({ task, parser, report }: Reading): Omit<SafetyRow, 'verdict'>[] {
  return report.levels.map((level) => {
    const verdicts = verdictsAt(report, level);
    const first = verdicts.find((verdict) => verdict.status === 'violated');
    const expectation = verdictOf(verdicts, 'expectation')?.status;
    return {
      suite: task.suite,
      recording: task.file,
      task: task.task,
      parser,
      level: level.level,
      prefixes: level.prefixes,
      s1: countOf(verdicts, 'S1'),
      s2: countOf(verdicts, 'S2'),
      s3: countOf(verdicts, 'S3'),
      k: verdictOf(verdicts, 'K')?.status === 'not-applicable' ? null : countOf(verdicts, 'K'),
      callsOracle: report.oracleCalls,
      callsExecuted: report.executed,
      agrees: verdictOf(verdicts, 'agreement')?.status === 'violated' ? 'no' : 'yes',
      expected: expectation === 'holds' ? 'yes' : expectation === 'violated' ? 'no' : '',
      split: sampled(verdictOf(verdicts, 'split')),
      continuation: sampled(verdictOf(verdicts, 'continuation')),
      reopening: sampled(verdictOf(verdicts, 'reopening')),
      firstOffset: first?.status === 'violated' ? first.first.prefix : null,
      firstWhat: first?.status === 'violated' ? `${first.property}: ${first.first.what}` : '',
    };
  });
}

function pendingRow({ task, parser, report, bound }: Reading, level: LevelReport): PendingRow {
  const { max, mean, p95, heldMax } = level.pending;
  return {
    suite: task.suite,
    recording: task.file,
    task: task.task,
    parser,
    level: level.level,
    bytes: level.bytes,
    max,
    mean,
    p95,
    sseHeldMax: heldMax,
    k: bound,
    bounded: bound === null ? 'no promise' : max <= bound ? 'yes' : 'no',
    longestArgument: report.longestArgument,
  };
}

function errorCase({ task, parser, isControl, report }: Reading): ErrorCase[] {
  const { error } = report;
  if (error === null || isControl) return [];
  return [
    {
      suite: task.suite,
      recording: task.file,
      task: task.task,
      parser,
      kind: error.kind,
      offset: error.offset,
      line: error.line,
      call: error.call ?? '',
      key: error.key ?? '',
      message: describeError(error),
    },
  ];
}

function salvageRows({ task, parser, report }: Reading): SalvageRow[] {
  return report.salvage.map(({ cut, executed, present }) => ({
    suite: task.suite,
    task: task.task,
    recording: task.file,
    parser,
    cut,
    executed,
    present,
    share: present === 0 ? null : executed / present,
  }));
}

function lagRows({ task, parser, report }: Reading): LagRow[] {
  return report.lags.map((lag) => ({ suite: task.suite, recording: task.file, task: task.task, parser, ...lag }));
}

function findingsOf({ task, parser, report }: Reading): Finding[] {
  return report.levels.flatMap((level) =>
    verdictsAt(report, level).flatMap((verdict) => {
      if (verdict.status !== 'violated') return [];
      const { property, first } = verdict;
      return [{ suite: task.suite, recording: task.file, parser, property, ...first }];
    }),
  );
}

/** One recording × one parser: every property, and every figure that the tables show. */
import type { Oracle, OracleReading } from '../oracles/oracle.ts';
import { longestArgument } from '../parsers/call.ts';
import type { ContractError } from '../parsers/contract-error.ts';
import type { ParserFactory, ParserOptions, ToolCallParser } from '../parsers/parser.ts';
import type { Expectation } from '../replay/recording.ts';
import { contentSize, type DecodedStream, type Level, replayContent, replayWire } from '../replay/replay.ts';
import type { StreamEnd } from '../stream/event.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { disagreement, unexpected } from './agreement.ts';
import { checkContinuations } from './continuation.ts';
import { type Lag, lags } from './lag.ts';
import type { PendingFigures } from './pending.ts';
import { PrefixChecks } from './prefix-checks.ts';
import type { Execution } from './safety.ts';
import { type Salvage, salvage } from './salvage.ts';
import { checkSplits } from './split.ts';
import { holds, notApplicable, type Verdict, violated } from './verdict.ts';

/** A parser under test, and what judges it. */
export interface Subject {
  readonly create: ParserFactory;
  readonly oracle: Oracle;
  /** K in bytes, or null where the protocol promises none. */
  readonly bound: number | null;
  /** It reads native calls: coming back to a closed call is possible at all. */
  readonly native: boolean;
  readonly options: ParserOptions;
  readonly seed: number;
  /** What a foreign parser does not report is not asked of it. Absent: it reports all. */
  readonly reports?: Reports;
}

export interface Reports {
  readonly error: boolean;
  readonly pending: boolean;
}

export interface CheckedStream {
  readonly bytes: Uint8Array;
  readonly wire: WireFormat;
  /** Limit of the SSE decoder in bytes, if not the default. */
  readonly eventLimit?: number;
  readonly stream: DecodedStream;
  readonly expectation: Expectation | null;
  /** Names the recording in seeded draws. */
  readonly label: string;
}

export interface LevelReport {
  readonly level: Level;
  /** Bytes of the level. */
  readonly bytes: number;
  readonly prefixes: number;
  /** S1, S2, S3, K, agreement. */
  readonly verdicts: readonly Verdict[];
  readonly pending: PendingFigures;
}

export interface CheckReport {
  readonly end: StreamEnd;
  readonly levels: readonly LevelReport[];
  /** expectation, split, continuation, reopening. */
  readonly verdicts: readonly Verdict[];
  readonly executed: number;
  readonly oracleCalls: number;
  /** Bytes of the longest argument of the oracle's calls; 0 if there is none. */
  readonly longestArgument: number;
  readonly error: ContractError | null;
  readonly lags: readonly Lag[];
  readonly salvage: readonly Salvage[];
}

/** Splits and continuations may be left out: controls are not asked. */
export interface CheckScope {
  readonly beyondTheRecording: boolean;
  /** Content bytes that may be fed again, for splits and for continuations each, where feeding is dear. Absent: the defaults. */
  readonly byteBudget?: number;
}

export function checkStream(checked: CheckedStream, subject: Subject, scope: CheckScope): CheckReport {
  const { stream } = checked;
  const reading = subject.oracle(stream.events, stream.end, subject.options);
  const wire = replayLevel('wire', checked, subject, reading);
  const content = replayLevel('content', checked, subject, reading);
  const { executions } = content;
  return {
    end: stream.end,
    levels: [wire.report, content.report],
    verdicts: [
      expectationVerdict(content.parser, checked, subject),
      ...(scope.beyondTheRecording ? beyondTheRecording(checked, subject, { executions, ...scope }) : []),
    ],
    executed: content.parser.calls.length,
    oracleCalls: reading.calls.length,
    longestArgument: Math.max(0, ...reading.calls.map(({ args }) => longestArgument(args))),
    error: content.parser.error,
    lags: lags(executions, reading.calls),
    salvage: salvage(executions, reading.calls, contentSize(stream.events)),
  };
}

interface LevelReplay {
  readonly report: LevelReport;
  readonly parser: ToolCallParser;
  readonly executions: readonly Execution[];
}

function replayLevel(level: Level, checked: CheckedStream, subject: Subject, reading: OracleReading): LevelReplay {
  const parser = subject.create(subject.options);
  const checks = new PrefixChecks(level, reading.calls, subject.bound);
  if (level === 'wire') replayWire(checked, parser, checks);
  else replayContent(checked.stream, parser, checks);
  const report = {
    level,
    bytes: level === 'wire' ? checked.bytes.length : contentSize(checked.stream.events),
    prefixes: checks.safety.prefixes,
    verdicts: [
      ...checks.verdicts().map((verdict) => (isUnreported(verdict, subject) ? UNREPORTED_PENDING : verdict)),
      agreementVerdict(level, parser, reportsErrors(subject) ? reading : { ...reading, error: null }),
    ],
    pending: checks.pending.figures(),
  };
  return { report, parser, executions: checks.safety.executions };
}

function agreementVerdict(level: Level, parser: ToolCallParser, reading: OracleReading): Verdict {
  const what = disagreement(parser, reading);
  return what === null ? holds('agreement', 1) : violated('agreement', 1, { level, prefix: 0, what });
}

const UNREPORTED_PENDING = notApplicable('K', 'the parser does not report its pending bytes');

function isUnreported({ property }: Verdict, { reports }: Subject): boolean {
  return property === 'K' && reports?.pending === false;
}

function reportsErrors({ reports }: Subject): boolean {
  return reports?.error !== false;
}

function expectationVerdict(parser: ToolCallParser, { stream, expectation }: CheckedStream, subject: Subject): Verdict {
  if (expectation === null) return notApplicable('expectation', 'nothing is expected of this recording');
  const asked = reportsErrors(subject) ? expectation : { ...expectation, error: null };
  const what = unexpected(parser, stream.end, asked);
  if (what === null) return holds('expectation', 1);
  return violated('expectation', 1, { level: 'content', prefix: contentSize(stream.events), what });
}

function beyondTheRecording(
  checked: CheckedStream,
  subject: Subject,
  { executions, byteBudget }: { readonly executions: readonly Execution[]; readonly byteBudget?: number },
): readonly Verdict[] {
  const { create, oracle, options, seed } = subject;
  const { bytes, wire, eventLimit, stream, label } = checked;
  const limit = eventLimit === undefined ? {} : { eventLimit };
  const executedAt = executions.filter(({ atEnd }) => !atEnd).map(({ delivered }) => delivered);
  const budget = byteBudget === undefined ? {} : { byteBudget };
  const continued = { stream, create, oracle, options, seed, executedAt, ...budget };
  return [
    checkSplits({ bytes, wire, ...limit, stream, create, options, seed: `${seed} ${label}`, ...budget }),
    checkContinuations(continued, 'continuation'),
    subject.native
      ? checkContinuations(continued, 'reopening')
      : notApplicable('reopening', 'a text protocol has no call to come back to'),
  ];
}

/** One recording × one protocol: every property, each with what came out and whether it counts. */

import type { Oracle } from '../oracles/oracle.ts';
import type { ParserFactory } from '../parsers/parser.ts';
import type { Protocol } from '../parsers/protocols.ts';
import { limitsOf } from '../replay/limits.ts';
import { knownProtocol, type ReadingOptions } from '../replay/parse-stream.ts';
import type { Expectation } from '../replay/recording.ts';
import type { Level } from '../replay/replay.ts';
import { DEFAULT_SEED } from '../replay/seeded.ts';
import { detectWireFormat } from '../stream/dialect.ts';
import { readStream } from '../stream/reader.ts';
import {
  type CheckedStream,
  type CheckReport,
  type CheckScope,
  checkStream,
  type Reports,
  type Subject,
} from './check.ts';
import { protocolSubject } from './subjects.ts';
import type { Property, Verdict } from './verdict.ts';

export interface RecordingCheckOptions extends ReadingOptions {
  /** What a correct parser makes of the recording, if that is known: the property `expectation`. */
  readonly expectation?: Expectation | null | undefined;
  /** A parser of one's own, judged as one of the protocol. */
  readonly parser?: ParserFactory | undefined;
  /** What the oracle says, in the form in which that parser is judged; texts of arguments that are expected are not compared then. */
  readonly ofOracle?: ((oracle: Oracle) => Oracle) | undefined;
  /** What that parser reports; what it does not is not asked. Absent: all. */
  readonly reports?: Reports | undefined;
  /** Absent: everything, within the default budgets. */
  readonly scope?: CheckScope | undefined;
  /** Count the known limits of a protocol as violations. */
  readonly strict?: boolean | undefined;
  /** Of splits and continuations. */
  readonly seed?: number | undefined;
  /** Names the recording in the seeded draws: `cst check` takes the file's name. */
  readonly name?: string | undefined;
}

/** One property of one recording. `level`: null where it is not asked at one level. */
export interface Outcome {
  readonly level: Level | null;
  readonly verdict: Verdict;
  /** Why a violation does not count; null if it does, or if nothing is violated. */
  readonly accepted: Acceptance | null;
}

export interface Acceptance {
  /** Of the protocol itself, whatever the stream; or listed as found in this recording. */
  readonly as: 'limit of the protocol' | 'expected finding';
  readonly reason: string;
}

export type Violated = Outcome & { readonly verdict: Extract<Verdict, { status: 'violated' }> };

export interface CheckedRecording {
  readonly protocol: Protocol;
  readonly checked: CheckedStream;
  readonly subject: Subject;
  readonly report: CheckReport;
  readonly outcomes: readonly Outcome[];
}

/** Properties that a protocol is known not to keep, whatever the stream, and why. */
const PROTOCOL_LIMITS: { readonly [P in Protocol]?: { readonly [Q in Property]?: string } } = {
  'json-object': { reopening: 'a provider that comes back to a closed call changes what has run (streams.md)' },
};

/**
 * Feeds every byte prefix of a recording to its parser, at both levels, and judges it by the oracle. Bytes that are no SSE
 * hold no event: everything holds of them, of a cut stream without calls.
 * @throws RangeError if the protocol is none.
 */
export function checkRecording(bytes: Uint8Array, options: RecordingCheckOptions): CheckedRecording {
  const { parser, ofOracle, reports, strict = false, seed = DEFAULT_SEED, name: label = '' } = options;
  const protocol = knownProtocol(options.protocol);
  const wire = options.wire ?? detectWireFormat(bytes) ?? 'openai-chat';
  const { parser: parserOptions, ...eventLimit } = limitsOf(options.limits);
  const stream = readStream(bytes, wire, eventLimit);
  const expectation = ofOracle === undefined ? (options.expectation ?? null) : withoutTexts(options.expectation);
  const checked = { bytes, wire, ...eventLimit, stream, expectation, label };
  const standard = protocolSubject(protocol, parserOptions, seed);
  const own = { ...standard, ...(reports === undefined ? {} : { reports }) };
  const oracle = ofOracle?.(standard.oracle) ?? standard.oracle;
  const subject = parser === undefined ? standard : { ...own, oracle, create: parser };
  const report = checkStream(checked, subject, options.scope ?? { beyondTheRecording: true });
  return { protocol, checked, subject, report, outcomes: outcomesOf(report, strict ? {} : PROTOCOL_LIMITS[protocol]) };
}

function withoutTexts(expectation: Expectation | null = null): Expectation | null {
  if (expectation === null) return null;
  return { ...expectation, calls: expectation.calls.map(({ argsText: _, ...call }) => call) };
}

/** The violations that count. */
export function violations({ outcomes }: Pick<CheckedRecording, 'outcomes'>): readonly Violated[] {
  return outcomes.filter(isViolated).filter(({ accepted }) => accepted === null);
}

export function isViolated(outcome: Outcome): outcome is Violated {
  return outcome.verdict.status === 'violated';
}

function outcomesOf(
  { levels, verdicts }: CheckReport,
  limits: { readonly [P in Property]?: string } = {},
): readonly Outcome[] {
  const found = [
    ...levels.flatMap(({ level, verdicts }) => verdicts.map((verdict) => ({ level, verdict }))),
    ...verdicts.map((verdict) => ({ level: null, verdict })),
  ];
  return found.map(({ level, verdict }) => {
    const reason = verdict.status === 'violated' ? limits[verdict.property] : undefined;
    return { level, verdict, accepted: reason === undefined ? null : { as: 'limit of the protocol', reason } };
  });
}

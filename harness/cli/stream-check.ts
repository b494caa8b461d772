/** One stream × one protocol, checked: what `cst check` shows, counts and writes. */
import { basename } from 'node:path';
import { DEFAULT_OPTIONS } from '../parsers/parser.ts';
import type { Protocol } from '../parsers/protocols.ts';
import { type CheckedStream, type CheckReport, checkStream, type Subject } from '../properties/check.ts';
import { protocolSubject } from '../properties/subjects.ts';
import type { Property, Verdict } from '../properties/verdict.ts';
import { type Expectation, READERS, type Recording } from '../replay/recording.ts';
import type { Level } from '../replay/replay.ts';
import { readStream } from '../stream/reader.ts';
import type { Target } from './check-targets.ts';
import type { Limits } from './options.ts';

export interface CheckOptions {
  readonly protocol: Protocol | 'auto';
  /** `L_line`, if the user asked for another than the default. A manifest's own limits go before it. */
  readonly lineLimit: number | undefined;
  readonly seed: number;
  /** Count the known limits of a protocol as violations. */
  readonly strict: boolean;
}

export interface StreamCheck {
  readonly target: Target;
  readonly protocol: Protocol;
  readonly limits: Limits;
  readonly checked: CheckedStream;
  readonly subject: Subject;
  readonly report: CheckReport;
  readonly outcomes: readonly Outcome[];
}

/** One property of one stream. `level`: null where it is not asked at one level. */
export interface Outcome {
  readonly level: Level | null;
  readonly verdict: Verdict;
  /** It is violated, and that is known of the protocol itself: no violation of this stream. */
  readonly isLimit: boolean;
}

export type Violated = Outcome & { readonly verdict: Extract<Verdict, { status: 'violated' }> };

/** Properties that a protocol is known not to keep, whatever the stream, and why. */
const PROTOCOL_LIMITS: { readonly [P in Protocol]?: { readonly [Q in Property]?: string } } = {
  'json-object': { reopening: 'a provider that comes back to a closed call changes what has run (streams.md)' },
};

export function protocolLimit(protocol: Protocol, property: Property): string | undefined {
  return PROTOCOL_LIMITS[protocol]?.[property];
}

/** The protocols that read a stream. A protocol that was asked for reads what it can: a named file always. */
export function protocolsFor({ recording, named }: Target, protocol: Protocol | 'auto'): readonly Protocol[] {
  const readers = READERS[recording.framing];
  if (protocol === 'auto') return readers;
  return named || recording.guessed || readers.includes(protocol) ? [protocol] : [];
}

export function checkTarget(target: Target, bytes: Uint8Array, protocol: Protocol, options: CheckOptions): StreamCheck {
  const { recording } = target;
  const limits = limitsOf(recording, options.lineLimit);
  const eventLimit = limits.eventLimit === undefined ? {} : { eventLimit: limits.eventLimit };
  const stream = readStream(bytes, recording.wire, eventLimit);
  const expectation = expectationOf(recording, protocol, options.lineLimit);
  // The name alone, so that a file draws the same splits whether it or its folder is checked.
  const label = basename(target.path);
  const checked = { bytes, wire: recording.wire, ...eventLimit, stream, expectation, label };
  const subject = protocolSubject(protocol, limits.parser, options.seed);
  const report = checkStream(checked, subject, { beyondTheRecording: true });
  return { target, protocol, limits, checked, subject, report, outcomes: outcomesOf(report, protocol, options.strict) };
}

export function violations(check: StreamCheck): readonly Violated[] {
  return check.outcomes.filter(isViolated).filter(({ isLimit }) => !isLimit);
}

export function knownLimits(check: StreamCheck): readonly Violated[] {
  return check.outcomes.filter(isViolated).filter(({ isLimit }) => isLimit);
}

export function worstPending({ report }: StreamCheck): number {
  return Math.max(...report.levels.map(({ pending }) => pending.max));
}

export function worstLag({ report }: StreamCheck): number {
  return Math.max(0, ...report.lags.map(({ lag }) => lag));
}

function isViolated(outcome: Outcome): outcome is Violated {
  return outcome.verdict.status === 'violated';
}

function limitsOf(recording: Recording, lineLimit: number | undefined): Limits {
  const { eventLimit, ...limits } = recording.limits ?? {};
  const parser = { ...DEFAULT_OPTIONS, ...(lineLimit === undefined ? {} : { lineLimit }), ...limits };
  return { parser, ...(eventLimit === undefined ? {} : { eventLimit }) };
}

/** What a manifest expects holds under its own limits only. */
function expectationOf(recording: Recording, protocol: Protocol, lineLimit: number | undefined): Expectation | null {
  const isOther = lineLimit !== undefined && lineLimit !== DEFAULT_OPTIONS.lineLimit;
  if (isOther && recording.limits?.lineLimit === undefined) return null;
  return recording.expectations.find((expected) => expected.protocol === protocol) ?? null;
}

function outcomesOf(report: CheckReport, protocol: Protocol, strict: boolean): readonly Outcome[] {
  const found: { level: Level | null; verdict: Verdict }[] = [
    ...report.levels.flatMap(({ level, verdicts }) => verdicts.map((verdict) => ({ level, verdict }))),
    ...report.verdicts.map((verdict) => ({ level: null, verdict })),
  ];
  return found.map(({ level, verdict }) => {
    const isKnown = protocolLimit(protocol, verdict.property) !== undefined;
    return { level, verdict, isLimit: verdict.status === 'violated' && isKnown && !strict };
  });
}

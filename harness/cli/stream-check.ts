/** One stream × one protocol, checked: what `cst check` shows, counts and writes. */
import { basename } from 'node:path';
import type { ForeignParser, Granularity } from '../judge/judged-parser.ts';
import { DEFAULT_OPTIONS } from '../parsers/parser.ts';
import type { Protocol } from '../parsers/protocols.ts';
import { type Acceptance, type CheckedRecording, checkRecording } from '../properties/recording-check.ts';
import type { Property } from '../properties/verdict.ts';
import type { Limits } from '../replay/limits.ts';
import { type Expectation, READERS, type Recording } from '../replay/recording.ts';
import type { Target } from './check-targets.ts';

export interface CheckOptions {
  readonly protocol: Protocol | 'auto';
  /** `L_line`, if the user asked for another than the default. A manifest's own limits go before it. */
  readonly lineLimit: number | undefined;
  readonly seed: number;
  /** Count the known limits of a protocol as violations. */
  readonly strict: boolean;
  /** A parser that is not ours, in the place of the protocol's. */
  readonly foreign?: ForeignParser;
}

export interface StreamCheck extends CheckedRecording {
  readonly target: Target;
  /** Name of a parser that is not ours. */
  readonly parser?: string;
  /** Where that parser was judged. */
  readonly judgedAt?: Granularity;
}

/** What does not count of a stream, and why. */
export interface Accepted extends Acceptance {
  readonly properties: readonly Property[];
}

/** The protocols that read a stream. A protocol that was asked for reads what it can: a named file always. */
export function protocolsFor({ recording, named }: Target, protocol: Protocol | 'auto'): readonly Protocol[] {
  const readers = READERS[recording.framing];
  if (protocol === 'auto') return readers;
  return named || recording.guessed || readers.includes(protocol) ? [protocol] : [];
}

export function checkTarget(target: Target, bytes: Uint8Array, protocol: Protocol, options: CheckOptions): StreamCheck {
  const { recording } = target;
  const { lineLimit, seed, strict, foreign = {} } = options;
  const check = checkRecording(bytes, {
    protocol,
    wire: recording.wire,
    limits: { ...(lineLimit === undefined ? {} : { lineLimit }), ...recording.limits },
    expectation: expectationOf(recording, protocol, lineLimit),
    // The name alone, so that a file draws the same splits whether it or its folder is checked.
    name: basename(target.path),
    seed,
    strict,
    ...foreign,
  });
  return { target, ...check };
}

/** The limits that the stream was read under. */
export function limitsUsed({ subject, checked: { eventLimit } }: StreamCheck): Limits {
  return { parser: subject.options, ...(eventLimit === undefined ? {} : { eventLimit }) };
}

/** What is violated and accepted: one entry a reason. */
export function acceptedOf({ outcomes }: StreamCheck): readonly Accepted[] {
  const found = new Map<string, Accepted>();
  for (const { accepted, verdict } of outcomes) {
    if (accepted === null) continue;
    const properties = found.get(accepted.reason)?.properties ?? [];
    found.set(accepted.reason, { ...accepted, properties: [...new Set([...properties, verdict.property])] });
  }
  return [...found.values()];
}

export function worstPending({ report }: StreamCheck): number {
  return Math.max(...report.levels.map(({ pending }) => pending.max));
}

export function worstLag({ report }: StreamCheck): number {
  return Math.max(0, ...report.lags.map(({ lag }) => lag));
}

/** What a manifest expects holds under its own limits only. */
function expectationOf(recording: Recording, protocol: Protocol, lineLimit: number | undefined): Expectation | null {
  const isOther = lineLimit !== undefined && lineLimit !== DEFAULT_OPTIONS.lineLimit;
  if (isOther && recording.limits?.lineLimit === undefined) return null;
  return recording.expectations.find((expected) => expected.protocol === protocol) ?? null;
}

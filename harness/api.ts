/**
 * The package's edge: what `import … from 'cst-eval'` gives. Within the repository nobody imports it. docs/api.md explains
 * it with examples.
 *
 * Offsets and sizes are bytes, from 0. Content bytes are those of text and argument deltas in order of arrival, wire bytes
 * those of the response body. What is wrong with a stream is a value; what is wrong with a call of this API is thrown.
 */
import type { ParserFactory } from './parsers/parser.ts';
import { type Protocol, PARSERS as parsers } from './parsers/protocols.ts';
import type { CheckReport } from './properties/check.ts';
import {
  checkRecording as checkWithDetails,
  type Outcome,
  type RecordingCheckOptions,
  type Violated,
  violations,
} from './properties/recording-check.ts';

export type { OracleCall, OracleReading } from './oracles/oracle.ts';
/** The arguments of a call as JSON: values that are no UTF-8 are `{"base64": …}`. */
export { argumentsAsJson } from './parsers/call.ts';
export type { ContractError, ContractErrorKind } from './parsers/contract-error.ts';
/** A contract error as one sentence that a model can act on. */
export { describeError } from './parsers/contract-error.ts';
export type {
  ArgumentValue,
  CallArguments,
  Confirmation,
  ConfirmationListener,
  Frontier,
  JsonObject,
  ParserFactory,
  ParserOptions,
  ToolCall,
  ToolCallParser,
  UnfinishedCall,
} from './parsers/parser.ts';
/** The limits of ctl.md "Defaults", in bytes and counts. */
export { DEFAULT_OPTIONS } from './parsers/parser.ts';
export type { Protocol } from './parsers/protocols.ts';
/** The five protocols. */
export { PROTOCOLS } from './parsers/protocols.ts';
export type { CheckReport, CheckScope, LevelReport, Reports } from './properties/check.ts';
export type { Lag } from './properties/lag.ts';
export type { PendingFigures } from './properties/pending.ts';
export type { Acceptance, Outcome, RecordingCheckOptions, Violated } from './properties/recording-check.ts';
export type { Salvage } from './properties/salvage.ts';
export type { Counterexample, Property, Verdict } from './properties/verdict.ts';
export type { LoadOptions } from './replay/load.ts';
/** The recordings below a folder, with or without manifests; throws `RecordingError`. */
export { loadSuites } from './replay/load.ts';
export type { ParsedStream, ReadingOptions } from './replay/parse-stream.ts';
/** Parses the bytes of a response body. */
export { parseStream } from './replay/parse-stream.ts';
export type {
  Expectation,
  ExpectedCall,
  Framing,
  Recording,
  RecordingLimits,
  RecordingSource,
} from './replay/recording.ts';
/** The protocols that read each framing: both JSON protocols read a native stream. */
export { READERS } from './replay/recording.ts';
/** A recording or manifest that is refused; `file` and `field` say where. */
export { RecordingError } from './replay/recording-error.ts';
export type { Level } from './replay/replay.ts';
export type { StreamEnd, StreamEvent } from './stream/event.ts';
export type { StreamNotes } from './stream/notes.ts';
export type { StreamReaderOptions } from './stream/stream-reader.ts';
/** Bytes of a response body, as they come, to stream events. */
export { StreamReader } from './stream/stream-reader.ts';
export type { WireFormat } from './stream/wire-format.ts';

/** A parser of each protocol, to be fed live: `PARSERS.ctl(DEFAULT_OPTIONS)`. */
export const PARSERS: Readonly<Record<Protocol, ParserFactory>> = parsers;

export interface RecordingCheck {
  readonly protocol: Protocol;
  /** Every property, at each level where it is asked. */
  readonly outcomes: readonly Outcome[];
  /** The outcomes that are violated and count; empty if the recording is safe. */
  readonly violations: readonly Violated[];
  /** The figures: pending, lag, salvage, calls by parser and oracle. */
  readonly report: CheckReport;
}

/**
 * Checks a recording at every byte prefix, as `cst check` does. Deterministic: the same bytes and options give the same
 * answer; time is linear in the bytes.
 * @throws RangeError if the protocol is none.
 */
export function checkRecording(bytes: Uint8Array, options: RecordingCheckOptions): RecordingCheck {
  const check = checkWithDetails(bytes, options);
  const { protocol, outcomes, report } = check;
  return { protocol, outcomes, violations: violations(check), report };
}

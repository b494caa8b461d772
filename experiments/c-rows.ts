/**
 * The tables of experiment C (properties.md "Experiment C — safety tables"): the row of each, its columns and its order.
 * All sizes and offsets are bytes; offsets count from 0.
 */
import { CONTROL_NAMES, type ControlName } from '../harness/controls/controls.ts';
import { CONTRACT_ERROR_KINDS, type ContractErrorKind } from '../harness/parsers/contract-error.ts';
import { PROTOCOLS, type Protocol } from '../harness/parsers/protocols.ts';
import { FRAMINGS, type Framing } from '../harness/replay/recording.ts';
import { LEVELS, type Level } from '../harness/replay/replay.ts';
import type { SortKey, Table } from '../harness/report/table.ts';

export type ParserName = Protocol | ControlName;
export const PARSER_NAMES: readonly ParserName[] = [...PROTOCOLS, ...CONTROL_NAMES];

/** A check that is drawn for samples only, or makes no sense for a parser, is `not-run`. */
export type SampledCheck = 'holds' | 'violated' | 'not-run';

const byParser: { readonly key: 'parser'; readonly order: readonly string[] } = { key: 'parser', order: PARSER_NAMES };

/** One recording read by one parser at one level. */
export interface SafetyRow {
  readonly suite: string;
  readonly recording: string;
  readonly task: string;
  readonly parser: ParserName;
  readonly level: Level;
  /** Prefixes looked at, the end of the stream included. */
  readonly prefixes: number;
  /** Violations of S1, S2, S3. */
  readonly s1: number;
  readonly s2: number;
  readonly s3: number;
  /** Violations of K; `null` where the protocol promises no bound. */
  readonly k: number | null;
  readonly callsOracle: number;
  readonly callsExecuted: number;
  /** Calls and error are the oracle's. */
  readonly agrees: 'yes' | 'no';
  /** Calls and error are what the recording's manifest expects; empty where it expects nothing. */
  readonly expected: 'yes' | 'no' | '';
  /** Whole, byte by byte and random splits give the same. */
  readonly split: SampledCheck;
  /** What is executable at a sampled prefix stays so under drawn continuations. */
  readonly continuation: SampledCheck;
  /** The same, when the provider comes back to a call that was closed. */
  readonly reopening: SampledCheck;
  /** Where the first violation was seen: wire or content offset, by level. */
  readonly firstOffset: number | null;
  readonly firstWhat: string;
  readonly verdict: 'holds' | 'violated' | 'expected finding';
}

export const SAFETY: Table<SafetyRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'task', format: 'text' },
    { key: 'parser', format: 'text' },
    { key: 'level', format: 'text' },
    { key: 'prefixes', format: 'integer' },
    { key: 's1', format: 'integer' },
    { key: 's2', format: 'integer' },
    { key: 's3', format: 'integer' },
    { key: 'k', format: 'integer' },
    { key: 'callsOracle', name: 'calls_oracle', format: 'integer' },
    { key: 'callsExecuted', name: 'calls_executed', format: 'integer' },
    { key: 'agrees', format: 'text' },
    { key: 'expected', format: 'text' },
    { key: 'split', format: 'text' },
    { key: 'continuation', format: 'text' },
    { key: 'reopening', format: 'text' },
    { key: 'firstOffset', name: 'first_offset', format: 'integer' },
    { key: 'firstWhat', name: 'first_what', format: 'text' },
    { key: 'verdict', format: 'text' },
  ],
  sortBy: ['suite', 'recording', byParser, { key: 'level', order: LEVELS }],
};

/** Pending over all prefixes of one recording, read by one parser at one level. */
export interface PendingRow {
  readonly suite: string;
  readonly recording: string;
  readonly task: string;
  readonly parser: ParserName;
  readonly level: Level;
  /** Bytes of the stream, by level. */
  readonly bytes: number;
  readonly max: number;
  readonly mean: number;
  readonly p95: number;
  /** Most bytes that the SSE decoder held of an unfinished event. */
  readonly sseHeldMax: number;
  /** The promised bound; `null` where there is none. */
  readonly k: number | null;
  readonly bounded: 'yes' | 'no' | 'no promise';
  /** Bytes of the longest argument of the recording; 0 if it has none. */
  readonly longestArgument: number;
}

export const PENDING: Table<PendingRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'task', format: 'text' },
    { key: 'parser', format: 'text' },
    { key: 'level', format: 'text' },
    { key: 'bytes', format: 'integer' },
    { key: 'max', format: 'integer' },
    { key: 'mean', format: { decimals: 3 } },
    { key: 'p95', format: 'integer' },
    { key: 'sseHeldMax', name: 'sse_held_max', format: 'integer' },
    { key: 'k', format: 'integer' },
    { key: 'bounded', format: 'text' },
    { key: 'longestArgument', name: 'longest_argument', format: 'integer' },
  ],
  sortBy: ['suite', 'recording', byParser, { key: 'level', order: LEVELS }],
};

/** Recordings of a suite that a parser ended in a contract error of a kind; a row for each pair, zeros too. */
export interface ErrorCount {
  readonly suite: string;
  readonly parser: ParserName;
  readonly kind: ContractErrorKind;
  readonly count: number;
}

const byKind: SortKey<{ readonly kind: ContractErrorKind }> = { key: 'kind', order: CONTRACT_ERROR_KINDS };

export const ERRORS: Table<ErrorCount> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'parser', format: 'text' },
    { key: 'kind', format: 'text' },
    { key: 'count', format: 'integer' },
  ],
  sortBy: ['suite', byParser, byKind],
};

/** One stream that a parser ended in a contract error. */
export interface ErrorCase {
  readonly suite: string;
  readonly recording: string;
  readonly task: string;
  readonly parser: ParserName;
  readonly kind: ContractErrorKind;
  /** Content offset. */
  readonly offset: number;
  readonly line: number;
  /** Id of the call and key of the argument; empty where not known. */
  readonly call: string;
  readonly key: string;
  readonly message: string;
}

export const ERROR_CASES: Table<ErrorCase> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'task', format: 'text' },
    { key: 'parser', format: 'text' },
    { key: 'kind', format: 'text' },
    { key: 'offset', format: 'integer' },
    { key: 'line', format: 'integer' },
    { key: 'call', format: 'text' },
    { key: 'key', format: 'text' },
    { key: 'message', format: 'text' },
  ],
  sortBy: ['suite', 'recording', byParser],
};

/** Calls that had run, of those complete by the oracle, when the stream was cut at a share of its content. */
export interface SalvageRow {
  readonly suite: string;
  readonly task: string;
  readonly recording: string;
  readonly parser: ParserName;
  /** Percent of the content bytes: 10, 20, … 100. */
  readonly cut: number;
  readonly executed: number;
  readonly present: number;
  /** `executed / present`; `null` where no complete call is present. */
  readonly share: number | null;
}

export const SALVAGE: Table<SalvageRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'task', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'parser', format: 'text' },
    { key: 'cut', format: 'integer' },
    { key: 'executed', format: 'integer' },
    { key: 'present', format: 'integer' },
    { key: 'share', format: { decimals: 4 } },
  ],
  sortBy: ['suite', 'task', 'recording', byParser, 'cut'],
};

/** From the oracle's end of a call to the prefix where the parser makes it executable, in content bytes. */
export interface LagRow {
  readonly suite: string;
  readonly recording: string;
  readonly task: string;
  readonly parser: ParserName;
  /** Ordinal of the call, from 0. */
  readonly call: number;
  readonly frameEnd: number;
  readonly executableAt: number;
  readonly lag: number;
}

export const LAG: Table<LagRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'task', format: 'text' },
    { key: 'parser', format: 'text' },
    { key: 'call', format: 'integer' },
    { key: 'frameEnd', name: 'frame_end', format: 'integer' },
    { key: 'executableAt', name: 'executable_at', format: 'integer' },
    { key: 'lag', format: 'integer' },
  ],
  sortBy: ['suite', 'recording', byParser, 'call'],
};

/** Pending at each content prefix of the streams of one task, one stream a protocol. */
export interface AlongRow {
  readonly task: string;
  readonly parser: Protocol;
  /** Content bytes delivered: 0 … the content length. */
  readonly offset: number;
  readonly pending: number;
}

export const ALONG: Table<AlongRow> = {
  columns: [
    { key: 'task', format: 'text' },
    { key: 'parser', format: 'text' },
    { key: 'offset', format: 'integer' },
    { key: 'pending', format: 'integer' },
  ],
  sortBy: ['task', byParser, 'offset'],
};

/** Recordings that were not given to a parser, as it does not read their framing. */
export interface MismatchCount {
  readonly suite: string;
  readonly framing: Framing;
  readonly parser: ParserName;
  readonly count: number;
}

export const MISMATCHES: Table<MismatchCount> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'framing', format: 'text' },
    { key: 'parser', format: 'text' },
    { key: 'count', format: 'integer' },
  ],
  sortBy: ['suite', { key: 'framing', order: FRAMINGS }, byParser],
};

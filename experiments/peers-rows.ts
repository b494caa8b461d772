/** The tables of the peers: what each policy ran. Calls are compared by value, keys in their order. */
import type { Table } from '../harness/report/table.ts';

/** One policy on one stream. */
export interface PeerRow {
  readonly suite: string;
  readonly recording: string;
  readonly end: string;
  readonly policy: string;
  readonly library: string;
  readonly version: string;
  /** Prefixes at which the library was asked. */
  readonly step: string;
  /** Calls by the oracle. */
  readonly calls: number;
  readonly ran: number;
  /** Calls run before their end, or that are none of the stream: `early` and `foreign` together. */
  readonly s1: number;
  readonly early: number;
  readonly foreign: number;
  /** Calls that ran with an id, a name or a value that is another in the whole stream. */
  readonly s2: number;
  /** Calls that ran, and that the library's answer to the whole text takes back. */
  readonly s3: number;
  /** Executed wrongly: foreign, or altered. */
  readonly wrong: number;
  /** Calls of the oracle that did not run. */
  readonly lost: number;
  /** What the helper threw; null if it did not, or is no helper. */
  readonly threw: string | null;
  readonly firstPrefix: number | null;
  readonly firstWhat: string;
}

/** One policy on one suite. */
export interface PeerSummary {
  readonly suite: string;
  readonly order: number;
  readonly policy: string;
  readonly library: string;
  readonly version: string;
  readonly runs: string;
  readonly streams: number;
  /** Of these, walked as recorded and not at every character. */
  readonly byDelta: number;
  readonly calls: number;
  readonly ran: number;
  readonly s1: number;
  /** Of `s1`: no call of the stream, in a stream that was cut. */
  readonly s1Cut: number;
  readonly s2: number;
  readonly s3: number;
  readonly wrong: number;
  readonly lost: number;
  /** Streams with a call executed wrongly. */
  readonly harmed: number;
  readonly harmedShare: number;
  /** Wilson 95 %; null of crafted streams, which are no sample, and of suites mixed. */
  readonly harmedLow: number | null;
  readonly harmedHigh: number | null;
  /** Streams on which the helper threw. */
  readonly threw: number;
  readonly firstRecording: string;
  readonly firstPrefix: number | null;
  readonly firstWhat: string;
}

const share = { decimals: 4 } as const;

export const PEERS: Table<PeerSummary> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'policy', format: 'text' },
    { key: 'library', format: 'text' },
    { key: 'version', format: 'text' },
    { key: 'runs', name: 'a_call_runs_when', format: 'text' },
    { key: 'streams', format: 'integer' },
    { key: 'byDelta', name: 'streams_by_delta', format: 'integer' },
    { key: 'calls', format: 'integer' },
    { key: 'ran', format: 'integer' },
    { key: 's1', format: 'integer' },
    { key: 's1Cut', name: 's1_in_cut_streams', format: 'integer' },
    { key: 's2', format: 'integer' },
    { key: 's3', format: 'integer' },
    { key: 'wrong', name: 'executed_wrongly', format: 'integer' },
    { key: 'lost', format: 'integer' },
    { key: 'harmed', name: 'streams_harmed', format: 'integer' },
    { key: 'harmedShare', name: 'harmed_share', format: share },
    { key: 'harmedLow', name: 'harmed_low', format: share },
    { key: 'harmedHigh', name: 'harmed_high', format: share },
    { key: 'threw', name: 'streams_thrown', format: 'integer' },
    { key: 'firstRecording', name: 'first_recording', format: 'text' },
    { key: 'firstPrefix', name: 'first_prefix', format: 'integer' },
    { key: 'firstWhat', name: 'first_what', format: 'text' },
  ],
  sortBy: ['suite', 'order'],
};

/** Only streams on which something is to be told. */
export const PEER_CASES: Table<PeerRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'end', format: 'text' },
    { key: 'policy', format: 'text' },
    { key: 'step', format: 'text' },
    { key: 'calls', format: 'integer' },
    { key: 'ran', format: 'integer' },
    { key: 'early', format: 'integer' },
    { key: 'foreign', format: 'integer' },
    { key: 's2', format: 'integer' },
    { key: 's3', format: 'integer' },
    { key: 'lost', format: 'integer' },
    { key: 'threw', format: 'text' },
    { key: 'firstPrefix', name: 'first_prefix', format: 'integer' },
    { key: 'firstWhat', name: 'first_what', format: 'text' },
  ],
  sortBy: ['suite', 'recording', 'policy'],
};

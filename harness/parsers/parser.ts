/**
 * Read this first: what every tool-call parser is, and what can be observed of it.
 *
 * A parser is fed stream events and can be read at every prefix. What is observable is one value, the frontier;
 * properties take frontiers, never parsers. Invariants (checked by `../properties`, named there):
 *
 * S1  an incomplete call is never in `calls`
 * S2  what is in `calls` never changes
 * S3  `calls` never shrinks
 * K   `pending` is bounded (where the protocol promises it)
 */
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import type { ContractError } from './contract-error.ts';

export interface Frontier {
  /** The executable calls, in the order in which they became so. Append-only. */
  readonly calls: readonly ToolCall[];
  /** Content bytes that were delivered and are not confirmed. O(1). 0 after an error: the rest is discarded. */
  readonly pending: number;
  /** The first contract error, or null. Calls that stood before it stand. */
  readonly error: ContractError | null;
  /** The call under way that is not executable (yet), or null. What died in a cut is read here. */
  readonly unfinished: UnfinishedCall | null;
}

export interface ToolCallParser extends Frontier {
  /**
   * Takes one event, or of its bytes only those in `[from, to)`: the replay re-cuts events without copying them.
   * After an error or a failure it does nothing. The bytes are not kept: the caller may reuse them.
   */
  push(event: StreamEvent, from?: number, to?: number): void;
  /** The end of the stream: one more step after the last byte. */
  end(how: StreamEnd): void;
}

/** A call that may be executed, irrevocably. */
export interface ToolCall {
  /** Position among the calls opened in this message, from 0; with it a call is compared with the oracle's. */
  readonly ordinal: number;
  /** As the model or provider gave it; `call_<ordinal>` where it gave none. Not unique in native streams. */
  readonly id: string;
  readonly name: string;
  readonly args: CallArguments;
  /** Content offset of the byte that made it executable; the content bytes so far where an event without any did, or the end. */
  readonly end: number;
}

export type CallArguments =
  /** Text protocols: raw bytes by key, in the order of the message; keys are unique. */
  | { readonly form: 'values'; readonly values: readonly ArgumentValue[] }
  /** JSON: `text` as it arrived (blanks around it included, empty for no arguments), `object` what `JSON.parse` makes of it. */
  | { readonly form: 'json'; readonly text: string; readonly object: JsonObject };

export interface ArgumentValue {
  readonly key: string;
  readonly bytes: Uint8Array;
}

export type JsonObject = { readonly [key: string]: unknown };

export interface UnfinishedCall {
  readonly id?: string;
  readonly name?: string;
  /** The argument under way, and how far it got (bytes); `declared` only for length-prefixed ones. */
  readonly key?: string;
  readonly declared?: number;
  readonly arrived?: number;
}

/** Told what is confirmed, as it is: a UI can show an argument grow. `bytes` is valid only during the call. */
export type ConfirmationListener = (confirmed: Confirmation) => void;

export type Confirmation =
  | { readonly type: 'text'; readonly bytes: Uint8Array }
  | { readonly type: 'call'; readonly ordinal: number; readonly id: string; readonly name: string }
  | { readonly type: 'argument'; readonly ordinal: number; readonly key: string; readonly declared?: number }
  | { readonly type: 'bytes'; readonly ordinal: number; readonly key: string; readonly bytes: Uint8Array }
  | { readonly type: 'executable'; readonly call: ToolCall };

export interface ParserOptions {
  /** `L_line`: longest header or heredoc line in bytes, LF included. */
  readonly lineLimit: number;
  /** `CTL_MAX_ARG`: longest value in bytes. */
  readonly argumentLimit: number;
  /** Most arguments in a call. */
  readonly argumentsPerCall: number;
  /** Most calls in a message. */
  readonly callsPerMessage: number;
  /**
   * `mandatory`: a line that directly follows a length-prefixed body is an `unexpected_line`. No contract: a question
   * to it (what would the rule have saved, what would it have cost?). By default the separator may be absent.
   */
  readonly separator?: 'mandatory';
  readonly onConfirmed?: ConfirmationListener;
}

/** ctl.md "Defaults". */
export const DEFAULT_OPTIONS: ParserOptions = {
  lineLimit: 4096,
  argumentLimit: 1024 * 1024,
  argumentsPerCall: 64,
  callsPerMessage: 256,
};

export type ParserFactory = (options: ParserOptions) => ToolCallParser;

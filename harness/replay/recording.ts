/** A recording: the exact response body bytes of one streamed answer, and what is known of it (recordings.md). */
import type { ContractErrorKind } from '../parsers/contract-error.ts';
import { DIALECTS, type Protocol } from '../parsers/protocols.ts';
import type { StreamEnd } from '../stream/event.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import type { Arrival } from './times.ts';

/** The framings of the specification. A native recording is read by both JSON protocols. */
export const CONTRACT_FRAMINGS = ['ctl', 'ctl-heredoc', 'xml', 'native'] as const;
export type ContractFraming = (typeof CONTRACT_FRAMINGS)[number];

/** The framing that the model was asked for, or writes by itself: a dialect is a framing with one protocol. */
export const FRAMINGS = [...CONTRACT_FRAMINGS, ...DIALECTS] as const;
export type Framing = (typeof FRAMINGS)[number];

/** The protocols that read a framing; the ctl parsers are one grammar, and each reads what its own prompt asked for. */
export const READERS: Record<Framing, readonly Protocol[]> = {
  ctl: ['ctl'],
  'ctl-heredoc': ['ctl-heredoc'],
  xml: ['xml'],
  native: ['json-whole', 'json-object'],
  hermes: ['hermes'],
  'qwen-xml': ['qwen-xml'],
  glm: ['glm'],
  deepseek: ['deepseek'],
  kimi: ['kimi'],
  harmony: ['harmony'],
};

export function isContractFraming(framing: Framing): framing is ContractFraming {
  return CONTRACT_FRAMINGS.some((contract) => contract === framing);
}

export interface Recording {
  readonly suite: string;
  /** File name within the suite, with `/` between folders; unique in the suite. */
  readonly file: string;
  readonly task: string;
  readonly framing: Framing;
  /** The framing was guessed from the content (no manifest). */
  readonly guessed: boolean;
  readonly wire: WireFormat;
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
  readonly source: RecordingSource;
  readonly model?: string;
  /** The run that the answer belongs to: answers of one run share a context, so run × task is the cluster of statistics. */
  readonly run?: string;
  /** The rule that a crafted stream pins: `ctl.md: worked cases`. */
  readonly rule?: string;
  /** What to know about it, in a sentence or two. */
  readonly note?: string;
  /** The limits under which it is to be read, where they are not the defaults: the expectations hold under them only. */
  readonly limits?: RecordingLimits;
  /** What a correct parser makes of it, where that is known from elsewhere than the parsers. */
  readonly expectations: readonly Expectation[];
  /** Reads the bytes, and checks size and hash: a recording that changed on disk is refused (`RecordingError`). */
  bytes(): Promise<Uint8Array>;
  /** When its chunks arrived; `null`, or no such method, where that was not recorded. Throws `RecordingError`. */
  arrivals?(): Promise<readonly Arrival[] | null>;
}

/**
 * `recorded`: these bytes came over HTTP from a model server; `enveloped`: the text is a model's, the SSE envelope and
 * chunking were made here, seeded; `crafted`: written by hand to pin one behaviour; `reframed`: made at run time;
 * `unknown`: a bare file.
 */
export type RecordingSource = 'recorded' | 'enveloped' | 'crafted' | 'reframed' | 'unknown';

/** Options of the SSE decoder (`eventLimit`, bytes) and of the parsers (`ParserOptions`). */
export interface RecordingLimits {
  readonly eventLimit?: number;
  readonly lineLimit?: number;
  readonly argumentLimit?: number;
  readonly argumentsPerCall?: number;
  readonly callsPerMessage?: number;
}

export interface Expectation {
  readonly protocol: Protocol;
  readonly end: StreamEnd;
  readonly calls: readonly ExpectedCall[];
  readonly error: { readonly kind: ContractErrorKind; readonly offset?: number; readonly line?: number } | null;
}

export interface ExpectedCall {
  readonly id?: string;
  readonly name: string;
  /** Values as JSON; text values that are no UTF-8 as `{"base64": "…"}`. */
  readonly args: { readonly [key: string]: unknown };
  /** The argument text of a JSON protocol, byte for byte, where it matters. */
  readonly argsText?: string;
}

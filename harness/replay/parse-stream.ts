/** One whole response body through one parser: which calls it makes executable. */
import type { ContractError } from '../parsers/contract-error.ts';
import type { Frontier, ToolCall, UnfinishedCall } from '../parsers/parser.ts';
import { PARSERS, PROTOCOLS, type Protocol } from '../parsers/protocols.ts';
import { detectWireFormat } from '../stream/dialect.ts';
import type { StreamEnd } from '../stream/event.ts';
import type { StreamNotes } from '../stream/notes.ts';
import { StreamReader } from '../stream/stream-reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { limitsOf } from './limits.ts';
import type { RecordingLimits } from './recording.ts';

/** How the bytes of a response body are to be read. */
export interface ReadingOptions {
  readonly protocol: Protocol;
  /** Told from the first payloads if absent. */
  readonly wire?: WireFormat | undefined;
  /** Limits that are not the defaults (bytes, counts). */
  readonly limits?: RecordingLimits | undefined;
}

export interface ParsedStream {
  /** The executable calls, in the order in which they became so. */
  readonly calls: readonly ToolCall[];
  /** The first contract error, or null. Calls that stood before it stand. */
  readonly error: ContractError | null;
  /** The call that was under way when the stream was cut, or null. */
  readonly incomplete: UnfinishedCall | null;
  /** `complete`: the provider said that the answer is finished. */
  readonly end: StreamEnd;
  /** What the reader passed over: counts, and bytes after the end. */
  readonly notes: StreamNotes;
}

/**
 * Parses the bytes of a response body. What is wrong with a stream is a value (`error`), never thrown; bytes that are no
 * SSE hold no event, and so are a cut stream without calls.
 * @throws RangeError if the protocol is none.
 */
export function parseStream(bytes: Uint8Array, { protocol, wire, limits }: ReadingOptions): ParsedStream {
  const { parser: options, eventLimit } = limitsOf(limits);
  const parser = PARSERS[knownProtocol(protocol)](options);
  const reader = new StreamReader(
    wire ?? detectWireFormat(bytes) ?? 'openai-chat',
    (event) => parser.push(event),
    eventLimit === undefined ? {} : { eventLimit },
  );
  reader.push(bytes);
  const end = reader.end();
  parser.end(end);
  const { calls, error } = parser;
  return { calls, error, incomplete: incompleteCall(parser, end), end, notes: reader.notes };
}

/** A protocol as a caller without types may have misspelt it. */
export function knownProtocol(protocol: Protocol): Protocol {
  if (PROTOCOLS.includes(protocol)) return protocol;
  throw new RangeError(`protocol ${String(protocol)} is unknown; known are ${PROTOCOLS.join(', ')}`);
}

/**
 * What was under way when a stream was cut. After a contract error nothing is any more; a failure of the stream is a cut
 * like any other.
 */
export function incompleteCall(
  { error, unfinished }: Pick<Frontier, 'error' | 'unfinished'>,
  end: StreamEnd,
): UnfinishedCall | null {
  const hasLeftContract = error !== null && !FAILURES.includes(error.kind);
  return end === 'cut' && !hasLeftContract ? unfinished : null;
}

const FAILURES: readonly string[] = ['stream_error', 'sse_bad_json', 'event_too_long'];

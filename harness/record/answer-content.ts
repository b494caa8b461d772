/** What the body of an event stream holds: an answer, nothing but an error, or nothing that is of a wire format. */
import { detectWireFormat } from '../stream/dialect.ts';
import { StreamReader } from '../stream/stream-reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { payloadText } from '../wire/payload-text.ts';
import { SseDecoder } from '../wire/sse.ts';
import type { SseEvent } from '../wire/unfinished-event.ts';
import { type ReportedError, readReport } from './reported-error.ts';

export type AnswerContent =
  /** `error`: it breaks off with it, after some of the answer had come. */
  | { readonly kind: 'answer'; readonly wire: WireFormat; readonly error: ReportedError | null }
  /** Neither text nor reasoning, call or finish reason came before it. */
  | { readonly kind: 'error'; readonly error: ReportedError }
  /** No event that is of a wire format, or an end and nothing before it. `silent`: comments, pings and ends at most. `said`: its first payload, or else its text. */
  | { readonly kind: 'none'; readonly silent: boolean; readonly said: string };

/** UTF-16 units of a text that says what came. */
const BEGINNING = 64 * 1024;
/** Servers that report an error and close leave out the blank line behind it, without which it is no event. */
const BLANK_LINE = Buffer.from('\n\n');
const PING = /^\s*\{\s*"type"\s*:\s*"ping"\s*\}\s*$/;
/** A comment, a field of SSE, or an empty line. */
const SSE_LINE = /^(:|(event|data|id|retry)(:|$)|$)/;

/** @param asked the wire format that was asked for; what the bytes show stands above it */
export function answerContent(bytes: Uint8Array, asked: WireFormat): AnswerContent {
  const shown = detectWireFormat(bytes);
  const wire = shown ?? asked;
  let failedAt: number | null = null;
  let hasContent = false;
  let isDone = false;
  const reader = new StreamReader(wire, (event) => {
    if (event.type === 'done') isDone = true;
    else if (event.type !== 'failure') hasContent = true;
    else if (event.kind === 'stream_error') failedAt = event.at;
  });
  reader.push(bytes);
  reader.push(BLANK_LINE);
  // Calls that the provider runs itself are no events.
  hasContent ||= reader.notes.providerCalls + reader.notes.unreadCalls > 0;
  if (failedAt !== null) {
    const error = readReport(payloadAt(bytes, failedAt));
    return hasContent ? { kind: 'answer', wire, error } : { kind: 'error', error };
  }
  return hasContent || (shown !== null && !isDone) ? { kind: 'answer', wire, error: null } : nothing(bytes);
}

function nothing(bytes: Uint8Array): AnswerContent {
  const text = Buffer.from(bytes).toString('utf8', 0, BEGINNING);
  const said = firstPayload(
    bytes,
    ({ name }, payload) => name !== 'ping' && !PING.test(payload) && payload !== '[DONE]',
  );
  const lines = text.replace(/^\uFEFF/, '').split(/[\r\n]/);
  return { kind: 'none', silent: said === null && lines.every((line) => SSE_LINE.test(line)), said: said ?? text };
}

/** The payload of the event that is complete with the byte `at`. */
function payloadAt(bytes: Uint8Array, at: number): string {
  return firstPayload(bytes, (event) => event.at === at) ?? '';
}

function firstPayload(bytes: Uint8Array, isIt: (event: SseEvent, payload: string) => boolean): string | null {
  let found: string | null = null;
  const decoder = new SseDecoder({
    event: (event) => {
      const payload = payloadText(event) ?? '';
      if (found !== null || !isIt(event, payload)) return;
      found = payload;
      decoder.stop();
    },
    tooLong: () => {},
  });
  decoder.push(bytes);
  decoder.push(BLANK_LINE);
  return found;
}

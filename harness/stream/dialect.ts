/** Which wire format a stream is written in, told from its first payloads (recordings.md: a bare file has no manifest). */
import { payloadText } from '../wire/payload-text.ts';
import { SseDecoder } from '../wire/sse.ts';
import { unwrapped } from './code-assist.ts';
import { type Fields, isFields } from './json-fields.ts';
import type { WireFormat } from './wire-format.ts';

/**
 * Payloads looked at before giving up: errors and pings (which other servers than Anthropic's send, too) say nothing.
 * A ping every second makes this a quarter of an hour.
 */
const MOST_PAYLOADS = 1024;
/** Bytes read between two looks. */
const PIECE = 16 * 1024;

const BLANK_LINE = Buffer.from('\n\n');

const ANTHROPIC_TYPE = /^(message_(start|delta|stop)|content_block_(start|delta|stop))$/;

/** The format that the first telling payload shows, or null. */
export function detectWireFormat(bytes: Uint8Array): WireFormat | null {
  let found: WireFormat | null = null;
  let seen = 0;
  const decoder = new SseDecoder({
    event: (event) => {
      found = formatOfPayload(payloadText(event) ?? '', event.name);
      seen++;
      if (found !== null || seen === MOST_PAYLOADS) decoder.stop();
    },
    tooLong: () => {},
  });
  for (let from = 0; from < bytes.length && found === null && seen < MOST_PAYLOADS; from += PIECE) {
    decoder.push(bytes, from, Math.min(bytes.length, from + PIECE));
  }
  // A last event without its blank line tells the format as well, though a reader discards it.
  decoder.push(BLANK_LINE);
  return found;
}

/** The format that one payload shows, or null. `name`: of its event, empty if it has none. */
export function formatOfPayload(payload: string, name: string): WireFormat | null {
  if (payload === '[DONE]') return 'openai-chat';
  try {
    const chunk: unknown = JSON.parse(payload);
    return isFields(chunk) ? (formatOfChunk(chunk) ?? formatOfType(name)) : null;
  } catch {
    // An event that is cut or broken, but named.
    return formatOfType(name);
  }
}

function formatOfChunk(chunk: Telling & Fields): WireFormat | null {
  const { choices, type, promptFeedback } = chunk;
  const { candidates }: Telling = unwrapped(chunk);
  if (Array.isArray(choices)) return isWholeAnswer(choices) ? null : 'openai-chat';
  if (Array.isArray(candidates) || isFields(promptFeedback)) return 'gemini';
  if (isReportOfGoogle(chunk)) return 'gemini';
  if (typeof type !== 'string') return null;
  return type === 'error' ? formatOfError(chunk) : formatOfType(type);
}

/** An answer that was not streamed is no chunk. */
function isWholeAnswer(choices: readonly unknown[]): boolean {
  return choices.some((choice) => isFields(choice) && isFields(choice['message']) && !isFields(choice['delta']));
}

/** `{"error":{"code":…,"message":…,"status":"…"}}`: the status is a word of google.rpc.Code. */
function isReportOfGoogle({ error }: Telling): boolean {
  return isFields(error) && typeof error['status'] === 'string' && /^[A-Z_]+$/.test(error['status']);
}

/** Anthropic and Responses both have an event `error`: a number in order is the latter's, an error object the former's. */
function formatOfError({ error, sequence_number }: Telling): WireFormat | null {
  if (typeof sequence_number === 'number') return 'openai-responses';
  return isFields(error) ? 'anthropic' : null;
}

function formatOfType(type: string): WireFormat | null {
  if (type.startsWith('response.')) return 'openai-responses';
  return ANTHROPIC_TYPE.test(type) ? 'anthropic' : null;
}

interface Telling {
  readonly choices?: unknown;
  readonly type?: unknown;
  readonly candidates?: unknown;
  readonly promptFeedback?: unknown;
  readonly error?: unknown;
  readonly sequence_number?: unknown;
}

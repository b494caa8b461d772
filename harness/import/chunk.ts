/** Chunks that were logged without the SSE lines they came in, and the streams that are made of them again. */
import type { Arrival } from '../replay/times.ts';
import { formatOfPayload } from '../stream/dialect.ts';
import { type Fields, isAbsent, isFields, wordOf } from '../stream/json-fields.ts';
import type { WireFormat } from '../stream/wire-format.ts';

export interface Chunk {
  /** The payload of one event, in one line: JSON or `[DONE]`. */
  readonly payload: string;
  /** The payload parsed, without the wrapper that Code Assist puts around it; null for `[DONE]`. */
  readonly value: Fields | null;
  /** When it came, in ms since the request or since 1970; null if that is not said. */
  readonly time: ChunkTime | null;
  /** The ids of its request in the log by their names, where that has some beside the chunk. */
  readonly of: ReadonlyMap<string, string>;
}

export interface ChunkTime {
  readonly ms: number;
  readonly since: 'request' | 'epoch';
}

export interface RebuiltStream {
  readonly bytes: Uint8Array;
  /** Bytes so far after each chunk; what was added at the end belongs to the last. */
  readonly ends: readonly number[];
  /** How the envelope was made. */
  readonly how: string;
}

const DONE = '[DONE]';

/** The wire format of chunks, or null. */
export function wireOfChunks(chunks: readonly Chunk[]): WireFormat | null {
  for (const { payload } of chunks.slice(0, 32)) {
    const wire = formatOfPayload(payload, '');
    if (wire !== null) return wire;
  }
  return null;
}

/** Of these fields every chunk of the format has at least one. */
const OTHER_FIELDS: { readonly [W in WireFormat]: readonly string[] } = {
  'openai-chat': ['choices', 'error', 'usage', 'id'],
  anthropic: ['type', 'error'],
  'openai-responses': ['type', 'error'],
  gemini: ['candidates', 'error', 'usageMetadata', 'promptFeedback', 'responseId'],
};

/** Whether a chunk may stand in a stream of this format; `null`: whether it may stand before the first telling one. */
export function isOfWire({ value }: Chunk, wire: WireFormat | null): boolean {
  if (value === null) return true;
  return (wire === null ? ['error', 'usage'] : OTHER_FIELDS[wire]).some((key) => Object.hasOwn(value, key));
}

/** Whether a chunk reports an error, as every wire format without types of events does it. */
export function isErrorReport({ value }: Chunk): boolean {
  return !isAbsent(value?.['error']);
}

/** The type of an event of Anthropic or of Responses; empty if it has none. */
export function typeOf({ value }: Chunk): string {
  return wordOf(value?.['type']);
}

/** The id of the message that an event of Anthropic begins, or null. */
export function messageId({ value }: Chunk): string | null {
  const message = value?.['message'];
  return isFields(message) ? idIn(message['id']) : null;
}

/** The id of the response that an event of Responses names, or null. */
export function responseId({ value }: Chunk): string | null {
  const response = value?.['response'];
  return idIn(isFields(response) ? response['id'] : value?.['response_id']);
}

/** An id as a provider gives it, or null. */
export function idIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function isDone(payload: string): boolean {
  return payload.trim() === DONE;
}

/**
 * `data: <payload>` and a blank line each; an `event: <type>` line where the provider sends one. An OpenAI-chat stream
 * that has a finish reason gets its `[DONE]` back: one without was cut off, and must stay so.
 */
export function rebuildStream(chunks: readonly Chunk[], wire: WireFormat): RebuiltStream {
  const named = wire === 'anthropic' || wire === 'openai-responses';
  const events = chunks.map(({ payload, value }) => {
    const type = named ? value?.['type'] : undefined;
    return `${typeof type === 'string' && /^[\w.]+$/.test(type) ? `event: ${type}\n` : ''}data: ${payload}\n\n`;
  });
  const hasDone = chunks.some(({ payload }) => isDone(payload));
  const addsDone = wire === 'openai-chat' && !hasDone && chunks.some((chunk) => isFinished(chunk));
  const last = events.length - 1;
  if (addsDone) events[last] = `${events[last] ?? ''}data: ${DONE}\n\n`;
  const ends: number[] = [];
  let sum = 0;
  for (const event of events) {
    sum += Buffer.byteLength(event);
    ends.push(sum);
  }
  const made = [`data:${named ? ' and event:' : ''} lines`, ...(addsDone ? [`the last ${DONE}`] : [])].join(', ');
  const bare =
    wire === 'openai-chat' && !hasDone && !addsDone ? ` No finish reason was logged, so no ${DONE} was added.` : '';
  return { bytes: Buffer.from(events.join('')), ends, how: `The SSE envelope was made here (${made}).${bare}` };
}

/** Whether a chunk says that its answer ends here (chat: choice 0; Gemini: candidate 0). */
export function isFinished(chunk: Chunk): boolean {
  const choice = firstChoice(chunk);
  const reason = choice?.['finish_reason'] ?? choice?.['finishReason'];
  return typeof reason === 'string' && reason !== '';
}

/** Choice or candidate 0, or null. */
export function firstChoice({ value }: Chunk): Fields | null {
  const list: unknown = value?.['choices'] ?? value?.['candidates'];
  if (!Array.isArray(list)) return null;
  const first: unknown = list.find((choice: unknown) => isFields(choice) && (choice['index'] ?? 0) === 0);
  return isFields(first) ? first : null;
}

/** Arrival times, or why there are none. `start`: when the request was made, in ms since 1970, where that is known. */
export function arrivalsOf(
  chunks: readonly Chunk[],
  ends: readonly number[],
  start: number | null,
): { readonly times?: readonly Arrival[]; readonly limits: readonly string[] } {
  const times = chunks.map(({ time }) => time);
  if (times.every((time) => time === null)) return { limits: ['Arrival times are unknown.'] };
  const [first] = times;
  if (first === null || first === undefined || times.some((time) => time?.since !== first.since)) {
    return { limits: ['Arrival times are left out: not every chunk has one.'] };
  }
  const isFromFirst = first.since === 'epoch' && (start === null || start > first.ms);
  const zero = first.since === 'request' ? 0 : isFromFirst ? first.ms : (start ?? 0);
  const rows = times.map((time, at) => ({ ms: rounded((time?.ms ?? 0) - zero), bytes: ends[at] ?? 0 }));
  if (rows.some(({ ms }, at) => ms < (rows[at - 1]?.ms ?? 0))) {
    return { limits: ['Arrival times are left out: they run backwards.'] };
  }
  return {
    times: rows,
    limits: isFromFirst ? ['Arrival times count from the first chunk, not from the request.'] : [],
  };
}

/** To a microsecond: what a difference of doubles leaves behind it is no measurement. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

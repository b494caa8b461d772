/** The answer to a request that is not streamed: the recording's deltas, put together as a server would have. */
import type { StreamEvent } from '../stream/event.ts';
import { isFields } from '../stream/json-fields.ts';
import { readStream } from '../stream/reader.ts';
import { payloadText } from '../wire/payload-text.ts';
import { SseDecoder } from '../wire/sse.ts';

/** The `chat.completion`, or a sentence why the stream makes none. */
export type WholeMessage = { readonly completion: object } | { readonly problem: string };

/**
 * @param bytes an OpenAI-chat stream. One that was cut off, or in which something was refused, makes no message; one
 * that ended with a `finish_reason` of its own (`length`) does.
 */
export function wholeMessage(bytes: Uint8Array, eventLimit?: number): WholeMessage {
  const { events, end } = readStream(bytes, 'openai-chat', eventLimit === undefined ? {} : { eventLimit });
  const bad = events.find((event) => event.type === 'failure' || event.type === 'refused-delta');
  if (bad !== undefined) return { problem: `${bad.kind}, ${bad.detail}` };
  const reason = events.findLast((event) => event.type === 'finish')?.reason;
  if (reason === undefined && end === 'cut') return { problem: 'the stream is cut off' };
  const calls = callsOf(events);
  if (calls.some(({ function: called }) => called.name === '')) return { problem: 'a call without a name' };
  const { id, model, usage } = headOf(bytes);
  const choice = { index: 0, message: messageOf(events, calls), finish_reason: reason ?? 'stop', logprobs: null };
  return {
    completion: {
      id,
      object: 'chat.completion',
      created: 0,
      model,
      choices: [choice],
      ...(usage !== null && { usage }),
    },
  };
}

function messageOf(events: readonly StreamEvent[], calls: readonly MessageCall[]): object {
  const text = joined(events.filter((event) => event.type === 'text'));
  const reasoning = joined(events.filter((event) => event.type === 'reasoning'));
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

interface MessageCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A call without an id gets one (streams.md). */
function callsOf(events: readonly StreamEvent[]): readonly MessageCall[] {
  const all = events.filter((event) => event.type === 'tool-delta');
  return [...new Set(all.map(({ call }) => call))].map((ordinal) => {
    const deltas = all.filter(({ call }) => call === ordinal);
    const id = deltas.find((delta) => delta.id !== undefined)?.id ?? `call_${ordinal}`;
    const name = deltas.find((delta) => delta.name !== undefined)?.name ?? '';
    return { id, type: 'function', function: { name, arguments: joined(deltas) } };
  });
}

function joined(events: readonly { readonly bytes: Uint8Array }[]): string {
  return Buffer.concat(events.map(({ bytes }) => bytes)).toString('utf8');
}

interface Head {
  readonly id: string;
  readonly model: string;
  readonly usage: object | null;
}

/** What the chunks say of the whole answer: the first id and model, the last usage. */
function headOf(bytes: Uint8Array): Head {
  let head: Head = { id: '', model: '', usage: null };
  const decoder = new SseDecoder({
    event: (event) => {
      const { id, model, usage }: ChunkHead = chunkOf(payloadText(event) ?? '');
      head = {
        id: head.id === '' && typeof id === 'string' ? id : head.id,
        model: head.model === '' && typeof model === 'string' ? model : head.model,
        usage: isFields(usage) ? usage : head.usage,
      };
    },
    tooLong: () => {},
  });
  decoder.push(bytes);
  return head;
}

interface ChunkHead {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly usage?: unknown;
}

function chunkOf(payload: string): ChunkHead {
  try {
    const chunk: unknown = JSON.parse(payload);
    return isFields(chunk) ? chunk : {};
  } catch {
    return {};
  }
}

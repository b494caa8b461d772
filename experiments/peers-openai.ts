/** The stream helper of the openai SDK, fed the recorded chunks: a call runs at `tool_calls.function.arguments.done`. */
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import type { JsonObject } from '../harness/parsers/parser.ts';
import { contentLength, type StreamEvent } from '../harness/stream/event.ts';
import { SseDecoder } from '../harness/wire/sse.ts';
import { asObject } from './peers-policies.ts';

export interface HelperRun {
  /** Of the call, in order of first appearance of its index. */
  readonly ordinal: number;
  readonly id: string;
  readonly name: string;
  readonly object: JsonObject;
  readonly delivered: number;
}

export interface HelperReading {
  readonly runs: readonly HelperRun[];
  /**
   * What the helper threw before the end of the stream; null if it did not. What it finds wrong with the message as a whole
   * afterwards (`missing role`, in the smallest crafted streams) takes no call back, and is not told.
   */
  readonly threw: string | null;
}

interface Chunk {
  readonly json: string;
  /** Content bytes of the stream up to this chunk's end. */
  readonly delivered: number;
}

/** @param events of the same bytes, as the harness reads them. */
export async function readByHelper(bytes: Uint8Array, events: readonly StreamEvent[]): Promise<HelperReading> {
  const chunks = chunksOf(bytes, events);
  let delivered = 0;
  let next = 0;
  const encoder = new TextEncoder();
  // The helper pulls a chunk when it has done with the one before: an event belongs to the chunk given last.
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[next++];
        if (chunk === undefined) return controller.close();
        delivered = chunk.delivered;
        controller.enqueue(encoder.encode(`${chunk.json}\n`));
      },
    },
    { highWaterMark: 0 },
  );
  const runs: HelperRun[] = [];
  const order: number[] = [];
  const helper = ChatCompletionStream.fromReadableStream(source);
  helper.on('tool_calls.function.arguments.delta', ({ index }) => {
    if (!order.includes(index)) order.push(index);
  });
  helper.on('tool_calls.function.arguments.done', ({ index, name, arguments: text }) => {
    const id = helper.currentChatCompletionSnapshot?.choices[0]?.message.tool_calls?.[index]?.id;
    const object = objectOf(text);
    const ordinal = order.indexOf(index);
    if (object !== null) runs.push({ ordinal, id: id ?? `call_${ordinal}`, name, object, delivered });
  });
  try {
    await helper.done();
    return { runs, threw: null };
  } catch (error) {
    const hasReadAll = next > chunks.length;
    return { runs, threw: hasReadAll ? null : error instanceof Error ? error.message : String(error) };
  }
}

/** Arguments of which there are none mean an empty object, as in every policy here. */
function objectOf(text: string): JsonObject | null {
  if (text.trim() === '') return {};
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

function chunksOf(bytes: Uint8Array, events: readonly StreamEvent[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let delivered = 0;
  let read = 0;
  const decoder = new SseDecoder({
    event: ({ bytes: held, start, end, at }) => {
      for (let event = events[read]; event !== undefined && event.at <= at; event = events[++read]) {
        delivered += contentLength(event);
      }
      const json = held.toString('utf8', start, end).replaceAll('\n', ' ');
      if (json !== '[DONE]') chunks.push({ json, delivered });
    },
    tooLong: () => undefined,
  });
  decoder.push(bytes);
  return chunks;
}

/**
 * The one writer of OpenAI-chat event streams: replies, crafted and reframed recordings all come through here. There
 * is no clock in it: `created` is 0.
 */

/** A part of an answer, already cut into the deltas in which it is to arrive. */
export type AnswerPart =
  | { readonly type: 'text'; readonly pieces: readonly string[] }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly pieces: readonly string[] };

export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly parts: readonly AnswerPart[];
  readonly finish: 'stop' | 'tool_calls';
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number };
}

export interface ChunkHead {
  readonly id: string;
  readonly model: string;
}

/** One event: `data: <payload>` and a blank line. */
export function sseEvent(payload: string): string {
  return `data: ${payload}\n\n`;
}

export const DONE_EVENT = sseEvent('[DONE]');

/** One `chat.completion.chunk` for choice 0, as an event. */
export function chunkEvent(head: ChunkHead, delta: object, finish: string | null = null): string {
  return chunkObject(head, { choices: [{ index: 0, delta, finish_reason: finish }] });
}

/** Role chunk, deltas, finish reason, usage chunk, `[DONE]`: what an OpenAI-compatible server sends. */
export function chatStream(answer: Answer): Uint8Array {
  const events = [chunkEvent(answer, { role: 'assistant', content: '' })];
  let index = 0;
  for (const part of answer.parts) {
    if (part.type === 'text') {
      for (const piece of part.pieces) events.push(chunkEvent(answer, { content: piece }));
    } else {
      events.push(openCall(answer, index, part));
      for (const piece of part.pieces) events.push(argumentEvent(answer, index, piece));
      index += 1;
    }
  }
  events.push(chunkEvent(answer, {}, answer.finish), usageEvent(answer), DONE_EVENT);
  return new TextEncoder().encode(events.join(''));
}

function openCall(head: ChunkHead, index: number, call: { readonly id: string; readonly name: string }): string {
  const opened = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
  return chunkEvent(head, { tool_calls: [opened] });
}

function argumentEvent(head: ChunkHead, index: number, piece: string): string {
  return chunkEvent(head, { tool_calls: [{ index, function: { arguments: piece } }] });
}

function usageEvent(answer: Answer): string {
  const { promptTokens, completionTokens } = answer.usage;
  return chunkObject(answer, {
    choices: [],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  });
}

function chunkObject(head: ChunkHead, rest: object): string {
  return sseEvent(
    JSON.stringify({ id: head.id, object: 'chat.completion.chunk', created: 0, model: head.model, ...rest }),
  );
}

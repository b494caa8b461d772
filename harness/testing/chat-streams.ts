/** Small OpenAI chat streams for tests, and stream events in a form that is easy to compare. */
import { expect } from 'vitest';
import type { StreamEvent } from '../stream/event.ts';
import { readStream } from '../stream/reader.ts';

/** The wire bytes of these payloads; objects become JSON, strings stand as they are. */
export function sse(...payloads: readonly (object | string)[]): Uint8Array {
  const text = payloads.map(
    (payload) => `data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`,
  );
  return Buffer.from(text.join(''));
}

export function chunk(delta: object, finish_reason: string | null = null): object {
  return { choices: [{ index: 0, delta, finish_reason }] };
}

export function toolChunk(...tool_calls: readonly object[]): object {
  return chunk({ tool_calls });
}

export interface ToolDeltaParts {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly args?: unknown;
}

export function toolDelta({ index, id, name, args }: ToolDeltaParts): object {
  return { index, id, type: 'function', function: { name, arguments: args } };
}

/** Bytes as text, without offsets. */
export type PlainEvent = { readonly type: string; readonly [field: string]: unknown };

export function plain(event: StreamEvent): PlainEvent {
  const { at: _, ...rest } = event;
  return 'bytes' in rest ? { ...rest, bytes: Buffer.from(rest.bytes).toString('utf8') } : rest;
}

export function read(...payloads: readonly (object | string)[]) {
  const { events, end, notes } = readStream(sse(...payloads), 'openai-chat');
  return { events: events.map(plain), end, notes };
}

export function events(...payloads: readonly (object | string)[]): PlainEvent[] {
  return read(...payloads).events;
}

export function opening(call: number, id: string | undefined, name: string | undefined, bytes = ''): PlainEvent {
  return { type: 'tool-delta', call, ...(id !== undefined && { id }), ...(name !== undefined && { name }), bytes };
}

export function fragment(call: number, bytes: string): PlainEvent {
  return { type: 'tool-delta', call, bytes };
}

export function refused(call: number | null, kind: string): PlainEvent {
  return { type: 'refused-delta', call, kind, detail: expect.any(String) };
}

export function failure(kind: string, detail: unknown = expect.any(String)): PlainEvent {
  return { type: 'failure', kind, detail };
}

/** Small streams of the wire formats other than OpenAI chat, for tests. */
import { readStream } from '../stream/reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { type PlainEvent, plain, sse } from './chat-streams.ts';

/** What a reader makes of these payloads: events without offsets, the end, the notes that are not 0. */
export function readWire(wire: WireFormat, ...payloads: readonly (object | string)[]) {
  const { events, end, notes } = readStream(sse(...payloads), wire);
  const noted = Object.fromEntries(Object.entries(notes).filter(([, count]) => count > 0));
  return { events: events.map(plain), end, notes: noted };
}

/** The event that opens a call whose provider closes it. */
export function announced(call: number, id: string | undefined, name: string | undefined): PlainEvent {
  const identity = { ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
  return { type: 'tool-delta', call, ...identity, closes: 'announced', bytes: '' };
}

export function closed(call: number): PlainEvent {
  return { type: 'tool-close', call };
}

export function said(type: 'text' | 'reasoning', bytes: string): PlainEvent {
  return { type, bytes };
}

export function finished(reason: string, meaning: 'complete' | 'cut'): PlainEvent {
  return { type: 'finish', reason, meaning };
}

export const DONE: PlainEvent = { type: 'done' };

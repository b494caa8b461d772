/** The stream events of a source, as its bytes come: memory is the unfinished SSE event, whatever the length. */
import { detectWireFormat } from '../stream/dialect.ts';
import { contentLength, type StreamEnd, type StreamEvent } from '../stream/event.ts';
import type { StreamNotes } from '../stream/notes.ts';
import { StreamReader } from '../stream/stream-reader.ts';
import { DataLineWatch } from './data-line.ts';
import { InputError } from './run-command.ts';
import { firstBytes, type Source } from './source.ts';

/** `sse`: a response body; `content`: the message text itself. */
export const INPUTS = ['sse', 'content'] as const;
export type Input = (typeof INPUTS)[number];

export interface Prefix {
  readonly level: 'wire' | 'content';
  /** Bytes of the level. */
  readonly length: number;
}

export interface EventOptions {
  readonly input: Input;
  readonly eventLimit?: number;
  readonly prefix?: Prefix;
}

export interface EventsRead {
  /** As the stream itself says; a content prefix that leaves something out is cut. */
  readonly end: StreamEnd;
  readonly notes: StreamNotes | null;
  /** Bytes of an SSE event that the stream did not finish: discarded. */
  readonly heldAtEnd: number;
}

/** Takes an event, or of its bytes those in `[from, to)`. */
export type EventSink = (event: StreamEvent, from: number, to: number) => void;

/** Bytes looked at before it is settled that no payload tells the wire format. */
const MOST_HEAD = 1024 * 1024;

export async function readEvents(source: Source, options: EventOptions, sink: EventSink): Promise<EventsRead> {
  const { prefix } = options;
  const pieces = prefix?.level === 'wire' ? firstBytes(source.open(), prefix.length) : source.open();
  const limited = new ContentPrefix(sink, prefix?.level === 'content' ? prefix.length : Number.POSITIVE_INFINITY);
  if (options.input === 'content') return readContent(pieces, limited);
  const read = await readSse({ name: source.name, pieces, isPrefix: prefix !== undefined }, options, limited);
  return limited.isCut ? { ...read, end: 'cut' } : read;
}

/** Lets through the first content bytes, and the events without any that stand directly behind them. */
class ContentPrefix {
  isCut = false;
  readonly #sink: EventSink;
  #left: number;

  constructor(sink: EventSink, length: number) {
    this.#sink = sink;
    this.#left = length;
  }

  take(event: StreamEvent): void {
    if (this.isCut) return;
    const size = contentLength(event);
    const taken = Math.min(size, this.#left);
    this.isCut = taken < size;
    this.#left -= taken;
    if (taken > 0 || !this.isCut) this.#sink(event, 0, taken);
  }
}

async function readContent(pieces: AsyncIterable<Uint8Array>, sink: ContentPrefix): Promise<EventsRead> {
  let at = 0;
  for await (const bytes of pieces) {
    at += bytes.length;
    sink.take({ type: 'text', at: at - 1, bytes });
    if (sink.isCut) break;
  }
  return { end: sink.isCut ? 'cut' : 'complete', notes: null, heldAtEnd: 0 };
}

async function readSse(
  { name, pieces, isPrefix }: { name: string; pieces: AsyncIterable<Uint8Array>; isPrefix: boolean },
  { eventLimit }: EventOptions,
  sink: ContentPrefix,
): Promise<EventsRead> {
  const limit = eventLimit === undefined ? {} : { eventLimit };
  const lines = new DataLineWatch();
  let reader: StreamReader | null = null;
  let head: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    lines.push(piece);
    if (reader !== null) {
      reader.push(piece);
      continue;
    }
    head = Buffer.concat([head, piece]);
    const wire = detectWireFormat(head) ?? (head.length >= MOST_HEAD ? 'openai-chat' : null);
    if (wire === null) continue;
    reader = new StreamReader(wire, (event) => sink.take(event), limit);
    reader.push(head);
    head = new Uint8Array(0);
  }
  if (!lines.seen && !isPrefix) throw notSse(name, reader === null ? head : null);
  reader ??= openWith(head, (event) => sink.take(event), limit);
  const heldAtEnd = reader.held;
  const end = reader.end();
  return { end, notes: reader.notes, heldAtEnd };
}

function openWith(head: Uint8Array, sink: (event: StreamEvent) => void, limit: { eventLimit?: number }): StreamReader {
  const reader = new StreamReader('openai-chat', sink, limit);
  reader.push(head);
  return reader;
}

const JSON_ARRAY = /^[\s\ufeff]*\[\s*\{/;

/**
 * The same words wherever an input is no SSE stream.
 * @param head its first bytes, or null if they are gone: then it is not empty
 */
export function notSse(name: string, head: Uint8Array | null): InputError {
  const start = head === null ? null : Buffer.from(head.subarray(0, 64)).toString('latin1');
  if (start === '') return new InputError(`${name}: is empty: there is no stream. ${AS_TEXT}`);
  const isArray = start !== null && JSON_ARRAY.test(start);
  const what = `${name}: is no SSE stream: no line begins with "data:". `;
  return new InputError(what + (isArray ? FOR_SSE : AS_TEXT));
}

const AS_TEXT = 'If it is the text of a message, use cst parse --input content';
const FOR_SSE = 'A JSON array is the other transport of Gemini: ask for SSE with alt=sse in the URL';

/**
 * What an oracle reads: the part of a stream that counts, and bytes of one kind gathered into one buffer that still
 * knows where each of its bytes arrived.
 */
import type { ContractErrorKind } from '../parsers/contract-error.ts';
import type { StreamEnd, StreamEvent, TextEvent, ToolDeltaEvent } from '../stream/event.ts';

/** An error as an oracle states it; `offset` is a content offset in bytes. */
export interface Departure {
  readonly kind: ContractErrorKind;
  readonly offset: number;
}

/** The events that are read: none after `[DONE]`, and none from a failure on. */
export interface Readable {
  readonly events: readonly StreamEvent[];
  /** The failure that ended the reading, at the content received before it. */
  readonly failure: Departure | null;
  /** False for a cut; a failure is one whatever the stream's end is said to be. */
  readonly complete: boolean;
  /** Content bytes (text and tool deltas) of `events`. */
  readonly contentLength: number;
}

/** Bytes of one event. */
export interface Piece {
  /** Position of the event among the events of the stream. */
  readonly event: number;
  /** Content offset of the first byte. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Bytes that belong together, wherever in the stream they arrived. */
export interface Gathered {
  readonly bytes: Buffer;
  /** One character a byte, so that an index in it is an index in `bytes`. */
  readonly latin1: string;
  /** Content offset of the byte at `index`. */
  offsetAt(index: number): number;
  /** Position in the stream of the event that brought the byte at `index`. */
  eventAt(index: number): number;
}

export function readable(events: readonly StreamEvent[], end: StreamEnd): Readable {
  const last = events.findIndex((event) => event.type === 'done' || event.type === 'failure');
  const stop = last < 0 ? undefined : events[last];
  const failed = stop?.type === 'failure';
  const read = last < 0 ? events : events.slice(0, failed ? last : last + 1);
  let contentLength = 0;
  for (const piece of contentPieces(read)) contentLength += piece.bytes.length;
  return {
    events: read,
    failure: failed ? { kind: stop.kind, offset: contentLength } : null,
    complete: end === 'complete' && !failed,
    contentLength,
  };
}

/** A piece of content, and the event that brought it. */
type ContentPiece = Piece & { readonly of: TextEvent | ToolDeltaEvent };

/** The pieces of every event that carries content, in order of arrival. */
export function* contentPieces(events: readonly StreamEvent[]): Generator<ContentPiece> {
  let offset = 0;
  for (const [event, of] of events.entries()) {
    if (of.type !== 'text' && of.type !== 'tool-delta') continue;
    yield { event, offset, bytes: of.bytes, of };
    offset += of.bytes.length;
  }
}

export function gatherText(stream: Readable): Gathered {
  return gather([...contentPieces(stream.events)].filter((piece) => piece.of.type === 'text'));
}

export function gather(pieces: readonly Piece[]): Gathered {
  const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
  const starts: number[] = [];
  let length = 0;
  for (const piece of pieces) {
    starts.push(length);
    length += piece.bytes.length;
  }
  const locate = (index: number): { piece: Piece; within: number } => {
    const found = lastAtOrBelow(starts, index);
    return { piece: pieces[found]!, within: index - starts[found]! };
  };
  return {
    bytes,
    latin1: bytes.toString('latin1'),
    offsetAt: (index) => {
      const { piece, within } = locate(index);
      return piece.offset + within;
    },
    eventAt: (index) => locate(index).piece.event,
  };
}

const LEADING_THINK = /^[ \t\r\n]*<think>/;
const THINK_END = '</think>';

/**
 * Where the message begins: after a leading think block, or at `marker` in it, whichever comes first; its length if the
 * block does not end.
 */
export function afterThinking(text: string, marker?: string): number {
  const opener = LEADING_THINK.exec(text);
  if (opener === null) return 0;
  const close = text.indexOf(THINK_END, opener[0].length);
  const message = close < 0 ? text.length : close + THINK_END.length;
  const implied = marker === undefined ? -1 : text.indexOf(marker, opener[0].length);
  return implied < 0 ? message : Math.min(message, implied);
}

const NON_BLANK = /[^ \t\r\n]/g;

/** The first index at or after `from` that holds no blank of RFC 8259 (and of xml.md): SP, TAB, CR, LF. */
export function skipBlanks(text: string, from: number): number {
  NON_BLANK.lastIndex = from;
  return NON_BLANK.exec(text)?.index ?? text.length;
}

function lastAtOrBelow(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (sorted[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

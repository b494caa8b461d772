/** One whole stream, read at once. */
import type { StreamEnd, StreamEvent } from './event.ts';
import type { StreamNotes } from './notes.ts';
import { StreamReader, type StreamReaderOptions } from './stream-reader.ts';
import type { WireFormat } from './wire-format.ts';

export interface StreamReading {
  /** In order of `at`. */
  readonly events: readonly StreamEvent[];
  readonly end: StreamEnd;
  readonly notes: StreamNotes;
  /** Bytes of an SSE event that the stream did not finish: discarded. */
  readonly heldAtEnd: number;
}

export function readStream(bytes: Uint8Array, wire: WireFormat, options?: StreamReaderOptions): StreamReading {
  const events: StreamEvent[] = [];
  const reader = new StreamReader(wire, (event) => events.push(event), options);
  reader.push(bytes);
  const heldAtEnd = reader.held;
  const end = reader.end();
  return { events, end, notes: reader.notes, heldAtEnd };
}

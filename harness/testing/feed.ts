/** Feeds a parser as unkindly as its contract allows. */
import type { ToolCallParser } from '../parsers/parser.ts';
import type { DecodedStream } from '../replay/replay.ts';
import { contentLength, type StreamEvent } from '../stream/event.ts';

const JUNK = 0x2a;

/**
 * Pushes the events in pieces of the given sizes (bytes, in turn), and then the end. Every piece comes in a buffer that is
 * overwritten as soon as `push` has returned: a parser must not keep the caller's bytes.
 */
export function feed(parser: ToolCallParser, stream: DecodedStream, sizes: readonly number[]): void {
  let turn = 0;
  for (const event of stream.events) {
    const length = contentLength(event);
    if (length === 0 || !hasBytes(event)) {
      parser.push(event);
      continue;
    }
    const lent = Buffer.alloc(length);
    const lentEvent = { ...event, bytes: lent };
    for (let from = 0; from < length; ) {
      const to = Math.min(length, from + (sizes[turn++ % sizes.length] ?? 1));
      lent.set(event.bytes.subarray(from, to), from);
      parser.push(lentEvent, from, to);
      lent.fill(JUNK);
      from = to;
    }
  }
  parser.end(stream.end);
}

function hasBytes(event: StreamEvent): event is Extract<StreamEvent, { bytes: Uint8Array }> {
  return 'bytes' in event;
}

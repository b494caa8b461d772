/**
 * The only loops that feed a parser (outside a live run): every byte prefix of a stream, at one of two levels
 * (properties.md "Streams, levels, prefixes"). O(1) a step besides what the parser does; nothing is copied.
 */
import type { Frontier, ToolCallParser } from '../parsers/parser.ts';
import { contentLength, type StreamEnd, type StreamEvent } from '../stream/event.ts';
import { StreamReader } from '../stream/stream-reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';

/** `wire`: the recorded bytes one at a time. `content`: every text or argument byte alone. */
export const LEVELS = ['wire', 'content'] as const;
export type Level = (typeof LEVELS)[number];

/** Watches a replay. One object is reused for all steps: read it, do not keep it. */
export interface ReplayObserver {
  step(step: ReplayStep): void;
  /**
   * `count` prefixes have passed since the step before at which the parser was fed nothing, so that its frontier is what
   * it was. An observer without this method is given a step for each of them.
   */
  quiet?(count: number): void;
}

export interface ReplayStep {
  frontier: Frontier;
  /** Bytes of the level in the prefix. */
  prefix: number;
  /** Content bytes delivered in the prefix. */
  delivered: number;
  /** Most wire bytes that the decoder has held of an unfinished event up to here. 0 at the content level. */
  heldMost: number;
  /** The step after the last byte: the end of the stream has been told. */
  ended: boolean;
}

/** A decoded stream, as a replay at the content level wants it. */
export interface DecodedStream {
  readonly events: readonly StreamEvent[];
  readonly end: StreamEnd;
}

/** Steps: one for each content byte, one for each event without any, one for the end. */
export function replayContent(stream: DecodedStream, parser: ToolCallParser, observer: ReplayObserver): void {
  const step: ReplayStep = { frontier: parser, prefix: 0, delivered: 0, heldMost: 0, ended: false };
  for (const event of stream.events) {
    const length = contentLength(event);
    if (length === 0) {
      parser.push(event);
      observer.step(step);
    }
    for (let i = 0; i < length; i++) {
      parser.push(event, i, i + 1);
      step.prefix++;
      step.delivered++;
      observer.step(step);
    }
  }
  parser.end(stream.end);
  step.ended = true;
  observer.step(step);
}

/** Steps: one for each wire byte (or see `quiet`), one for the end. Returns how the stream ended. */
export function replayWire(
  source: { readonly bytes: Uint8Array; readonly wire: WireFormat; readonly eventLimit?: number },
  parser: ToolCallParser,
  observer: ReplayObserver,
): StreamEnd {
  const { bytes, wire, eventLimit } = source;
  const step: ReplayStep = { frontier: parser, prefix: 0, delivered: 0, heldMost: 0, ended: false };
  let fed = false;
  const sink = (event: StreamEvent): void => {
    fed = true;
    step.delivered += contentLength(event);
    parser.push(event);
  };
  const reader = new StreamReader(wire, sink, eventLimit === undefined ? {} : { eventLimit });
  const tell = (prefix: number): void => {
    step.prefix = prefix;
    step.heldMost = reader.heldMost;
    observer.step(step);
  };
  const wantsEachStep = observer.quiet === undefined;
  let quiet = 0;
  for (let i = 0; i < bytes.length; i++) {
    reader.push(bytes, i, i + 1);
    if (fed || wantsEachStep) {
      if (quiet > 0) observer.quiet?.(quiet);
      quiet = 0;
      fed = false;
      tell(i + 1);
    } else {
      quiet++;
    }
  }
  if (quiet > 0) observer.quiet?.(quiet);
  const end = reader.end();
  parser.end(end);
  step.ended = true;
  tell(bytes.length);
  return end;
}

/** Total content bytes of a stream. */
export function contentSize(events: readonly StreamEvent[]): number {
  return events.reduce((sum, event) => sum + contentLength(event), 0);
}

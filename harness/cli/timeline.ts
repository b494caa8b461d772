/** One stream through one parser, byte by byte: what `cst timeline` draws. */
import type { ContractError } from '../parsers/contract-error.ts';
import type { ToolCall, ToolCallParser } from '../parsers/parser.ts';
import { type Level, type ReplayStep, replayContent, replayWire } from '../replay/replay.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { readStream } from '../stream/reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';

/** After the byte has come. `text`: all that has come is confirmed, and no call is open. */
export const TEXT = 0;
/** All that has come is confirmed, and a call is open. */
export const CONFIRMED = 1;
/** Some of what has come is pending. */
export const PENDING = 2;
/** With this byte a call has become executable. */
export const EXECUTABLE = 3;

export interface Timeline {
  readonly level: Level;
  readonly bytes: Uint8Array;
  /** For each byte: one of the four. */
  readonly states: Uint8Array;
  /** For each byte: content bytes delivered, and of those pending, after it. */
  readonly delivered: Float64Array;
  readonly pending: Float64Array;
  readonly runs: readonly Run[];
  readonly end: StreamEnd;
  readonly error: ContractError | null;
}

export interface Run {
  readonly call: ToolCall;
  /** Bytes of the level that had come; `atEnd`: the end of the stream made it executable. */
  readonly after: number;
  readonly atEnd: boolean;
}

export interface TimelineSource {
  readonly bytes: Uint8Array;
  readonly wire: WireFormat;
  readonly eventLimit?: number;
}

export function traceTimeline(source: TimelineSource, parser: ToolCallParser, level: Level): Timeline {
  const { bytes, wire, eventLimit } = source;
  const stream = readStream(bytes, wire, eventLimit === undefined ? {} : { eventLimit });
  const drawn = level === 'wire' ? bytes : contentBytes(stream.events);
  const trace = new Trace(drawn.length);
  if (level === 'wire') replayWire(source, parser, trace);
  else replayContent(stream, parser, trace);
  const { states, delivered, pending, runs } = trace;
  return { level, bytes: drawn, states, delivered, pending, runs, end: stream.end, error: parser.error };
}

class Trace {
  readonly states: Uint8Array;
  readonly delivered: Float64Array;
  readonly pending: Float64Array;
  readonly runs: Run[] = [];

  constructor(length: number) {
    this.states = new Uint8Array(length);
    this.delivered = new Float64Array(length);
    this.pending = new Float64Array(length);
  }

  /** Several steps may be about one byte: events without bytes come after it. The last one counts. */
  step({ frontier, prefix, delivered, ended }: ReplayStep): void {
    const before = this.runs.length;
    for (const call of frontier.calls.slice(before)) this.runs.push({ call, after: prefix, atEnd: ended });
    if (ended || prefix === 0) return;
    const at = prefix - 1;
    this.delivered[at] = delivered;
    this.pending[at] = frontier.pending;
    if (this.runs.length > before) this.states[at] = EXECUTABLE;
    else if (this.states[at] !== EXECUTABLE) {
      this.states[at] = frontier.pending > 0 ? PENDING : frontier.unfinished === null ? TEXT : CONFIRMED;
    }
  }
}

function contentBytes(events: readonly StreamEvent[]): Uint8Array {
  return Buffer.concat(
    events.flatMap((event) => (event.type === 'text' || event.type === 'tool-delta' ? [event.bytes] : [])),
  );
}

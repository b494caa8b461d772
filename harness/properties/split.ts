/**
 * Chunking must not matter (properties.md): whole, byte by byte, every split in two (streams up to 4 KiB) or seeded
 * partitions give the same calls, error and final state, at both levels.
 */
import type { Frontier, ParserFactory, ParserOptions } from '../parsers/parser.ts';
import type { DecodedStream, Level } from '../replay/replay.ts';
import { seededDraw } from '../replay/seeded.ts';
import { contentLength, type StreamEvent } from '../stream/event.ts';
import { StreamReader } from '../stream/stream-reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { stateDifference } from './final-state.ts';
import { type Counterexample, holds, type Verdict, violated } from './verdict.ts';

/** Up to this size (bytes of the level) every split in two is tried. */
const EVERY_SPLIT_UP_TO = 4096;
const PARTITIONS = 100;
/** Partitions of a long stream stop when about this many bytes have been fed: 100 up to 160 KiB, never fewer than 2. */
const BYTE_BUDGET = 16 * 1024 * 1024;
/** Partitions have pieces of 1 to one of these sizes. */
const LARGEST_PIECES = [3, 17, 120, 1500] as const;

export interface SplitSubject {
  readonly bytes: Uint8Array;
  readonly wire: WireFormat;
  /** Limit of the SSE decoder in bytes, if not the default. */
  readonly eventLimit?: number;
  readonly stream: DecodedStream;
  readonly create: ParserFactory;
  readonly options: ParserOptions;
  /** Label of the seeded draws. */
  readonly seed: string;
  /** Bytes that may be fed again at each level, if not the default. */
  readonly byteBudget?: number;
}

export function checkSplits(subject: SplitSubject): Verdict {
  const { byteBudget: budget } = subject;
  const merged = { ...subject.stream, events: mergeDeltas(subject.stream.events) };
  const contentBytes = merged.events.reduce((sum, event) => sum + contentLength(event), 0);
  const whole = feedContent(subject, merged, wholeCut(contentBytes));
  const found: { count: number; first: Counterexample | null } = { count: 0, first: null };
  let tried = 0;
  const compare = (level: Level, how: string, prefix: number, state: Frontier): void => {
    tried++;
    const difference = stateDifference(whole, state);
    if (difference === null) return;
    found.count++;
    found.first ??= { level, prefix, what: `${how}: ${difference}` };
  };
  compare('content', 'as recorded', contentBytes, feedContent(subject, subject.stream, wholeCut(contentBytes)));
  for (const cut of cuts(contentBytes, `${subject.seed} content`, budget)) {
    compare('content', cut.how, cut.first, feedContent(subject, merged, cut));
  }
  for (const cut of cuts(subject.bytes.length, `${subject.seed} wire`, budget)) {
    compare('wire', cut.how, cut.first, feedWire(subject, cut));
  }
  return found.first === null ? holds('split', tried) : violated('split', found.count, found.first);
}

/** Adjacent deltas of one text or call as one: the fewest events that the same content could have come in. */
export function mergeDeltas(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const merged: StreamEvent[] = [];
  let run: StreamEvent[] = [];
  const flush = (): void => {
    const first = run[0];
    if (first === undefined) return;
    if (run.length === 1 || !('bytes' in first)) merged.push(first);
    else merged.push(joined(first, run));
    run = [];
  };
  for (const event of events) {
    if (run[0] !== undefined && !continues(run[0], event)) flush();
    run.push(event);
  }
  flush();
  return merged;
}

const NONE = new Uint8Array(0);

function joined(first: StreamEvent, run: readonly StreamEvent[]): StreamEvent {
  const bytes = Buffer.concat(run.map((event) => ('bytes' in event ? event.bytes : NONE)));
  const last = run.at(-1);
  if (first.type !== 'tool-delta') return first.type === 'text' ? { ...first, bytes } : first;
  const { half: _, ...identity } = first;
  return { ...identity, bytes, ...(last?.type === 'tool-delta' && last.half === true ? { half: true } : {}) };
}

function continues(first: StreamEvent, next: StreamEvent): boolean {
  if (first.type === 'text') return next.type === 'text';
  if (first.type !== 'tool-delta' || next.type !== 'tool-delta') return false;
  return next.call === first.call && next.id === undefined && next.name === undefined;
}

/** One way of cutting a stream into pieces. Used once: a drawn one draws as it goes. */
interface Cut {
  readonly how: string;
  /** End of the first piece. */
  readonly first: number;
  /** End of the piece that begins at `from`; may lie beyond the stream. */
  readonly endOfPiece: (from: number) => number;
}

function wholeCut(size: number): Cut {
  return { how: 'whole', first: size, endOfPiece: () => size };
}

/** Whole, byte by byte, and every split in two or seeded partitions. */
function* cuts(size: number, seed: string, budget = BYTE_BUDGET): Generator<Cut> {
  yield wholeCut(size);
  yield { how: 'byte by byte', first: 1, endOfPiece: (from) => from + 1 };
  if (size <= EVERY_SPLIT_UP_TO && size * size <= budget) {
    for (let cut = 1; cut < size; cut++) {
      yield { how: `cut at byte ${cut}`, first: cut, endOfPiece: (from) => (from < cut ? cut : size) };
    }
    return;
  }
  const count = Math.max(2, Math.min(PARTITIONS, Math.floor(budget / size)));
  for (let i = 0; i < count; i++) {
    const largest = LARGEST_PIECES[i % LARGEST_PIECES.length] ?? 1;
    const draw = seededDraw(`${seed} ${i}`);
    const how = `partition ${i} (pieces of 1 to ${largest} bytes)`;
    yield { how, first: 1 + seededDraw(`${seed} ${i}`)(largest), endOfPiece: (from) => from + 1 + draw(largest) };
  }
}

function feedContent(subject: SplitSubject, stream: DecodedStream, cut: Cut): Frontier {
  const parser = subject.create(subject.options);
  let before = 0;
  let end = 0;
  for (const event of stream.events) {
    const length = contentLength(event);
    if (length === 0) parser.push(event);
    for (let from = 0; from < length; ) {
      if (end <= before + from) end = cut.endOfPiece(before + from);
      const to = Math.min(length, end - before);
      parser.push(event, from, to);
      from = to;
    }
    before += length;
  }
  parser.end(stream.end);
  return parser;
}

function feedWire(subject: SplitSubject, cut: Cut): Frontier {
  const parser = subject.create(subject.options);
  const { bytes, wire, eventLimit } = subject;
  const sink = (event: StreamEvent): void => parser.push(event);
  const reader = new StreamReader(wire, sink, eventLimit === undefined ? {} : { eventLimit });
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, cut.endOfPiece(from));
    reader.push(bytes, from, to);
    from = to;
  }
  parser.end(reader.end());
  return parser;
}

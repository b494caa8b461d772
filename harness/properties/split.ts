/**
 * Chunking must not matter (properties.md): whole, byte by byte, every split in two (streams up to 4 KiB) or seeded
 * partitions give the same calls, error and final state, at both levels.
 */
import type { ParserFactory, ParserOptions } from '../parsers/parser.ts';
import type { DecodedStream, Level } from '../replay/replay.ts';
import { type Draw, seededDraw } from '../replay/seeded.ts';
import { contentLength, type StreamEvent } from '../stream/event.ts';
import { StreamReader } from '../stream/stream-reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { finalState, stateDifference } from './final-state.ts';
import { type Counterexample, holds, type Verdict, violated } from './verdict.ts';

/** Up to this size (bytes of the level) every split in two is tried. */
const EVERY_SPLIT_UP_TO = 4096;
const PARTITIONS = 100;
/** Partitions of a long stream stop when about this many bytes have been fed: 100 below 640 KiB, never fewer than 2. */
const BYTE_BUDGET = 64 * 1024 * 1024;
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
}

export function checkSplits(subject: SplitSubject): Verdict {
  const merged = { ...subject.stream, events: mergeDeltas(subject.stream.events) };
  const contentBytes = merged.events.reduce((sum, event) => sum + contentLength(event), 0);
  const whole = feedContent(subject, merged, [contentBytes]);
  const found: { count: number; first: Counterexample | null } = { count: 0, first: null };
  let tried = 0;
  const compare = (level: Level, how: string, prefix: number, state: string): void => {
    tried++;
    if (state === whole) return;
    found.count++;
    found.first ??= { level, prefix, what: `${how}: ${stateDifference(whole, state)}` };
  };
  compare('content', 'as recorded', contentBytes, feedContent(subject, subject.stream, [contentBytes]));
  for (const cuts of cutLists(contentBytes, `${subject.seed} content`)) {
    compare('content', describeCuts(cuts), cuts[0] ?? 0, feedContent(subject, merged, cuts));
  }
  for (const cuts of cutLists(subject.bytes.length, `${subject.seed} wire`)) {
    compare('wire', describeCuts(cuts), cuts[0] ?? 0, feedWire(subject, cuts));
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
    else merged.push({ ...first, bytes: Buffer.concat(run.map((event) => ('bytes' in event ? event.bytes : NONE))) });
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

function continues(first: StreamEvent, next: StreamEvent): boolean {
  if (first.type === 'text') return next.type === 'text';
  if (first.type !== 'tool-delta' || next.type !== 'tool-delta') return false;
  return next.call === first.call && next.id === undefined && next.name === undefined;
}

/** Lists of cut points (ends of pieces): whole, byte by byte, and every split in two or seeded partitions. */
function* cutLists(size: number, seed: string): Generator<readonly number[]> {
  yield [size];
  yield EVERY_BYTE;
  if (size <= EVERY_SPLIT_UP_TO) {
    for (let cut = 1; cut < size; cut++) yield [cut, size];
    return;
  }
  const draw = seededDraw(seed);
  const count = Math.max(2, Math.min(PARTITIONS, Math.floor(BYTE_BUDGET / size)));
  for (let i = 0; i < count; i++) yield partition(size, LARGEST_PIECES[i % LARGEST_PIECES.length] ?? 1, draw);
}

/** Stands for a cut at every byte, so that no list of that length is made. */
const EVERY_BYTE: readonly number[] = [];

function partition(size: number, largest: number, draw: Draw): readonly number[] {
  const cuts: number[] = [];
  for (let at = 1 + draw(largest); at < size; at += 1 + draw(largest)) cuts.push(at);
  cuts.push(size);
  return cuts;
}

function describeCuts(cuts: readonly number[]): string {
  if (cuts === EVERY_BYTE) return 'byte by byte';
  if (cuts.length === 1) return 'whole';
  return cuts.length === 2 ? `cut at byte ${cuts[0]}` : `in ${cuts.length} pieces ending at ${cuts.slice(0, 6).join(', ')}…`;
}

function feedContent(subject: SplitSubject, stream: DecodedStream, cuts: readonly number[]): string {
  const parser = subject.create(subject.options);
  let before = 0;
  let next = 0;
  for (const event of stream.events) {
    const length = contentLength(event);
    if (length === 0) parser.push(event);
    let from = 0;
    while (from < length) {
      while (next < cuts.length && (cuts[next] ?? 0) <= before + from) next++;
      const to = cuts === EVERY_BYTE ? from + 1 : Math.min(length, (cuts[next] ?? Number.POSITIVE_INFINITY) - before);
      parser.push(event, from, to);
      from = to;
    }
    before += length;
  }
  parser.end(stream.end);
  return finalState(parser);
}

function feedWire(subject: SplitSubject, cuts: readonly number[]): string {
  const parser = subject.create(subject.options);
  const { bytes, wire, eventLimit } = subject;
  const sink = (event: StreamEvent): void => parser.push(event);
  const reader = new StreamReader(wire, sink, eventLimit === undefined ? {} : { eventLimit });
  if (cuts === EVERY_BYTE) for (let i = 0; i < bytes.length; i++) reader.push(bytes, i, i + 1);
  let from = 0;
  for (const to of cuts) {
    reader.push(bytes, from, to);
    from = to;
  }
  parser.end(reader.end());
  return finalState(parser);
}

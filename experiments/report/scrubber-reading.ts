/** Looking things up at a position of a stream. Nothing here parses: all of it was noted at build time. */
import {
  BYTE_STATES,
  type ByteState,
  type Place,
  type Ramp,
  type ScrubberReading,
  type ScrubberRun,
  type Segment,
} from './scrubber-types.ts';

export interface UnderWay extends Place {
  /** Bytes of the argument (of all arguments, in JSON) that have arrived, where the parser counts them. */
  readonly arrived: number;
}

/** Bytes `[from, to)` that are in one state; null for those that have not arrived. */
export interface StateRange {
  readonly from: number;
  readonly to: number;
  readonly state: ByteState | null;
}

/** Pending bytes at a position. */
export function pendingAt(reading: ScrubberReading, position: number): number {
  const ramp = lastFrom(reading.pending, position);
  return ramp === undefined ? 0 : valueAt(ramp, position);
}

/** The most pending bytes at any position of a stream of `bytes` bytes. */
export function mostPending(reading: ScrubberReading, bytes: number): number {
  return reading.pending.reduce((most, ramp, i) => {
    const last = (reading.pending[i + 1]?.[0] ?? bytes + 2) - 1;
    return Math.max(most, valueAt(ramp, last));
  }, 0);
}

/** The call under way at a position, or null. */
export function underWayAt(reading: ScrubberReading, position: number): UnderWay | null {
  const run = lastFrom(reading.underWay, position);
  const place = run === undefined ? undefined : reading.places[run[1]];
  if (run === undefined || place === undefined) return null;
  return { ...place, arrived: run[2] + run[3] * (position - run[0]) };
}

/** The calls executable at a position, in the order in which they became so. */
export function runsAt(reading: ScrubberReading, position: number): readonly ScrubberRun[] {
  return reading.runs.filter(({ from }) => from <= position);
}

/** State of the bytes of a segment that have arrived at a position behind its first byte; `to`: where the segment ends. */
export function segmentState(segment: Segment, to: number, position: number): ByteState {
  let index = segment[1] ?? 0;
  if (position < to) return BYTE_STATES[index]!;
  for (let i = 2; i < segment.length && segment[i]! <= position; i += 2) index = segment[i + 1]!;
  return BYTE_STATES[index]!;
}

/** The states of all bytes of a stream at a position: neighbours differ, and there are no gaps. */
export function stateRanges(reading: ScrubberReading, bytes: number, position: number): StateRange[] {
  const arrived = Math.min(position, bytes);
  const ranges: { from: number; to: number; state: ByteState | null }[] = [];
  const add = (from: number, to: number, state: ByteState | null): void => {
    const last = ranges.at(-1);
    if (from >= to) return;
    if (last?.state === state) last.to = to;
    else ranges.push({ from, to, state });
  };
  for (const [i, segment] of reading.segments.entries()) {
    const from = segment[0] ?? 0;
    const to = reading.segments[i + 1]?.[0] ?? bytes;
    if (from < arrived) add(from, Math.min(to, arrived), segmentState(segment, to, position));
  }
  add(arrived, bytes, null);
  return ranges;
}

/** The same cut in a stream of another length: the same share of its bytes; the end of the stream is the end in all. */
export function linkedPosition(position: number, bytes: number, otherBytes: number): number {
  if (position > bytes) return otherBytes + 1;
  return bytes === 0 ? otherBytes : Math.round((position / bytes) * otherBytes);
}

/** Where something happens: a call becomes executable, an error is raised, the stream ends. */
export function eventPositions(reading: ScrubberReading, bytes: number): readonly number[] {
  const error = reading.error === null ? [] : [reading.error.from];
  const all = [...reading.runs.map(({ from }) => from), ...error, bytes + 1];
  return [...new Set(all)].sort((a, b) => a - b);
}

/** What the cut at a position does to the calls that are in it. */
export interface CutEffect {
  readonly ran: number;
  /** Complete by the oracle, and not executable. */
  readonly lost: number;
  /** Another call has begun, and is not complete. */
  readonly breaksOff: boolean;
}

export function cutEffect(reading: ScrubberReading, position: number): CutEffect {
  const ran = runsAt(reading, position).length;
  const lost = Math.max(0, reading.complete.filter((from) => from <= position).length - ran);
  const isOver = reading.error !== null && reading.error.from <= position;
  return { ran, lost, breaksOff: !isOver && lost === 0 && underWayAt(reading, position) !== null };
}

function valueAt([from, value, slope]: Ramp, position: number): number {
  return value + slope * (position - from);
}

/** The last run that begins at or before a position. */
function lastFrom<Run extends readonly number[]>(runs: readonly Run[], position: number): Run | undefined {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]![0]! <= position) low = middle + 1;
    else high = middle;
  }
  return runs[low - 1];
}

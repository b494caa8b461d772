/** When the bytes of an answer go out: as they were recorded, at a seeded pace, or at once. */
import { pacedArrivals, seededPace } from '../replay/pace.ts';
import type { Recording } from '../replay/recording.ts';
import type { Arrival } from '../replay/times.ts';
import { readStream } from '../stream/reader.ts';

export interface Timing {
  /** 1 as recorded, N times faster, 0 without any waiting. */
  readonly speed: number;
  /**
   * Of the pace of recordings without arrival times. The default of the experiments gives the times of experiment E.
   */
  readonly seed: number;
}

/** Bytes `[from, to)` of an answer, not before `ms` after the request. */
export interface TimedPiece {
  readonly ms: number;
  readonly from: number;
  readonly to: number;
}

/** What the times of an answer depend on. */
export type TimedSource = Pick<Recording, 'suite' | 'file' | 'task' | 'wire' | 'limits' | 'arrivals'>;

/**
 * The pieces of a recording, in order and without a gap. Throws `RecordingError` for arrival times that are refused.
 */
export async function timedPieces(
  source: TimedSource,
  bytes: Uint8Array,
  { speed, seed }: Timing,
): Promise<readonly TimedPiece[]> {
  if (speed === 0) return piecesOf([{ ms: 0, bytes: bytes.length }], 1);
  const recorded = (await source.arrivals?.()) ?? null;
  return piecesOf(recorded ?? pace(source, bytes, seed), speed);
}

/** One piece, when the last byte of these has come: a message that is not streamed. */
export function onePiece(pieces: readonly TimedPiece[], size: number): readonly TimedPiece[] {
  return [{ ms: pieces.at(-1)?.ms ?? 0, from: 0, to: size }];
}

function piecesOf(arrivals: readonly Arrival[], speed: number): readonly TimedPiece[] {
  let from = 0;
  return arrivals.map(({ ms, bytes }) => {
    const piece = { ms: ms / speed, from, to: bytes };
    from = bytes;
    return piece;
  });
}

function pace({ task, wire, limits }: TimedSource, bytes: Uint8Array, seed: number): readonly Arrival[] {
  const { eventLimit } = limits ?? {};
  const { events } = readStream(bytes, wire, eventLimit === undefined ? {} : { eventLimit });
  // One pace a task: its framings differ by their tokens alone.
  return pacedArrivals({ events, size: bytes.length }, seededPace(`${seed}/${task}`), `${seed}/${task}`);
}

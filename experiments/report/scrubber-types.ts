/**
 * What the byte scrubber shows, as plain data: made at build time by replaying the recordings through the parsers
 * (`scrubber-data.ts`), looked up in the page (`scrubber-reading.ts`).
 *
 * A **position** is a place of the cursor: `n` from 0 to the content length N is the prefix of n bytes, with the events
 * without bytes that follow it; N + 1 is the end of the stream, one more step.
 */

/** What a byte is at a position; in the data a state is its index here. */
export const BYTE_STATES = ['text', 'confirmed', 'pending', 'executable', 'discarded'] as const;
export type ByteState = (typeof BYTE_STATES)[number];

export interface ScrubberData {
  readonly tasks: readonly { readonly id: string; readonly title: string }[];
  readonly sources: readonly ScrubberSource[];
  /** Characters that are not drawn as themselves, and what is drawn for them. */
  readonly glyphs: { readonly [character: string]: string };
}

export interface ScrubberSource {
  readonly suite: string;
  /** In order of task and framing. */
  readonly streams: readonly ScrubberStream[];
}

/** One recording. Its text is valid UTF-8. */
export interface ScrubberStream {
  readonly task: string;
  /** File name within the suite. */
  readonly file: string;
  readonly text: string;
  /** Content length N in bytes. */
  readonly bytes: number;
  readonly end: 'complete' | 'cut';
  /** In order of arrival. */
  readonly marks: readonly StreamMark[];
  /** One a protocol that reads the framing. */
  readonly readings: readonly ScrubberReading[];
}

/** What a stream says beside its bytes. */
export interface StreamMark {
  /** Content offset that it stands before. */
  readonly offset: number;
  /** Position from which it has come: behind `offset` where it came together with a byte. */
  readonly from: number;
  readonly label: string;
}

export interface ScrubberReading {
  readonly protocol: string;
  /** In order, without gaps; a segment ends where the next begins. */
  readonly segments: readonly Segment[];
  /** Pending bytes by position. */
  readonly pending: readonly Ramp[];
  /** The call under way by position; `place` is an index of `places`, -1 for none. */
  readonly underWay: readonly (readonly [from: number, place: number, arrived: number, slope: number])[];
  readonly places: readonly Place[];
  /** In the order in which they became executable. */
  readonly runs: readonly ScrubberRun[];
  /** Position from which each call of the oracle is complete, in order of the message. */
  readonly complete: readonly number[];
  readonly error: ScrubberError | null;
}

/**
 * Bytes that share their states: first offset, the state on arrival, then (position, state) for each change. Within a
 * segment that has arrived in part, all that has come has the state on arrival.
 */
export type Segment = readonly number[];

/** From position `from` on the value is `value + slope * (position - from)`; slope is 0 or 1. */
export type Ramp = readonly [from: number, value: number, slope: number];

/** A call under way, and the argument that it has got to. */
export interface Place {
  readonly id?: string;
  readonly name?: string;
  readonly key?: string;
  /** Bytes. */
  readonly declared?: number;
  /** Whether the parser counts what has arrived here. */
  readonly counts: boolean;
}

export interface ScrubberRun {
  /** Position from which it is executable; N + 1 where the end of the stream makes it so. */
  readonly from: number;
  readonly id: string;
  readonly name: string;
  /** Size in bytes (text protocols: of the value; JSON: of its source), and its beginning, quoted. */
  readonly args: readonly { readonly key: string; readonly bytes: number; readonly preview: string }[];
}

export interface ScrubberError {
  /** Position from which it has been raised. */
  readonly from: number;
  readonly kind: string;
  /** Content offset in bytes of what is wrong, and its line. */
  readonly offset: number;
  readonly line: number;
  readonly message: string;
}

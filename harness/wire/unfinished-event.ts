/**
 * What the decoder holds: payload and name of the one unfinished event, never more than a limit.
 * Memory is bounded by it (streams.md "SSE": memory is the unfinished event, never the stream).
 */
import { ByteBuffer } from './byte-buffer.ts';
import type { Runway } from './runway.ts';

/** One dispatched event. The object and its bytes are reused: they are valid only during the call of the sink. */
export interface SseEvent {
  /** The payload (several `data` lines joined with LF) stands at `[start, end)`. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Value of the last `event` field, or ''. */
  readonly name: string;
  /** 0-based wire offset of the byte that completed the event: the first line-end byte of its blank line. */
  readonly at: number;
}

const LF = 10;
const CR = 13;
const LINE_ENDS = { stop: LF, otherStop: CR };
/** Bytes of room, at least, that a value under way is given. */
const RESERVE = 256;
/** First size of the payload's buffer in bytes: the usual event fits. */
const USUAL = 2048;

export class UnfinishedEvent {
  readonly limit: number;
  /** Bytes that may still be taken. */
  room: number;
  readonly #data = new ByteBuffer(USUAL);
  readonly #name = new ByteBuffer();
  /** Where the value of the field under way goes. */
  value: ByteBuffer = this.#data;
  #hasData = false;
  /** The payload, while it is one run of the piece being read and need not be copied. */
  #run: Buffer | null = null;
  #runStart = 0;
  #runEnd = 0;
  readonly #dispatched: { -readonly [K in keyof SseEvent]: SseEvent[K] };

  constructor(limit: number) {
    this.limit = limit;
    this.room = limit;
    this.#dispatched = { bytes: this.#data.bytes, start: 0, end: 0, name: '', at: 0 };
  }

  /** A `data` line begins: false if there is no room for the LF that joins it to the one before. */
  beginData(): boolean {
    this.value = this.#data;
    if (this.#hasData && !this.takeByte(LF)) return false;
    this.#hasData = true;
    return true;
  }

  /** An `event` line begins: it replaces the one before. */
  beginName(): void {
    this.room += this.#name.length;
    this.#name.clear();
    this.value = this.#name;
  }

  /** Opens the short path of a value that comes in tiny pieces. */
  openRunway(runway: Runway): void {
    const { value } = this;
    value.reserve(Math.min(this.room, RESERVE));
    runway.open(value.bytes, value.length, Math.min(this.room, value.bytes.length - value.length), LINE_ENDS);
  }

  /** Counts what the runway has taken. */
  settle(taken: number): void {
    this.value.length += taken;
    this.room -= taken;
  }

  /** False if there is no room. */
  takeByte(byte: number): boolean {
    if (this.room === 0) return false;
    if (this.value === this.#data) this.keepRun();
    this.value.appendByte(byte);
    this.room--;
    return true;
  }

  /**
   * Takes `piece[from, end)`, for which there is room, if it can without copying: see {@link keepRun}.
   * A line is one run, and the LF that joins two lines keeps the first: there is never more than one.
   */
  takeRun(piece: Buffer, from: number, end: number): void {
    this.room -= end - from;
    if (this.value !== this.#data) {
      this.value.append(piece, from, end);
    } else if (this.#data.length === 0) {
      this.#run = piece;
      this.#runStart = from;
      this.#runEnd = end;
    } else {
      this.#data.append(piece, from, end);
    }
  }

  /** Copies a run that was taken without copying: its piece ends, or another line joins it. */
  keepRun(): void {
    if (this.#run === null) return;
    this.#data.append(this.#run, this.#runStart, this.#runEnd);
    this.#run = null;
  }

  /** The event as dispatched, or null: without a `data` field it is none. */
  dispatched(at: number): SseEvent | null {
    if (!this.#hasData) return null;
    const event = this.#dispatched;
    event.bytes = this.#run ?? this.#data.bytes;
    event.start = this.#run === null ? 0 : this.#runStart;
    event.end = this.#run === null ? this.#data.length : this.#runEnd;
    event.name = this.#name.length === 0 ? '' : this.#name.bytes.toString('utf8', 0, this.#name.length);
    event.at = at;
    return event;
  }

  forget(): void {
    this.#data.clear();
    this.#name.clear();
    this.#run = null;
    this.#hasData = false;
    this.room = this.limit;
  }
}

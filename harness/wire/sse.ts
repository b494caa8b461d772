/**
 * Server-sent events, read byte by byte (WHATWG HTML "Parsing an event stream"; spec: streams.md "SSE").
 *
 * Safe at every split: whatever the pieces, the same events come at the same wire offsets. Nothing is dispatched at the
 * end of the stream. What is held is the payload and the name of the unfinished event; comments and fields that nobody
 * reads (`id`, `retry`, unknown ones) are passed over unbuffered, however long.
 */
import { Runway } from './runway.ts';
import { type SseEvent, UnfinishedEvent } from './unfinished-event.ts';

/** Most bytes of one unfinished event, unless asked otherwise (streams.md: 16 MiB). */
export const DEFAULT_EVENT_LIMIT = 16 * 1024 * 1024;

export interface SseSink {
  event(event: SseEvent): void;
  /** The unfinished event outgrew the limit with the wire byte `at`. The decoder has stopped. */
  tooLong(at: number): void;
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const BOM = [0xef, 0xbb, 0xbf] as const;

/** The fields that are read. Their first bytes differ: the first byte of a line decides which one it may be. */
const DATA = Buffer.from('data');
const EVENT = Buffer.from('event');

/** Where the next byte stands. */
const STREAM_START = 0; //  ^ BOM, or the first byte of a line
const BOM_SECOND = 1; //    EF ^ BF
const BOM_THIRD = 2; //     EF BB ^
const LINE_START = 3; //    ^ field
const FIELD = 4; //         da ^ ta:
const AFTER_COLON = 5; //   data: ^ one blank is dropped here
const VALUE = 6; //         data: pay ^ load
const PASS_OVER = 7; //     : comment ^
const STOPPED = 8; //       too long, or the sink has had enough

/** Pieces up to this size (bytes) are copied in a plain loop: for them a view and two searches cost more. */
const SHORT = 96;

export class SseDecoder {
  readonly #sink: SseSink;
  readonly #event: UnfinishedEvent;
  readonly #runway = new Runway();
  #state = STREAM_START;
  /** The field under way, and how much of its name was seen. */
  #field = DATA;
  #matched = 0;
  /** The last byte was a CR that ended a line: a LF now belongs to it. */
  #afterCr = false;
  #position = 0;
  /** Wire offset minus index, in the piece being read. */
  #base = 0;
  #unread = 0;
  /** Most bytes held of the events before the unfinished one. */
  #heldMost = 0;

  /** @param limit most bytes of payload and name of one unfinished event. */
  constructor(sink: SseSink, limit: number = DEFAULT_EVENT_LIMIT) {
    this.#sink = sink;
    this.#event = new UnfinishedEvent(limit);
  }

  /** Bytes held of the unfinished event. */
  get held(): number {
    return this.#event.limit - this.#event.room + this.#runway.taken;
  }

  /** Most bytes held at any time so far. */
  get heldMost(): number {
    return Math.max(this.#heldMost, this.held);
  }

  /** Wire bytes pushed so far; within a call of the sink, those before the piece being read. */
  get position(): number {
    return this.#position + this.#runway.taken;
  }

  /** Wire bytes that came after the decoder had stopped. The LF of a CR LF that completed the last event is none. */
  get unread(): number {
    return this.#unread;
  }

  /** Reads nothing any more and frees what is held. Allowed within a call of the sink. */
  stop(): void {
    this.#settle();
    this.#heldMost = this.heldMost;
    this.#state = STOPPED;
    this.#event.forget();
  }

  /** Reads `bytes[from, to)`, which are not kept. */
  push(bytes: Uint8Array, from = 0, to: number = bytes.length): void {
    const runway = this.#runway;
    let next = from;
    if (runway.at < runway.end) {
      if (to - from === 1) {
        const byte = bytes[from]!;
        if (!runway.isStop(byte)) {
          runway.put(byte);
          return;
        }
      } else {
        next = runway.take(bytes, from, to);
      }
    }
    if (next < to) this.#read(bytes, next, to);
  }

  /** Every piece that the runway leaves. */
  #read(bytes: Uint8Array, from: number, to: number): void {
    this.#settle();
    const size = to - from;
    if (size <= SHORT) this.#pushShort(bytes, from, to);
    else this.#pushLong(Buffer.from(bytes.buffer, bytes.byteOffset + from, size));
    if (this.#state === VALUE) this.#event.openRunway(this.#runway);
  }

  #settle(): void {
    const taken = this.#runway.settle();
    this.#event.settle(taken);
    this.#position += taken;
  }

  #pushShort(bytes: Uint8Array, from: number, to: number): void {
    this.#base = this.#position - from;
    let i = from;
    while (i < to && this.#state !== STOPPED) {
      if (this.#state === VALUE && !isLineEnd(bytes[i]!)) i = this.#copyRun(bytes, i, to);
      else if (this.#state === PASS_OVER && !isLineEnd(bytes[i]!)) i++;
      else this.#step(bytes[i]!, this.#base + i++);
    }
    this.#finishPiece(to - from, to - i, bytes[i]);
  }

  #pushLong(piece: Buffer): void {
    this.#base = this.#position;
    const size = piece.length;
    let i = 0;
    // The next LF and CR at or after i, searched again only when passed: every byte is searched once for each.
    let lf = -1;
    let cr = -1;
    while (i < size && this.#state !== STOPPED) {
      if (this.#state === AFTER_COLON) {
        this.#state = VALUE;
        if (piece[i] === SPACE) i++;
        continue;
      }
      if (this.#state !== VALUE && this.#state !== PASS_OVER) {
        this.#step(piece[i]!, this.#base + i++);
        continue;
      }
      if (lf < i) lf = nextOrEnd(piece, LF, i);
      if (cr < i) cr = nextOrEnd(piece, CR, i);
      const end = Math.min(lf, cr);
      if (end === i) this.#step(piece[i]!, this.#base + i++);
      else i = this.#state === VALUE ? this.#takeRun(piece, i, end) : end;
    }
    this.#event.keepRun();
    this.#finishPiece(size, size - i, piece[i]);
  }

  #finishPiece(size: number, unread: number, firstUnread: number | undefined): void {
    this.#position += size;
    if (unread === 0) return;
    this.#unread += unread;
    if (this.#afterCr && firstUnread === LF) this.#unread--;
    this.#afterCr = false;
  }

  /** Copies bytes of a value up to a line end or `to`; returns the index of the next byte to read. */
  #copyRun(bytes: Uint8Array, from: number, to: number): number {
    const { value, room } = this.#event;
    const most = Math.min(to, from + room);
    value.reserve(most - from);
    const out = value.bytes;
    let length = value.length;
    let i = from;
    while (i < most) {
      const byte = bytes[i]!;
      if (byte === LF || byte === CR) break;
      out[length++] = byte;
      i++;
    }
    value.length = length;
    this.#event.room = room - (i - from);
    if (i === most && i < to && !isLineEnd(bytes[i]!)) this.#tooLong(this.#base + i++);
    return i;
  }

  /** Takes the run `[from, end)` of a value; returns the index of the next byte to read. */
  #takeRun(piece: Buffer, from: number, end: number): number {
    const most = from + this.#event.room;
    if (end <= most) {
      this.#event.takeRun(piece, from, end);
      return end;
    }
    this.#tooLong(this.#base + most);
    return most + 1;
  }

  #step(byte: number, at: number): void {
    switch (this.#state) {
      case STREAM_START:
        if (byte === BOM[0]) this.#state = BOM_SECOND;
        else this.#lineStart(byte, at);
        return;
      case BOM_SECOND:
        if (byte === BOM[1]) this.#state = BOM_THIRD;
        else this.#passOver(byte);
        return;
      case BOM_THIRD:
        if (byte === BOM[2]) this.#state = LINE_START;
        else this.#passOver(byte);
        return;
      case LINE_START:
        this.#lineStart(byte, at);
        return;
      case FIELD:
        this.#fieldName(byte, at);
        return;
      case AFTER_COLON:
        this.#state = VALUE;
        if (byte !== SPACE) this.#valueByte(byte, at);
        return;
      case VALUE:
        this.#valueByte(byte, at);
        return;
      default:
        this.#passOver(byte);
    }
  }

  #lineStart(byte: number, at: number): void {
    const belongsToCr = this.#afterCr && byte === LF;
    this.#afterCr = false;
    this.#state = LINE_START;
    if (belongsToCr) return;
    if (isLineEnd(byte)) {
      this.#afterCr = byte === CR;
      this.#dispatch(at);
    } else if (byte === DATA[0] || byte === EVENT[0]) {
      this.#field = byte === DATA[0] ? DATA : EVENT;
      this.#matched = 1;
      this.#state = FIELD;
    } else {
      this.#state = PASS_OVER;
    }
  }

  #fieldName(byte: number, at: number): void {
    const whole = this.#matched === this.#field.length;
    if (!whole && byte === this.#field[this.#matched]) {
      this.#matched++;
    } else if (!whole || (byte !== COLON && !isLineEnd(byte))) {
      this.#passOver(byte);
    } else if (!this.#beginValue()) {
      this.#tooLong(at);
    } else if (byte === COLON) {
      this.#state = AFTER_COLON;
    } else {
      this.#passOver(byte);
    }
  }

  #beginValue(): boolean {
    if (this.#field === DATA) return this.#event.beginData();
    this.#event.beginName();
    return true;
  }

  #valueByte(byte: number, at: number): void {
    if (isLineEnd(byte)) this.#passOver(byte);
    else if (!this.#event.takeByte(byte)) this.#tooLong(at);
  }

  /** The rest of the line is of no interest: only its end counts. */
  #passOver(byte: number): void {
    this.#state = isLineEnd(byte) ? LINE_START : PASS_OVER;
    this.#afterCr = byte === CR;
  }

  /** A blank line. */
  #dispatch(at: number): void {
    this.#heldMost = this.heldMost;
    const event = this.#event.dispatched(at);
    if (event !== null) this.#sink.event(event);
    this.#event.forget();
  }

  #tooLong(at: number): void {
    this.stop();
    this.#sink.tooLong(at);
  }
}

function isLineEnd(byte: number): boolean {
  return byte === LF || byte === CR;
}

/** Index of the next such byte at or after `from`, or the size of the piece. */
function nextOrEnd(piece: Buffer, byte: number, from: number): number {
  const found = piece.indexOf(byte, from);
  return found === -1 ? piece.length : found;
}

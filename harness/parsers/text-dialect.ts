/**
 * What the parsers of text dialects share: a model's own tool-call form, told from the text by markers.
 *
 * How to write one: `class XParser extends TextDialect`, with one `stage` for each state of its grammar: the markers that
 * end it, what becomes of the bytes between them, and what happens when a marker is whole. `start` is the stage of the
 * text outside calls. `open` begins a frame (from there on everything is pending), `run` makes a call executable and
 * settles the frame, `fail` leaves the language: the calls before stand, nothing more is read. A stage that may not be the
 * last one of a message names what is missing (`until`); at a complete end it is a `call_eof`, in a cut it is nothing.
 *
 * A leading think block is skipped (leading-think.ts), tool deltas are counted and not read, a failure of the stream
 * ends the reading. Offsets are content bytes.
 */
import { contentLength, type StreamEnd, type StreamEvent } from '../stream/event.ts';
import type { ByteBuffer } from '../wire/byte-buffer.ts';
import { countLineFeeds, isBlank } from './bytes.ts';
import type { ContractError, Evidence } from './contract-error.ts';
import { LeadingThink } from './leading-think.ts';
import { MarkerScan, type Release } from './marker-scan.ts';
import type { CallArguments, ParserOptions, ToolCall, ToolCallParser, UnfinishedCall } from './parser.ts';

/** A state of the grammar. */
export interface Stage {
  readonly scan: MarkerScan<string>;
  /** The marker is whole; `at` is the content offset of its last byte, `markerStart` that of its first. */
  readonly found: (marker: string, at: number) => void;
  /** What the message still owes here, or null if it may end. */
  readonly until: string | null;
}

interface StageParts<Name extends string> {
  readonly markers: Readonly<Record<Name, string>>;
  /** Takes the bytes that are in no marker. */
  readonly release: Release;
  readonly found: (marker: Name, at: number) => void;
  readonly until?: string;
}

/** Where an error lies, if not at the marker that was found last. */
interface ErrorPlace {
  readonly offset?: number;
  /** From 1. */
  readonly line?: number;
  readonly key?: string;
}

export abstract class TextDialect implements ToolCallParser {
  readonly calls: ToolCall[] = [];
  error: ContractError | null = null;
  protected readonly options: ParserOptions;
  /** LF bytes of the message text before those that a `release` is given, or before the marker that was found. */
  protected lineFeeds = 0;
  /** Content offset of the first byte of the marker that was found last. */
  protected markerStart = 0;
  /** Calls opened so far. */
  protected opened = 0;

  #stage: Stage | null = null;
  #received = 0;
  #ended = false;
  /** Content offset from which on nothing is confirmed; null outside frames. */
  #frame: number | null = null;
  /** The call under way when the contract was left. */
  #brokenOff: UnfinishedCall | null = null;
  readonly #think: LeadingThink;

  /** @param endsThinking a marker that ends a leading think block without `</think>`, if the dialect has one */
  constructor(options: ParserOptions, endsThinking?: string) {
    this.options = options;
    const grammar = {
      text: (bytes: Uint8Array, from: number, to: number, offset: number) => this.#feed(bytes, from, to, offset),
      startLine: (lineFeeds: number) => {
        this.lineFeeds += lineFeeds;
      },
    };
    this.#think = new LeadingThink(grammar, endsThinking);
  }

  /** The text outside calls. */
  protected abstract readonly start: Stage;
  /** What is known of the call of the open frame; null where a frame is open and no call is. */
  protected abstract underWay(): UnfinishedCall | null;

  get pending(): number {
    if (this.error !== null) return 0;
    return this.#frame === null ? this.#think.held + this.#current.scan.held : this.#received - this.#frame;
  }

  get unfinished(): UnfinishedCall | null {
    if (this.error !== null) return this.#brokenOff;
    return this.#frame === null ? null : this.underWay();
  }

  push(event: StreamEvent, from = 0, to = contentLength(event)): void {
    if (this.#ended || this.error !== null) return;
    if (event.type === 'text') {
      const offset = this.#received;
      this.#received = offset + (to - from);
      if (this.#think.over) this.#feed(event.bytes, from, to, offset);
      else this.#think.text(event.bytes, from, to, offset);
    } else if (event.type === 'tool-delta') {
      this.#received += to - from;
    } else if (event.type === 'failure') {
      this.#setError({ kind: event.kind, detail: event.detail }, { offset: this.#received, line: 1 });
    }
  }

  end(how: StreamEnd): void {
    if (this.#ended) return;
    if (how === 'complete' && this.error === null) {
      this.#think.release();
      this.#endOfMessage();
    }
    this.#ended = true;
  }

  /** A state of the grammar; made once, as a field. */
  protected stage<Name extends string>({ markers, release, found, until }: StageParts<Name>): Stage {
    const scan = new MarkerScan(markers, (bytes, from, to, offset) => {
      if (this.error !== null) return;
      release(bytes, from, to, offset);
      this.lineFeeds += countLineFeeds(bytes, from, to);
    });
    return { scan, found: (marker, at) => found(marker as Name, at), until: until ?? null };
  }

  /** Goes on in another stage. */
  protected enter(stage: Stage): void {
    this.#stage = stage;
  }

  /** From the marker that was found on, nothing is confirmed. */
  protected open(): void {
    this.#frame ??= this.markerStart;
  }

  /** A further call opens; false if it is one too many: then the contract has been left. */
  protected openCall(): boolean {
    const limit = this.options.callsPerMessage;
    if (this.opened === limit) {
      this.fail({ kind: 'limit', what: 'calls', limit });
      return false;
    }
    this.opened++;
    return true;
  }

  /** The call opened last is executable with the byte at content offset `at`. */
  protected run(call: { readonly id?: string; readonly name: string; readonly args: CallArguments }, at: number): void {
    const ordinal = this.opened - 1;
    const made: ToolCall = { ordinal, id: call.id ?? `call_${ordinal}`, name: call.name, args: call.args, end: at };
    this.calls.push(made);
    this.options.onConfirmed?.({ type: 'executable', call: made });
    this.confirm(at);
  }

  /** Everything up to content offset `at` is confirmed; further bytes of the frame are not. */
  protected confirm(at: number): void {
    this.#frame = at + 1;
  }

  /** The frame is over: what follows is text. */
  protected close(): void {
    this.#frame = null;
  }

  /** Text outside calls. */
  protected readonly asText: Release = (bytes, from, to) => {
    if (to > from) this.options.onConfirmed?.({ type: 'text', bytes: bytes.subarray(from, to) });
  };

  /** Bytes of a value or a body. */
  protected into(buffer: ByteBuffer): Release {
    return (bytes, from, to) => buffer.append(bytes, from, to);
  }

  /** Between markers: SP, TAB, CR and LF, and nothing else. */
  protected readonly onlyBlanks: Release = (bytes, from, to, offset) => {
    for (let i = from; i < to; i++) {
      if (isBlank(bytes[i]!)) continue;
      const line = 1 + this.lineFeeds + countLineFeeds(bytes, from, i);
      return this.fail(
        { kind: 'xml_unexpected_text', text: shownByte(bytes[i]!) },
        { offset: offset + (i - from), line },
      );
    }
  };

  /** Leaves the language, at the marker that was found last unless another place is given. */
  protected fail(evidence: Evidence, { offset, line, key }: ErrorPlace = {}): void {
    this.#setError(evidence, {
      offset: offset ?? this.markerStart,
      line: line ?? 1 + this.lineFeeds,
      ...(key === undefined ? {} : { key }),
    });
  }

  get #current(): Stage {
    return this.#stage ?? this.start;
  }

  #feed(bytes: Uint8Array, from: number, to: number, offset: number): void {
    const base = offset - from;
    let i = from;
    while (i < to && this.error === null) {
      const { scan, found } = this.#current;
      i = scan.scan(bytes, i, to, base + i);
      if (scan.found === null || this.error !== null) continue;
      this.markerStart = scan.start;
      found(scan.found, base + i - 1);
    }
  }

  #endOfMessage(): void {
    const { scan, until } = this.#current;
    if (until === null) return scan.flush();
    const line = 1 + this.lineFeeds + scan.heldLineFeeds;
    this.fail({ kind: 'call_eof', closer: until }, { offset: this.#received, line });
  }

  #setError(evidence: Evidence, place: { offset: number; line: number; key?: string }): void {
    const unfinished = this.unfinished;
    const call = unfinished === null || this.opened === 0 ? {} : { call: unfinished.id ?? `call_${this.opened - 1}` };
    this.#brokenOff = unfinished;
    this.error = { ...evidence, ...place, ...call };
  }
}

/** An ASCII byte as a character, another one as its number: it is only a part of one. */
function shownByte(byte: number): string {
  return byte < 0x80 ? String.fromCharCode(byte) : `<byte ${byte.toString(16)}>`;
}

/** Wire bytes → stream events, live: the harness and the agent read through the same class. */
import { payloadText } from '../wire/payload-text.ts';
import { DEFAULT_EVENT_LIMIT, SseDecoder } from '../wire/sse.ts';
import type { SseEvent } from '../wire/unfinished-event.ts';
import type { StreamEnd, StreamEvent } from './event.ts';
import { EventOutlet } from './event-outlet.ts';
import type { StreamNotes } from './notes.ts';
import type { WireFormat } from './wire-format.ts';
import type { WireReader } from './wire-reader.ts';
import { createWireReader, END_RULES } from './wire-readers.ts';

export interface StreamReaderOptions {
  /** Most bytes of one unfinished SSE event; more is `event_too_long`. */
  readonly eventLimit?: number;
}

export class StreamReader {
  readonly #eventLimit: number;
  readonly #outlet: EventOutlet;
  readonly #wire: WireReader;
  readonly #decoder: SseDecoder;
  #ended = false;

  /** @param sink gets every stream event as soon as the byte `at` has been pushed. */
  constructor(wire: WireFormat, sink: (event: StreamEvent) => void, options: StreamReaderOptions = {}) {
    this.#eventLimit = options.eventLimit ?? DEFAULT_EVENT_LIMIT;
    this.#outlet = new EventOutlet(sink, END_RULES[wire]);
    this.#wire = createWireReader(wire, this.#outlet);
    this.#decoder = new SseDecoder(
      { event: (event) => this.#event(event), tooLong: (at) => this.#tooLong(at) },
      this.#eventLimit,
    );
  }

  /** Bytes held of the unfinished SSE event. */
  get held(): number {
    return this.#decoder.held;
  }

  /** Most bytes held of an unfinished SSE event at any time so far. */
  get heldMost(): number {
    return this.#decoder.heldMost;
  }

  get notes(): StreamNotes {
    return { ...this.#wire.notes, unreadBytes: this.#decoder.unread };
  }

  /** Reads `bytes[from, to)`, which are not kept. After `end` it does nothing. */
  push(bytes: Uint8Array, from = 0, to: number = bytes.length): void {
    if (!this.#ended) this.#decoder.push(bytes, from, to);
  }

  /**
   * The transport has closed: an unfinished SSE event is discarded. Events that only this decides come before it
   * returns; their `at` is the number of bytes pushed, so that no wire prefix contains them.
   */
  end(): StreamEnd {
    if (!this.#ended && !this.#outlet.closed) this.#wire.end(this.#decoder.position);
    this.#ended = true;
    return this.#outlet.end;
  }

  #event(event: SseEvent): void {
    const payload = payloadText(event);
    if (payload === null) this.#outlet.fail('sse_bad_json', 'a data payload is no UTF-8', event.at);
    else this.#wire.event(payload, event.name, event.at);
    if (this.#outlet.closed) this.#decoder.stop();
  }

  #tooLong(at: number): void {
    this.#outlet.fail('event_too_long', `an SSE event is longer than ${this.#eventLimit} bytes`, at);
  }
}

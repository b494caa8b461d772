/**
 * Where a reader of any wire format puts its stream events, and where the rules of the end stand once
 * (streams.md "End"): nothing follows `[DONE]` or a failure, and whatever means cut wins over whatever means complete.
 */
import type { FailureKind, StreamEnd, StreamEvent } from './event.ts';

/** Finish reasons after which a message is whole. Any other reason, known or not, is a cut. */
const COMPLETE_REASONS: ReadonlySet<string> = new Set([
  'stop',
  'tool_calls',
  'function_call',
  'tool_use',
  'end_turn',
  'stop_sequence',
  'eos',
]);

export class EventOutlet {
  readonly #sink: (event: StreamEvent) => void;
  #closed: 'done' | 'failed' | null = null;
  #cutSeen = false;
  #completeSeen = false;

  constructor(sink: (event: StreamEvent) => void) {
    this.#sink = sink;
  }

  /** `[DONE]` or a failure has come: nothing is emitted any more. */
  get closed(): boolean {
    return this.#closed !== null;
  }

  /** How the stream ends if nothing more comes. */
  get end(): StreamEnd {
    if (this.#cutSeen) return 'cut';
    return this.#closed === 'done' || this.#completeSeen ? 'complete' : 'cut';
  }

  /** How the stream ends if `[DONE]` comes now. */
  get endAtDone(): StreamEnd {
    return this.#cutSeen ? 'cut' : 'complete';
  }

  emit(event: StreamEvent): void {
    if (this.#closed === null) this.#sink(event);
  }

  /** A finish reason is recorded; it is not the end. */
  finish(reason: string, at: number): void {
    const meaning = COMPLETE_REASONS.has(reason) ? 'complete' : 'cut';
    if (this.#closed !== null) return;
    if (meaning === 'cut') this.#cutSeen = true;
    else this.#completeSeen = true;
    this.#sink({ type: 'finish', at, reason, meaning });
  }

  done(at: number): void {
    this.emit({ type: 'done', at });
    this.#closed ??= 'done';
  }

  /** The first failure is the last event. */
  fail(kind: FailureKind, detail: string, at: number): void {
    this.emit({ type: 'failure', at, kind, detail });
    if (this.#closed !== null) return;
    this.#closed = 'failed';
    this.#cutSeen = true;
  }
}

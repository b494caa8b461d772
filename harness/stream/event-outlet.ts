/**
 * Where a reader of any wire format puts its stream events, and where the rules of the end stand once
 * (streams.md "End"): nothing follows `done` or a failure, and whatever means cut wins over whatever means complete.
 */
import type { EndRule } from './end-rule.ts';
import type { FailureKind, StreamEnd, StreamEvent } from './event.ts';

export class EventOutlet {
  readonly #sink: (event: StreamEvent) => void;
  readonly #rule: EndRule;
  #closed: 'done' | 'failed' | null = null;
  #cutSeen = false;
  #completeSeen = false;

  constructor(sink: (event: StreamEvent) => void, rule: EndRule) {
    this.#sink = sink;
    this.#rule = rule;
  }

  /** `done` or a failure has come: nothing is emitted any more. */
  get closed(): boolean {
    return this.#closed !== null;
  }

  /** How the stream ends if nothing more comes. */
  get end(): StreamEnd {
    return this.#endIf(this.#closed === 'done');
  }

  /** How the stream ends if `done` comes now. */
  get endAtDone(): StreamEnd {
    return this.#endIf(true);
  }

  emit(event: StreamEvent): void {
    if (this.#closed === null) this.#sink(event);
  }

  meaningOf(reason: string): StreamEnd {
    return this.#rule.completeReasons.has(reason) ? 'complete' : 'cut';
  }

  /** A finish reason is recorded; it is not the end. */
  finish(reason: string, at: number): void {
    const meaning = this.meaningOf(reason);
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

  #endIf(done: boolean): StreamEnd {
    const { completeBy } = this.#rule;
    if (this.#cutSeen) return 'cut';
    const enough = completeBy === 'either' ? done || this.#completeSeen : this.#completeSeen;
    return enough && (completeBy !== 'both' || done) ? 'complete' : 'cut';
  }
}

/** Text and reasoning of formats that send them in parts (content blocks, content parts). */
import type { EventOutlet } from './event-outlet.ts';
import { wrongType } from './reported.ts';
import { DeltaEncoder } from './surrogates.ts';

/** One part of the message text. Half a character finds its other half in the same part, or nowhere. */
export class TextPart {
  readonly #outlet: EventOutlet;
  readonly #encoder = new DeltaEncoder();

  constructor(outlet: EventOutlet) {
    this.#outlet = outlet;
  }

  /** Emits a delta; what is no string fails the stream (`field` names it), and so does half a character without the other. */
  add(value: unknown, field: string, at: number): value is string {
    if (typeof value !== 'string') {
      this.#outlet.fail('bad_delta', wrongType(field), at);
      return false;
    }
    const bytes = this.#encoder.encode(value);
    if (bytes === null) this.#outlet.fail('bad_delta', TEXT_SURROGATE, at);
    else if (bytes.length > 0) this.#outlet.emit({ type: 'text', at, bytes });
    return true;
  }

  /** The part is whole. */
  close(at: number): void {
    if (this.#encoder.holds) this.#outlet.fail('bad_delta', TEXT_SURROGATE, at);
  }
}

/** All reasoning of a message: no content, so a broken piece of it is left out and counted, and the stream goes on. */
export class Reasoning {
  readonly #outlet: EventOutlet;
  readonly #encoder = new DeltaEncoder();
  /** Deltas left out. */
  broken = 0;

  constructor(outlet: EventOutlet) {
    this.#outlet = outlet;
  }

  add(value: unknown, field: string, at: number): void {
    if (typeof value !== 'string') {
      this.#outlet.fail('bad_delta', wrongType(field), at);
      return;
    }
    const bytes = this.#encoder.encode(value);
    if (bytes === null) this.broken++;
    else if (bytes.length > 0) this.#outlet.emit({ type: 'reasoning', at, bytes });
  }
}

export const TEXT_SURROGATE = 'a surrogate in the text has no partner';

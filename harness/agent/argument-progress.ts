/** How far the calls under way have arrived, for a view: from what the parser confirms, or from the deltas of native calls. */
import type { Confirmation } from '../parsers/parser.ts';
import type { StreamEvent } from '../stream/event.ts';
import type { AnswerEvent } from './agent-event.ts';

export class ArgumentProgress {
  readonly #emit: (event: AnswerEvent) => void;
  /** Of the argument under way. */
  #bytes = 0;
  #declared: number | undefined;
  /** Argument bytes of each native call. */
  readonly #native: number[] = [];

  constructor(emit: (event: AnswerEvent) => void) {
    this.#emit = emit;
  }

  /** Of a call in text. */
  onConfirmed(confirmed: Exclude<Confirmation, { type: 'text' }>): void {
    switch (confirmed.type) {
      case 'call':
        this.#emit({ type: 'call-open', ordinal: confirmed.ordinal, id: confirmed.id, name: confirmed.name });
        break;
      case 'argument':
        this.#bytes = 0;
        this.#declared = confirmed.declared;
        break;
      case 'bytes': {
        this.#bytes += confirmed.bytes.length;
        const { ordinal, key } = confirmed;
        const declared = this.#declared === undefined ? {} : { declared: this.#declared };
        this.#emit({ type: 'argument', ordinal, key, bytes: this.#bytes, ...declared });
        break;
      }
      case 'executable':
        // The call is told of when it is run.
        break;
    }
  }

  /** Of a native answer. */
  onEvent(event: StreamEvent): void {
    if (event.type !== 'tool-delta') return;
    const { call: ordinal, name, bytes } = event;
    if (name !== undefined) {
      this.#emit({ type: 'call-open', ordinal, id: event.id ?? `call_${ordinal}`, name });
    }
    if (bytes.length === 0) return;
    const size = (this.#native[ordinal] ?? 0) + bytes.length;
    this.#native[ordinal] = size;
    this.#emit({ type: 'argument', ordinal, bytes: size });
  }
}

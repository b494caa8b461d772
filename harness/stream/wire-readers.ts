/** The reader of each wire format. */
import type { EventOutlet } from './event-outlet.ts';
import { OpenAiChatReader } from './openai-chat.ts';
import type { WireFormat } from './wire-format.ts';
import type { WireReader, WireReaderFactory } from './wire-reader.ts';

const READERS: { readonly [W in WireFormat]?: WireReaderFactory } = {
  'openai-chat': (outlet) => new OpenAiChatReader(outlet),
};

export interface UnsupportedWireFormat {
  readonly kind: 'unsupported_wire_format';
  readonly wire: WireFormat;
  readonly detail: string;
}

/** Why streams of this format cannot be read, or null if they can: asked before a stream is opened. */
export function unsupportedWireFormat(wire: WireFormat): UnsupportedWireFormat | null {
  if (READERS[wire] !== undefined) return null;
  return { kind: 'unsupported_wire_format', wire, detail: `the wire format ${wire} is not supported yet` };
}

/** The reader of a format; where there is none, one that fails the stream and names the format. */
export function createWireReader(wire: WireFormat, outlet: EventOutlet): WireReader {
  return READERS[wire]?.(outlet) ?? new UnsupportedReader(wire, outlet);
}

class UnsupportedReader implements WireReader {
  readonly notes = { otherChoices: 0, repeatedIds: 0, laterIds: 0, brokenReasoning: 0 };
  readonly #detail: string;
  readonly #outlet: EventOutlet;

  constructor(wire: WireFormat, outlet: EventOutlet) {
    this.#detail = `the wire format ${wire} is not supported yet`;
    this.#outlet = outlet;
  }

  event(_payload: string, _name: string, at: number): void {
    this.#outlet.fail('stream_error', this.#detail, at);
  }

  end(at: number): void {
    this.#outlet.fail('stream_error', this.#detail, at);
  }
}

/** The message texts of an OpenAI response: deltas, and the events that say them again as a whole. */
import type { EventOutlet } from './event-outlet.ts';
import { isFields } from './json-fields.ts';
import { SaidText } from './said-text.ts';
import { TextPart } from './text-parts.ts';

interface Part {
  readonly text: TextPart;
  readonly said: SaidText;
}

export class ResponseTexts {
  readonly #outlet: EventOutlet;
  readonly #parts = new Map<string, Part>();
  /** All parts, in order of arrival. */
  readonly #all = new SaidText();

  constructor(outlet: EventOutlet) {
    this.#outlet = outlet;
  }

  /** @param key names the part: its item and its place there */
  delta(key: string, value: unknown, at: number): void {
    const part = this.#parts.get(key) ?? { text: new TextPart(this.#outlet), said: new SaidText() };
    this.#parts.set(key, part);
    if (!part.text.add(value, 'delta', at)) return;
    part.said.add(value);
    this.#all.add(value);
  }

  /** The whole text of a part, after its deltas. Where none came, it is the text. */
  whole(key: string, value: unknown, at: number): void {
    const part = this.#parts.get(key);
    if (part === undefined || part.said.length === 0) this.delta(key, value, at);
    else if (typeof value !== 'string' || !part.said.is(value)) this.#outlet.fail('bad_delta', SAID_OTHERWISE, at);
    this.#parts.get(key)?.text.close(at);
  }

  /** The parts of a message, after their own ends. */
  message(key: string, content: unknown, at: number): void {
    for (const [place, text] of textsOf(content).entries()) {
      if (text !== null) this.whole(`${key} ${place}`, text, at);
    }
  }

  /** Servers list messages in another order than they sent them, or leave some out. */
  #isSaid(text: string): boolean {
    return [...this.#parts.values()].some(({ said }) => said.is(text));
  }

  /** The messages of the whole response: where none of their text came before, it is the text. */
  response(output: readonly unknown[], at: number): void {
    const texts = output.flatMap((item) =>
      isFields(item) && item['type'] === 'message' ? textsOf(item['content']) : [],
    );
    const whole = texts.filter((text) => text !== null);
    if (whole.length > 0 && this.#all.length === 0) this.delta('response', whole.join(''), at);
    else if (!this.#all.is(whole.join('')) && !whole.every((text) => this.#isSaid(text))) {
      this.#outlet.fail('bad_delta', SAID_OTHERWISE, at);
    }
    for (const { text } of this.#parts.values()) text.close(at);
  }
}

/** The text of each part, or null for a part that is none. */
function textsOf(content: unknown): (string | null)[] {
  if (!Array.isArray(content)) return [];
  return content.map((part: unknown) => {
    const text = isFields(part) ? (part['type'] === 'refusal' ? part['refusal'] : part['text']) : null;
    return typeof text === 'string' ? text : null;
  });
}

const SAID_OTHERWISE = 'the text of a message, said again as a whole, is not what its deltas gave';

// A parser of your own, judged as json-whole. This one runs a call as soon as its arguments parse, and is wrong.
import { checkRecording, type JsonObject, type StreamEvent, type ToolCall, type ToolCallParser } from 'cst-eval';

class FirstParse implements ToolCallParser {
  readonly calls: ToolCall[] = [];
  readonly error = null;
  readonly unfinished = null;
  pending = 0;
  #delivered = 0;
  readonly #open = new Map<number, { id: string; name: string; text: string }>();

  /** Takes an event, or of its bytes only those in `[from, to)`. */
  push(event: StreamEvent, from = 0, to?: number): void {
    if (event.type !== 'tool-delta') return;
    const { call: ordinal, id = `call_${ordinal}`, name = '' } = event;
    const bytes = event.bytes.subarray(from, to);
    this.#delivered += bytes.length;
    const call = this.#open.get(ordinal) ?? { id, name, text: '' };
    this.#open.set(ordinal, call);
    call.text += new TextDecoder().decode(bytes);
    const object = parsed(call.text);
    if (object === null || this.calls.some((ran) => ran.ordinal === ordinal)) return;
    const args = { form: 'json', text: call.text, object } as const;
    this.calls.push({ ordinal, id: call.id, name: call.name, args, end: this.#delivered - 1 });
  }

  end(): void {}
}

function parsed(text: string): JsonObject | null {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return null;
  }
}

/** The properties that it violates, and where first: a line each. */
export function judge(bytes: Uint8Array): readonly string[] {
  const { violations } = checkRecording(bytes, { protocol: 'json-whole', parser: () => new FirstParse() });
  return violations.map(({ level, verdict: { property, first } }) => {
    return `${property} (${level ?? 'whole'}), prefix ${first.prefix}: ${first.what}`;
  });
}

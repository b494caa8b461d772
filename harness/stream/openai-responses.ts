/** OpenAI Responses events → stream events (docs/wire-formats.md "OpenAI Responses"). */
import type { EventOutlet } from './event-outlet.ts';
import { type Fields, isAbsent, isFields, wordOf } from './json-fields.ts';
import { NO_NOTES } from './notes.ts';
import { describeReported, noJson, parsedPayload, wrongType } from './reported.ts';
import { ResponseItems } from './responses-items.ts';
import { ResponseTexts } from './responses-texts.ts';
import { Reasoning } from './text-parts.ts';
import type { WireReader } from './wire-reader.ts';

/** Progress of what is read elsewhere, of what providers run themselves, and of calls that are counted by their items. */
const PASSED_EVENTS =
  /^response\.(queued|in_progress|content_part|output_text\.annotation|reasoning|audio|web_search_call|file_search_call|code_interpreter_call|image_generation_call|mcp_call|mcp_list_tools|apply_patch_call|shell_call|local_shell_call|computer_call|tool_search_call)/;
const REASONING_DELTA = /^response\.reasoning\w*\.delta$/;

export class OpenAiResponsesReader implements WireReader {
  readonly #outlet: EventOutlet;
  readonly #items: ResponseItems;
  readonly #texts: ResponseTexts;
  readonly #reasoning: Reasoning;
  /** The key of each item, by its id; null where two items have it. */
  readonly #keys = new Map<string, string | null>();
  #created = false;
  #unknownEvents = 0;

  constructor(outlet: EventOutlet) {
    this.#outlet = outlet;
    this.#items = new ResponseItems(outlet);
    this.#texts = new ResponseTexts(outlet);
    this.#reasoning = new Reasoning(outlet);
  }

  get notes(): WireReader['notes'] {
    const { calls, providerCalls, unreadCalls, unknownItems } = this.#items;
    return {
      ...NO_NOTES,
      repeatedIds: calls.repeatedIds,
      laterIds: calls.laterIds,
      brokenReasoning: this.#reasoning.broken,
      providerCalls,
      unreadCalls,
      unknownEvents: this.#unknownEvents + unknownItems,
    };
  }

  event(payload: string, name: string, at: number): void {
    // Gateways add it behind the end; it says nothing that `response.completed` does not.
    if (payload === '[DONE]') return;
    const event = parsedPayload(payload);
    if (name === 'error') this.#outlet.fail('stream_error', describeReported(event ?? payload), at);
    else if (event === undefined) this.#outlet.fail('sse_bad_json', noJson(payload), at);
    else if (!isFields(event)) this.#outlet.fail('bad_delta', wrongType('an event'), at);
    // Some servers name the type in the event alone.
    else this.#typed(isAbsent(event['type']) ? { ...event, type: name } : event, at);
  }

  end(): void {
    // Without `response.completed` the stream is cut: nothing that was held comes any more.
  }

  #typed(event: Event & Fields, at: number): void {
    const { output_index } = event;
    // Taken for absent, it would give the event to another item.
    if (!isAbsent(output_index) && !Number.isSafeInteger(output_index)) {
      return this.#outlet.fail('bad_delta', wrongType('output_index'), at);
    }
    switch (event.type) {
      case 'response.created':
        return this.#begin(at);
      case 'response.output_item.added':
      case 'response.output_item.done':
        return this.#item(event, at);
      case 'response.function_call_arguments.delta':
        return this.#items.delta(this.#keyOf(event, event.item_id), 'arguments', event.delta, at);
      case 'response.custom_tool_call_input.delta':
        return this.#items.delta(this.#keyOf(event, event.item_id), 'input', event.delta, at);
      case 'response.function_call_arguments.done':
        return this.#items.whole(this.#keyOf(event, event.item_id), 'arguments', event.arguments, at);
      case 'response.custom_tool_call_input.done':
        return this.#items.whole(this.#keyOf(event, event.item_id), 'input', event.input, at);
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return this.#texts.delta(this.#partOf(event), event.delta, at);
      case 'response.output_text.done':
        return this.#texts.whole(this.#partOf(event), event.text, at);
      case 'response.refusal.done':
        return this.#texts.whole(this.#partOf(event), event.refusal, at);
      default:
        this.#ending(event, at);
    }
  }

  #ending(event: Event & Fields, at: number): void {
    const response: Response = isFields(event.response) ? event.response : {};
    switch (event.type) {
      case 'response.completed':
        return this.#ended(response, at);
      case 'response.incomplete':
        return this.#incomplete(response, at);
      case 'response.failed':
        return this.#outlet.fail('stream_error', describeReported(response), at);
      default:
        this.#other(event, at);
    }
  }

  #other(event: Event & Fields, at: number): void {
    const type = wordOf(event.type);
    if (type === 'error' || (type === '' && !isAbsent(event.error))) {
      this.#outlet.fail('stream_error', describeReported(event), at);
    } else if (REASONING_DELTA.test(type)) {
      // Some of these events hold objects. Reasoning is no content: what is no text of it is counted.
      if (typeof event.delta === 'string') this.#reasoning.add(event.delta, 'delta', at);
      else this.#unknownEvents++;
    } else if (!PASSED_EVENTS.test(type)) {
      this.#unknownEvents++;
    }
  }

  #begin(at: number): void {
    if (this.#created) this.#outlet.fail('bad_delta', 'a second response begins before the first has ended', at);
    this.#created = true;
  }

  #item({ type, output_index, item }: Event, at: number): void {
    if (!isFields(item)) return this.#outlet.fail('bad_delta', wrongType('an output item'), at);
    // llama.cpp's items have neither index nor id, but a `call_id`, which is the `item_id` of their deltas.
    const ids = [item['id'], item['call_id']].filter((id) => wordOf(id) !== '').map(wordOf);
    const key = this.#keyOf({ output_index }, ids[0]);
    if (key === null) return this.#outlet.fail('bad_delta', 'an output item has neither index nor id', at);
    for (const id of ids) this.#keys.set(id, (this.#keys.get(id) ?? key) === key ? key : null);
    if (type === 'response.output_item.added') return this.#items.added(key, item, at);
    if (item['type'] === 'message') this.#texts.message(key, item['content'], at);
    this.#items.done(key, item, at);
  }

  /** Some servers say `response.completed` of every response: what became of it is its status (vllm-project/vllm#45386). */
  #ended(response: Response, at: number): void {
    const { status, error, incomplete_details } = response;
    const isComplete = isAbsent(status) || status === '' || status === 'completed';
    if (!isAbsent(error)) this.#outlet.fail('stream_error', describeReported(response), at);
    else if (isComplete && isAbsent(incomplete_details)) this.#completed(response, at);
    else if (isComplete || status === 'incomplete') this.#incomplete(response, at);
    else this.#outlet.fail('stream_error', describeReported(response), at);
  }

  /**
   * Providers give an item another id in every event: what tells items apart is the index. Where an event has none, it
   * is the one that its item had.
   */
  #keyOf({ output_index }: Event, id: unknown): string | null {
    if (Number.isSafeInteger(output_index)) return String(output_index);
    if (typeof id !== 'string' || id === '') return null;
    return this.#keys.has(id) ? (this.#keys.get(id) ?? null) : `id ${id}`;
  }

  #partOf(event: Event): string {
    return `${this.#keyOf(event, event.item_id)} ${Number.isSafeInteger(event.content_index) ? event.content_index : 0}`;
  }

  #incomplete({ incomplete_details }: Response, at: number): void {
    this.#outlet.finish(reasonOf(incomplete_details), at);
    this.#outlet.done(at);
  }

  #completed({ output }: Response, at: number): void {
    const items = Array.isArray(output) ? output : [];
    this.#texts.response(items, at);
    this.#items.completed(items, at);
    this.#items.calls.settle(at);
    this.#outlet.finish('completed', at);
    this.#outlet.done(at);
  }
}

function reasonOf(details: unknown): string {
  const reason = isFields(details) ? details['reason'] : null;
  return typeof reason === 'string' && reason !== '' && reason !== 'completed' ? reason : 'incomplete';
}

interface Event {
  readonly type?: unknown;
  readonly output_index?: unknown;
  readonly item_id?: unknown;
  readonly content_index?: unknown;
  readonly item?: unknown;
  readonly delta?: unknown;
  readonly arguments?: unknown;
  readonly input?: unknown;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly response?: unknown;
  readonly error?: unknown;
}

interface Response {
  readonly status?: unknown;
  readonly error?: unknown;
  readonly output?: unknown;
  readonly incomplete_details?: unknown;
}

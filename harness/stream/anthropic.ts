/** Anthropic Messages events → stream events (docs/wire-formats.md "Anthropic Messages"). */
import { type ClosingCall, ClosingCalls, type Refusal, SECOND_FRAGMENT, WRONG_ARGUMENTS } from './closing-calls.ts';
import type { EventOutlet } from './event-outlet.ts';
import { type Fields, isAbsent, isFields, wordOf } from './json-fields.ts';
import { NO_NOTES } from './notes.ts';
import { type JsonPath, rawValue } from './raw-json.ts';
import { describeReported, noJson, parsedPayload, wrongType } from './reported.ts';
import { Reasoning, TextPart } from './text-parts.ts';
import type { WireReader } from './wire-reader.ts';

/** A content block. What comes in a `passed` one is not read. */
type Block =
  | { readonly is: 'text'; readonly part: TextPart; open: boolean }
  | { readonly is: 'reasoning' | 'passed'; open: boolean }
  | { readonly is: 'call'; readonly call: ClosingCall; readonly whole: boolean; open: boolean };

/** Where a block or a delta stands. */
interface Origin {
  readonly payload: string;
  readonly at: number;
}

/** Tools that the provider runs. */
const PROVIDER_TOOLS: ReadonlySet<unknown> = new Set(['server_tool_use', 'mcp_tool_use']);
/** Results of such tools, and other blocks that hold no content of the model's. */
const PASSED_BLOCKS = /^(\w+_tool_result|container_upload|compaction)$/;
const REASONING_BLOCKS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);
/** Deltas that carry neither text nor arguments. */
const PASSED_DELTAS: ReadonlySet<unknown> = new Set(['citations_delta', 'signature_delta', 'compaction_delta']);

export class AnthropicReader implements WireReader {
  readonly #outlet: EventOutlet;
  readonly #calls: ClosingCalls;
  readonly #reasoning: Reasoning;
  readonly #blocks = new Map<number, Block>();
  /** The id of the message under way, if it gives one. */
  #messageId: unknown;
  #started = false;
  #providerCalls = 0;
  #unknownEvents = 0;

  constructor(outlet: EventOutlet) {
    this.#outlet = outlet;
    this.#calls = new ClosingCalls(outlet);
    this.#reasoning = new Reasoning(outlet);
  }

  get notes(): WireReader['notes'] {
    return {
      ...NO_NOTES,
      repeatedIds: this.#calls.repeatedIds,
      brokenReasoning: this.#reasoning.broken,
      providerCalls: this.#providerCalls,
      unknownEvents: this.#unknownEvents,
    };
  }

  event(payload: string, name: string, at: number): void {
    // Gateways add it behind the end; it says nothing that `message_stop` does not.
    if (payload === '[DONE]') return;
    const event = parsedPayload(payload);
    if (name === 'error') this.#outlet.fail('stream_error', describeReported(event ?? payload), at);
    else if (event === undefined) this.#outlet.fail('sse_bad_json', noJson(payload), at);
    else if (!isFields(event)) this.#badType('an event', at);
    // Some servers name the type in the event alone.
    else this.#typed(isAbsent(event['type']) ? { ...event, type: name } : event, { payload, at });
  }

  end(): void {
    // Without `message_stop` the stream is cut: nothing that was held comes any more.
  }

  #typed(event: Event & Fields, origin: Origin): void {
    switch (event.type) {
      case 'message_start':
        return this.#messageStart(event.message, origin);
      case 'content_block_start':
        return this.#blockStart(event, origin);
      case 'content_block_delta':
        return this.#blockDelta(event, origin.at);
      case 'content_block_stop':
        return this.#blockStop(event.index, origin.at);
      case 'message_delta':
        return this.#finishReason(isFields(event.delta) ? event.delta['stop_reason'] : null, origin.at);
      case 'message_stop':
        return this.#messageStop(origin.at);
      case 'ping':
        return;
      default:
        if (event.type === 'error' || !isAbsent(event.error)) {
          this.#outlet.fail('stream_error', describeReported(event), origin.at);
        } else {
          this.#unknownEvents++;
        }
    }
  }

  /** A message can begin with whole blocks, and even with its stop reason: the answer to a code execution that goes on. */
  #messageStart(value: unknown, origin: Origin): void {
    const { at } = origin;
    const { id, content, stop_reason }: Message = isFields(value) ? value : {};
    if (this.#started) {
      // Gateways send the beginning of one message twice; another message is a retry that was spliced in.
      if (typeof id === 'string' && id === this.#messageId) return;
      return this.#outlet.fail('bad_delta', 'a second message begins before the first has ended', at);
    }
    this.#started = true;
    this.#messageId = id;
    // A reason that means cut is true of these blocks, too: the last may be half of what was meant.
    const isCut = typeof stop_reason === 'string' && this.#outlet.meaningOf(stop_reason) === 'cut';
    if (isCut) this.#finishReason(stop_reason, at);
    if (Array.isArray(content)) {
      for (const [index, block] of content.entries()) {
        this.#open(index, block, { ...origin, path: ['message', 'content', index] });
        this.#blockStop(index, at);
      }
    }
    if (!isCut) this.#finishReason(stop_reason, at);
  }

  #blockStart({ index, content_block }: Event, origin: Origin): void {
    if (!Number.isSafeInteger(index)) return this.#badType('the index of a content block', origin.at);
    this.#open(Number(index), content_block, { ...origin, path: ['content_block'] });
  }

  #open(index: number, value: unknown, origin: Origin & { readonly path: JsonPath }): void {
    const { at } = origin;
    if (!isFields(value)) return this.#badType('a content block', at);
    if (this.#blocks.has(index)) {
      return this.#outlet.fail('bad_delta', `a second content block begins at the index ${index}`, at);
    }
    const { type, text, thinking }: ContentBlock = value;
    if (type === 'text') {
      const part = new TextPart(this.#outlet);
      this.#blocks.set(index, { is: 'text', part, open: true });
      if (!isAbsent(text)) part.add(text, 'text', at);
    } else if (type === 'tool_use') {
      this.#blocks.set(index, this.#openCall(value, origin));
    } else {
      this.#blocks.set(index, { is: REASONING_BLOCKS.has(type) ? 'reasoning' : 'passed', open: true });
      if (!isAbsent(thinking)) this.#reasoning.add(thinking, 'thinking', at);
      this.#notePassed(type);
    }
  }

  #notePassed(type: unknown): void {
    if (PROVIDER_TOOLS.has(type)) this.#providerCalls++;
    else if (!REASONING_BLOCKS.has(type) && !PASSED_BLOCKS.test(wordOf(type))) this.#unknownEvents++;
  }

  /** Arguments that stand in the opening of the block are all there are: they are taken as their source text. */
  #openCall({ id, name, input }: ContentBlock, origin: Origin & { readonly path: JsonPath }): Block {
    const { payload, at, path } = origin;
    const call = this.#calls.open({ id, name }, 'json', at);
    const whole = isFields(input) && Object.keys(input).length > 0;
    if (whole) this.#calls.append(call, rawValue(payload, [...path, 'input']) ?? '', at);
    else if (!isAbsent(input) && input !== '' && !isFields(input)) this.#calls.refuse(call, WRONG_ARGUMENTS, at);
    return { is: 'call', call, whole, open: true };
  }

  #blockDelta({ index, delta }: Event, at: number): void {
    if (!Number.isSafeInteger(index)) return this.#badType('the index of a content block', at);
    if (!isFields(delta)) return this.#badType('delta', at);
    const { type, text, thinking, partial_json }: Delta = delta;
    const block = this.#blocks.get(Number(index));
    if (type === 'input_json_delta') this.#argumentsDelta(block, partial_json, at);
    else if (block?.is === 'call' && block.open) this.#calls.refuse(block.call, OTHER_DELTA, at);
    else if (type === 'text_delta') this.#textDelta(block, text, at);
    else if (type === 'thinking_delta') this.#reasoning.add(thinking, 'thinking', at);
    else if (!PASSED_DELTAS.has(type)) this.#unknownEvents++;
  }

  #textDelta(block: Block | undefined, text: unknown, at: number): void {
    if (block?.is === 'text' && block.open) block.part.add(text, 'text', at);
    else if (block?.is !== 'passed') this.#outlet.fail('bad_delta', 'text came for no open text block', at);
  }

  #argumentsDelta(block: Block | undefined, json: unknown, at: number): void {
    if (block?.is === 'passed') return;
    if (block?.is !== 'call') {
      if (json !== '') this.#calls.orphan(at);
    } else if (typeof json !== 'string') {
      this.#calls.refuse(block.open ? block.call : null, WRONG_ARGUMENTS, at);
    } else if (block.whole && block.open && json !== '') {
      this.#calls.refuse(block.call, SECOND_FRAGMENT, at);
    } else {
      this.#calls.append(block.call, json, at);
    }
  }

  #blockStop(index: unknown, at: number): void {
    if (!Number.isSafeInteger(index)) return this.#badType('the index of a content block', at);
    const block = this.#blocks.get(Number(index));
    if (block === undefined) return this.#outlet.fail('bad_delta', 'a content block ends that never began', at);
    if (block.is === 'text') block.part.close(at);
    else if (block.is === 'call') this.#calls.close(block.call, at);
    block.open = false;
  }

  /** `null` and '' are no reason. */
  #finishReason(reason: unknown, at: number): void {
    if (isAbsent(reason) || reason === '') return;
    if (typeof reason === 'string') this.#outlet.finish(reason, at);
    else this.#badType('stop_reason', at);
  }

  #messageStop(at: number): void {
    if (this.#outlet.endAtDone === 'complete') {
      for (const block of this.#blocks.values()) if (block.is === 'text') block.part.close(at);
      this.#calls.settle(at);
    }
    this.#outlet.done(at);
  }

  #badType(what: string, at: number): void {
    this.#outlet.fail('bad_delta', wrongType(what), at);
  }
}

/** It may have held a piece of the arguments. */
const OTHER_DELTA: Refusal = { kind: 'bad_delta', detail: 'a delta of another type came inside of a call' };

interface Event {
  readonly type?: unknown;
  readonly message?: unknown;
  readonly index?: unknown;
  readonly content_block?: unknown;
  readonly delta?: unknown;
  readonly error?: unknown;
}

interface Message {
  readonly id?: unknown;
  readonly content?: unknown;
  readonly stop_reason?: unknown;
}

interface ContentBlock {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
}

interface Delta {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
  readonly partial_json?: unknown;
}

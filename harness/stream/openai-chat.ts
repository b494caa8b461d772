/** OpenAI chat chunks → stream events (streams.md "OpenAI chat chunks → stream events"). */
import { isDeepStrictEqual } from 'node:util';
import { isError, reportedError } from './chat-errors.ts';
import type { EventOutlet } from './event-outlet.ts';
import { type Fields, hasNamelessChoices, isAbsent, isFields, NAMELESS_CHOICES } from './json-fields.ts';
import { NO_NOTES } from './notes.ts';
import { describeReported, noJson, parsedPayload, wrongType } from './reported.ts';
import { DeltaEncoder } from './surrogates.ts';
import { TEXT_SURROGATE } from './text-parts.ts';
import { type Origin, ToolDeltas } from './tool-deltas.ts';
import type { WireReader } from './wire-reader.ts';

export class OpenAiChatReader implements WireReader {
  readonly #outlet: EventOutlet;
  readonly #text = new DeltaEncoder();
  readonly #reasoning = new DeltaEncoder();
  readonly #tools: ToolDeltas;
  #hasText = false;
  #otherChoices = 0;
  #brokenReasoning = 0;
  #unknownEvents = 0;

  constructor(outlet: EventOutlet) {
    this.#outlet = outlet;
    this.#tools = new ToolDeltas(outlet);
  }

  get notes(): WireReader['notes'] {
    return {
      ...NO_NOTES,
      otherChoices: this.#otherChoices,
      repeatedIds: this.#tools.repeatedIds,
      laterIds: this.#tools.laterIds,
      brokenReasoning: this.#brokenReasoning,
      unknownEvents: this.#unknownEvents,
    };
  }

  event(payload: string, name: string, at: number): void {
    if (name === 'error') {
      this.#outlet.fail('stream_error', describeReported(parsedPayload(payload) ?? payload), at);
    } else if (payload === '[DONE]') {
      if (this.#outlet.endAtDone === 'complete') this.#settle(at);
      this.#outlet.done(at);
    } else {
      this.#chunk(payload, at);
    }
  }

  end(at: number): void {
    if (this.#outlet.end === 'complete') this.#settle(at);
  }

  /** The message is complete: half a character that is still held finds no partner any more. */
  #settle(at: number): void {
    if (this.#text.holds) this.#outlet.fail('bad_delta', TEXT_SURROGATE, at);
    this.#tools.settle(at);
  }

  #chunk(payload: string, at: number): void {
    const chunk = parsedPayload(payload);
    if (chunk === undefined) {
      this.#outlet.fail('sse_bad_json', noJson(payload), at);
      return;
    }
    if (!isFields(chunk)) {
      this.#badType('a chunk', at);
      return;
    }
    const { choices }: { readonly choices?: unknown } = chunk;
    const reported = reportedError(chunk);
    if (reported !== null) {
      this.#outlet.fail('stream_error', describeReported(reported), at);
    } else if (Array.isArray(choices)) {
      if (hasNamelessChoices(choices)) this.#outlet.fail('bad_delta', NAMELESS_CHOICES, at);
      for (let choice = 0; choice < choices.length; choice++) this.#choice(choices[choice], { at, payload, choice });
    } else if (!isAbsent(choices)) {
      this.#badType('choices', at);
    } else if (!Object.hasOwn(chunk, 'usage')) this.#unknownEvents++;
  }

  #choice(value: unknown, origin: Origin): void {
    if (isAbsent(value)) return;
    const { index, delta, message, finish_reason: reason, error }: Choice = isFields(value) ? value : NOTHING;
    if (!isFields(value)) this.#badType('a choice', origin.at);
    else if (!isAbsent(index) && !Number.isSafeInteger(index)) this.#badType('the index of a choice', origin.at);
    else if (!isAbsent(index) && index !== 0) this.#otherChoices++;
    else {
      if (isError(error)) this.#outlet.fail('stream_error', describeReported({ error }), origin.at);
      if (isFields(delta)) this.#delta(delta, origin);
      else if (!isAbsent(delta)) this.#badType('delta', origin.at);
      else if (this.#isNew(message)) this.#outlet.fail('bad_delta', WHOLE_MESSAGE, origin.at);
      this.#finishReason(reason, origin.at);
    }
  }

  /**
   * Whether a message has a text or a call of which the deltas had none: passed over, they would be lost without a word.
   * Some servers end a stream with the whole message once more (MiniMax: ENTERPILOT/GoModel#1068).
   */
  #isNew(message: unknown): boolean {
    if (!isFields(message)) return false;
    const { content, tool_calls, function_call }: Delta = message;
    const listed = Array.isArray(tool_calls) ? tool_calls.length : 0;
    const calls = Math.max(listed, isAbsent(function_call) ? 0 : 1);
    return calls > this.#tools.count || (!isAbsent(content) && content !== '' && !this.#hasText);
  }

  /** `null` and '' are no reason. */
  #finishReason(reason: unknown, at: number): void {
    if (isAbsent(reason) || reason === '') return;
    if (typeof reason === 'string') this.#outlet.finish(reason, at);
    else this.#badType('finish_reason', at);
  }

  #delta(delta: Fields, origin: Origin): void {
    const { reasoning_content, reasoning, content, refusal, tool_calls, function_call }: Delta = delta;
    if (!isAbsent(reasoning_content)) this.#reasoningDelta(reasoning_content, 'reasoning_content', origin.at);
    if (!isAbsent(reasoning)) this.#reasoningDelta(reasoning, 'reasoning', origin.at);
    if (Array.isArray(content)) for (const part of content) this.#contentPart(part, origin.at);
    else if (!isAbsent(content)) this.#textDelta(content, 'content', origin.at);
    if (!isAbsent(refusal)) this.#textDelta(refusal, 'refusal', origin.at);
    if (Array.isArray(tool_calls)) {
      for (let i = 0; i < tool_calls.length; i++) this.#tools.element(tool_calls[i], i, origin);
    } else if (!isAbsent(tool_calls)) {
      this.#badType('tool_calls', origin.at);
    }
    if (!isAbsent(function_call)) this.#legacyCall(function_call, tool_calls, origin);
  }

  /**
   * Some servers write a call's delta twice, in `tool_calls` and again in the legacy member (llama-cpp-python): the
   * second is the same delta and no further one. Another call there beside `tool_calls` is nobody's.
   */
  #legacyCall(called: unknown, calls: unknown, origin: Origin): void {
    if (!Array.isArray(calls) || calls.length === 0) this.#tools.functionCall(called, origin);
    else if (!calls.some((call) => isSameDelta(call, called))) {
      this.#outlet.fail('bad_delta', 'function_call says something else than tool_calls beside it', origin.at);
    }
  }

  /** Mistral's reasoning models send `content` as parts: `text`, and `thinking` with a text or text parts in it. */
  #contentPart(part: unknown, at: number): void {
    const { type, text, thinking }: ContentPart = isFields(part) ? part : NOTHING;
    if (type === 'text') this.#textDelta(text, 'content', at);
    else if (type !== 'thinking') this.#badType('a part of content', at);
    else if (!Array.isArray(thinking)) this.#reasoningDelta(thinking, 'thinking', at);
    else for (const inner of thinking) this.#reasoningDelta(isFields(inner) ? inner['text'] : null, 'thinking', at);
  }

  #textDelta(value: unknown, field: string, at: number): void {
    if (typeof value !== 'string') {
      this.#badType(field, at);
      return;
    }
    const bytes = this.#text.encode(value);
    if (bytes === null) this.#outlet.fail('bad_delta', TEXT_SURROGATE, at);
    else if (bytes.length > 0) {
      this.#hasText = true;
      this.#outlet.emit({ type: 'text', at, bytes });
    }
  }

  /** Reasoning is no content: a broken piece of it is left out and counted, and the stream goes on. */
  #reasoningDelta(value: unknown, field: string, at: number): void {
    if (typeof value !== 'string') {
      this.#badType(field, at);
      return;
    }
    const bytes = this.#reasoning.encode(value);
    if (bytes === null) this.#brokenReasoning++;
    else if (bytes.length > 0) this.#outlet.emit({ type: 'reasoning', at, bytes });
  }

  #badType(what: string, at: number): void {
    this.#outlet.fail('bad_delta', wrongType(what), at);
  }
}

const WHOLE_MESSAGE = 'a choice has a whole message and no delta: that is an answer which was not streamed';

function isSameDelta(call: unknown, called: unknown): boolean {
  const said: { readonly function?: unknown } = isFields(call) ? call : {};
  if (!isFields(said.function) || !isFields(called)) return false;
  try {
    return isDeepStrictEqual(said.function, called);
  } catch {
    // Thousands of levels: more than the comparison can follow. It is no delta of a call, and is refused as such.
    return false;
  }
}

interface Choice {
  readonly index?: unknown;
  readonly delta?: unknown;
  readonly message?: unknown;
  readonly finish_reason?: unknown;
  readonly error?: unknown;
}

interface ContentPart {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
}

const NOTHING: Choice & ContentPart = {};

interface Delta {
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
  readonly function_call?: unknown;
}

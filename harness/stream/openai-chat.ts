/** OpenAI chat chunks → stream events (streams.md "OpenAI chat chunks → stream events"). */
import type { EventOutlet } from './event-outlet.ts';
import { type Fields, isAbsent, isFields } from './json-fields.ts';
import { DeltaEncoder } from './surrogates.ts';
import { type Origin, ToolDeltas } from './tool-deltas.ts';
import type { WireReader } from './wire-reader.ts';

const MAX_QUOTED = 200;

export class OpenAiChatReader implements WireReader {
  readonly #outlet: EventOutlet;
  readonly #text = new DeltaEncoder();
  readonly #reasoning = new DeltaEncoder();
  readonly #tools: ToolDeltas;
  #otherChoices = 0;
  #brokenReasoning = 0;

  constructor(outlet: EventOutlet) {
    this.#outlet = outlet;
    this.#tools = new ToolDeltas(outlet);
  }

  get notes(): WireReader['notes'] {
    return {
      otherChoices: this.#otherChoices,
      repeatedIds: this.#tools.repeatedIds,
      laterIds: this.#tools.laterIds,
      brokenReasoning: this.#brokenReasoning,
    };
  }

  event(payload: string, name: string, at: number): void {
    if (name === 'error') {
      this.#outlet.fail('stream_error', describeReported(parsed(payload) ?? payload), at);
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
    if (this.#text.holds) this.#outlet.fail('bad_delta', LONE_SURROGATE, at);
    this.#tools.settle(at);
  }

  #chunk(payload: string, at: number): void {
    const chunk = parsed(payload);
    if (chunk === undefined) {
      this.#outlet.fail('sse_bad_json', `a data payload is no JSON: ${quote(payload)}`, at);
      return;
    }
    if (!isFields(chunk)) {
      this.#badType('a chunk', at);
      return;
    }
    const { error, choices }: { readonly error?: unknown; readonly choices?: unknown } = chunk;
    // An empty `error` member says that there is none.
    if (!isAbsent(error) && error !== false && error !== '') {
      this.#outlet.fail('stream_error', describeReported(chunk), at);
    } else if (Array.isArray(choices)) {
      for (let choice = 0; choice < choices.length; choice++) this.#choice(choices[choice], { at, payload, choice });
    } else if (!isAbsent(choices)) {
      this.#badType('choices', at);
    }
  }

  #choice(value: unknown, origin: Origin): void {
    if (isAbsent(value)) return;
    const { index, delta, finish_reason: reason }: Choice = isFields(value) ? value : NOTHING;
    if (!isFields(value)) this.#badType('a choice', origin.at);
    else if (!isAbsent(index) && !Number.isSafeInteger(index)) this.#badType('the index of a choice', origin.at);
    else if (!isAbsent(index) && index !== 0) this.#otherChoices++;
    else {
      if (isFields(delta)) this.#delta(delta, origin);
      else if (!isAbsent(delta)) this.#badType('delta', origin.at);
      this.#finishReason(reason, origin.at);
    }
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
    if (!isAbsent(content)) this.#textDelta(content, 'content', origin.at);
    if (!isAbsent(refusal)) this.#textDelta(refusal, 'refusal', origin.at);
    if (Array.isArray(tool_calls)) {
      for (let i = 0; i < tool_calls.length; i++) this.#tools.element(tool_calls[i], i, origin);
    } else if (!isAbsent(tool_calls)) {
      this.#badType('tool_calls', origin.at);
    }
    if (!isAbsent(function_call)) this.#tools.functionCall(function_call, origin);
  }

  #textDelta(value: unknown, field: string, at: number): void {
    if (typeof value !== 'string') {
      this.#badType(field, at);
      return;
    }
    const bytes = this.#text.encode(value);
    if (bytes === null) this.#outlet.fail('bad_delta', LONE_SURROGATE, at);
    else if (bytes.length > 0) this.#outlet.emit({ type: 'text', at, bytes });
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
    this.#outlet.fail('bad_delta', `${what} has the wrong type`, at);
  }
}

interface Choice {
  readonly index?: unknown;
  readonly delta?: unknown;
  readonly finish_reason?: unknown;
}

const NOTHING: Choice = {};

interface Delta {
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
  readonly function_call?: unknown;
}

const LONE_SURROGATE = 'a surrogate in the text has no partner';

/** What the JSON text says, or undefined if it is none. */
function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}

/** The message of an error chunk, whichever of the usual shapes it has, or the chunk itself. */
function describeReported(chunk: unknown): string {
  const error = isFields(chunk) ? (chunk['error'] ?? chunk) : chunk;
  const message = isFields(error) ? error['message'] : error;
  const text = typeof message === 'string' && message !== '' ? message : JSON.stringify(error);
  return `the provider reported an error: ${shorten(text)}`;
}

function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

function shorten(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

/** Gemini chunks (`streamGenerateContent?alt=sse`) → stream events (docs/wire-formats.md "Gemini"). */
import type { EventOutlet } from './event-outlet.ts';
import { GeminiCalls } from './gemini-calls.ts';
import { type Fields, hasNamelessChoices, isAbsent, isFields, NAMELESS_CHOICES, wordOf } from './json-fields.ts';
import { NO_NOTES } from './notes.ts';
import { describeReported, noJson, parsedPayload, wrongType } from './reported.ts';
import { Reasoning, TextPart } from './text-parts.ts';
import type { WireReader } from './wire-reader.ts';

/** Where a chunk or a candidate stands. */
interface ChunkPlace {
  readonly at: number;
  readonly payload: string;
  /** The way to it in the payload. */
  readonly path: readonly (string | number)[];
}

/** Members that say something about a part and are no content. */
const PASSED_MEMBERS: ReadonlySet<string> = new Set(['thought', 'thoughtSignature', 'partMetadata', 'videoMetadata']);
/** Parts of tools that the provider runs, and their results. */
const PROVIDER_CALLS: ReadonlySet<string> = new Set(['executableCode', 'toolCall']);
const PROVIDER_RESULTS: ReadonlySet<string> = new Set(['codeExecutionResult', 'toolResponse']);

export class GeminiReader implements WireReader {
  readonly #outlet: EventOutlet;
  readonly #calls: GeminiCalls;
  readonly #text: TextPart;
  readonly #reasoning: Reasoning;
  #otherChoices = 0;
  #providerCalls = 0;
  #unknownEvents = 0;

  constructor(outlet: EventOutlet) {
    this.#outlet = outlet;
    this.#calls = new GeminiCalls(outlet);
    this.#text = new TextPart(outlet);
    this.#reasoning = new Reasoning(outlet);
  }

  get notes(): WireReader['notes'] {
    return {
      ...NO_NOTES,
      otherChoices: this.#otherChoices,
      repeatedIds: this.#calls.calls.repeatedIds,
      brokenReasoning: this.#reasoning.broken,
      providerCalls: this.#providerCalls,
      unknownEvents: this.#unknownEvents,
    };
  }

  event(payload: string, name: string, at: number): void {
    // The format has no such event: its end is the close of the transport.
    if (payload === '[DONE]') return;
    const chunk = parsedPayload(payload);
    if (name === 'error') this.#outlet.fail('stream_error', describeReported(chunk ?? payload), at);
    else if (chunk === undefined) this.#outlet.fail('sse_bad_json', noJson(payload), at);
    else if (!isFields(chunk)) this.#badType('a chunk', at);
    else this.#chunk(chunk, { at, payload, path: [] });
  }

  end(at: number): void {
    if (this.#outlet.end === 'cut') return;
    this.#text.close(at);
    this.#calls.calls.settle(at);
  }

  #chunk({ error, candidates, promptFeedback, response }: Chunk & Fields, place: ChunkPlace): void {
    const { at, path } = place;
    // Code Assist wraps each chunk once; what is deeper is nobody's.
    if (path.length === 0 && isAbsent(candidates) && isFields(response)) {
      this.#chunk(response, { ...place, path: ['response'] });
    }
    if (!isAbsent(error)) {
      this.#outlet.fail('stream_error', describeReported({ error }), at);
      return;
    }
    if (Array.isArray(candidates)) {
      if (hasNamelessChoices(candidates)) this.#outlet.fail('bad_delta', NAMELESS_CHOICES, at);
      for (const [i, candidate] of candidates.entries()) {
        this.#candidate(candidate, { ...place, path: [...path, 'candidates', i] });
      }
    } else if (!isAbsent(candidates)) this.#badType('candidates', at);
    const blocked = isFields(promptFeedback) ? promptFeedback['blockReason'] : null;
    if (!isAbsent(blocked)) this.#outlet.finish(`blocked: ${wordOf(blocked)}`, at);
  }

  #candidate(value: unknown, origin: ChunkPlace): void {
    if (!isFields(value)) return this.#badType('a candidate', origin.at);
    const { index, content, finishReason }: Candidate = value;
    if (!Number.isSafeInteger(index ?? 0)) return this.#badType('the index of a candidate', origin.at);
    // An index of 0 is left out by most servers.
    if ((index ?? 0) !== 0) {
      this.#otherChoices++;
      return;
    }
    // What a chunk says of a cut is true of its own parts: they may be half of what was meant.
    const isCut =
      typeof finishReason === 'string' && finishReason !== '' && this.#outlet.meaningOf(finishReason) === 'cut';
    if (isCut) this.#outlet.finish(finishReason, origin.at);
    const parts = isFields(content) ? content['parts'] : null;
    if (Array.isArray(parts)) {
      for (const [place, part] of parts.entries()) this.#part(part, place, origin);
    } else if (!isAbsent(parts)) this.#badType('parts', origin.at);
    if (isCut || isAbsent(finishReason) || finishReason === '') return;
    if (typeof finishReason === 'string') this.#outlet.finish(finishReason, origin.at);
    else this.#badType('finishReason', origin.at);
  }

  #part(value: unknown, place: number, { at, payload, path: candidate }: ChunkPlace): void {
    if (!isFields(value)) return this.#badType('a part', at);
    const { text, thought, functionCall }: Part = value;
    if (!isAbsent(text)) {
      if (thought === true) this.#reasoning.add(text, 'text', at);
      else this.#text.add(text, 'text', at);
    }
    if (isFields(functionCall)) {
      const path = [...candidate, 'content', 'parts', place, 'functionCall'];
      this.#calls.part(functionCall, { at, payload, path });
    } else if (!isAbsent(functionCall)) this.#badType('functionCall', at);
    this.#notePassed(value);
  }

  #notePassed(part: Fields): void {
    for (const member of Object.keys(part)) {
      if (member === 'text' || member === 'functionCall' || PASSED_MEMBERS.has(member)) continue;
      if (PROVIDER_CALLS.has(member)) this.#providerCalls++;
      else if (!PROVIDER_RESULTS.has(member)) this.#unknownEvents++;
    }
  }

  #badType(what: string, at: number): void {
    this.#outlet.fail('bad_delta', wrongType(what), at);
  }
}

interface Chunk {
  readonly error?: unknown;
  readonly candidates?: unknown;
  readonly promptFeedback?: unknown;
  readonly response?: unknown;
}

interface Candidate {
  readonly index?: unknown;
  readonly content?: unknown;
  readonly finishReason?: unknown;
}

interface Part {
  readonly text?: unknown;
  readonly thought?: unknown;
  readonly functionCall?: unknown;
}

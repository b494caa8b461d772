/**
 * One answer of the model, read as it arrives: which calls run, when, and where the reading ends (runtime.md
 * "Irrevocable"). The harness's parser decides what is executable; nothing here knows a grammar.
 *
 * The parser is fed in pieces that end where a line or a tag may end, and after each piece the calls that have become
 * executable are run, awaited. So no byte is parsed while a tool runs, and what follows an imagined result is never
 * parsed at all, even if it came in the same chunk.
 */
import type { ContractError } from '../parsers/contract-error.ts';
import {
  type Confirmation,
  DEFAULT_OPTIONS,
  type ToolCall,
  type ToolCallParser,
  type UnfinishedCall,
} from '../parsers/parser.ts';
import { PARSERS } from '../parsers/protocols.ts';
import type { FailureEvent, StreamEnd, StreamEvent, TextEvent } from '../stream/event.ts';
import { StreamReader } from '../stream/stream-reader.ts';
import { ByteBuffer } from '../wire/byte-buffer.ts';
import type { AnswerEvent } from './agent-event.ts';
import { ArgumentProgress } from './argument-progress.ts';
import type { CutCause } from './feedback.ts';
import type { ProtocolRules } from './protocol.ts';

export interface AnswerHooks {
  readonly emit: (event: AnswerEvent) => void;
  /**
   * Runs an executable call, or records its refusal; resolves when its end is recorded.
   * @param text what is kept of the message since the call before, up to the end of this call
   */
  readonly run: (call: ToolCall, text: string) => Promise<void>;
}

export interface AnswerOptions {
  readonly rules: ProtocolRules;
  /** Cancelled: nothing more is read. */
  readonly signal: AbortSignal;
  readonly hooks: AnswerHooks;
}

export interface Answer {
  readonly end: AnswerEnd;
  /** What is kept of the message behind the text that the calls were run with. */
  readonly text: string;
  /** Calls that have been run or refused. */
  readonly calls: number;
  /** Content bytes that arrived, kept or not. */
  readonly arrived: number;
}

export type AnswerEnd =
  | { readonly type: 'complete' }
  /** Text after a call: an imagined result. A stop, not an error. */
  | { readonly type: 'imagined-result' }
  | { readonly type: 'contract-error'; readonly error: ContractError }
  | { readonly type: 'cut'; readonly cause: CutCause; readonly unfinished: UnfinishedCall | null }
  | { readonly type: 'cancelled'; readonly unfinished: UnfinishedCall | null };

/**
 * Reads an answer to its end. Rejects only if a hook does.
 * @param chunks the response body. It is pulled, one chunk after the other, and never while a call runs; that it rejects
 * means that the connection was lost. It is not returned: who opened it closes it.
 */
export async function readAnswer(chunks: AsyncIterable<Uint8Array>, options: AnswerOptions): Promise<Answer> {
  const reading = new AnswerReading(options);
  const iterator = chunks[Symbol.asyncIterator]();
  let lost: string | null = null;
  while (!reading.over) {
    const pulled = await pull(iterator);
    if ('lost' in pulled) lost = pulled.lost;
    if (!('bytes' in pulled)) break;
    await reading.take(pulled.bytes);
  }
  return reading.finish(lost);
}

type Pulled = { readonly bytes: Uint8Array } | { readonly lost: string } | { readonly ended: true };

async function pull(iterator: AsyncIterator<Uint8Array>): Promise<Pulled> {
  try {
    const next = await iterator.next();
    return next.done === true ? { ended: true } : { bytes: next.value };
  } catch (error) {
    return { lost: error instanceof Error ? error.message : String(error) };
  }
}

const LF = 0x0a;
/** A think block may end within a line, and a call may begin behind it. */
const GREATER_THAN = 0x3e;

class AnswerReading {
  readonly #options: AnswerOptions;
  readonly #parser: ToolCallParser;
  readonly #reader: StreamReader;
  readonly #progress: ArgumentProgress;
  /** Stream events of the chunk under way that the parser has not had yet. */
  #waiting: StreamEvent[] = [];
  readonly #text = new ByteBuffer();
  /** Text up to here has been handed over with a call. */
  #handedOver = 0;
  /** Text up to here is confirmed; of a native answer, all of it is. */
  #confirmed = 0;
  #ran = 0;
  #arrived = 0;
  #sawToolDelta = false;
  #imagined = false;
  /** The stream has failed, and no contract error came before. */
  #failure: FailureEvent | null = null;
  #cutReason: string | null = null;
  /** `[DONE]` or a failure has come. */
  #closed = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#progress = new ArgumentProgress(options.hooks.emit);
    this.#parser = PARSERS[options.rules.parser]({
      ...DEFAULT_OPTIONS,
      onConfirmed: (confirmed) => this.#onConfirmed(confirmed),
    });
    this.#reader = new StreamReader('openai-chat', (event) => this.#waiting.push(event));
  }

  /** Nothing more is to be read. */
  get over(): boolean {
    return this.#closed || this.#stopped;
  }

  /** The reading ends before the message does. */
  get #stopped(): boolean {
    if (this.#options.signal.aborted || this.#imagined) return true;
    // A bad call does not stop its siblings in json-object; anywhere else nothing runs any more.
    return this.#contractError !== null && this.#options.rules.parser !== 'json-object';
  }

  /** A failure of the stream is a cut. */
  get #contractError(): ContractError | null {
    return this.#failure === null ? this.#parser.error : null;
  }

  get #isNative(): boolean {
    return this.#options.rules.form === 'native';
  }

  /** A native answer whose calls stand in its text, as JSON: they go back as calls, and not as text. */
  get #isCallText(): boolean {
    return this.#isNative && !this.#sawToolDelta;
  }

  async take(chunk: Uint8Array): Promise<void> {
    this.#reader.push(chunk);
    await this.#takeWaiting();
  }

  async finish(lost: string | null): Promise<Answer> {
    const end = await this.#end(lost);
    return {
      end,
      text: this.#ran > 0 && this.#isCallText ? '' : this.#handOver(this.#confirmed),
      calls: this.#ran,
      arrived: this.#arrived,
    };
  }

  async #end(lost: string | null): Promise<AnswerEnd> {
    const how = await this.#endStream();
    const error = this.#contractError;
    const { unfinished } = this.#parser;
    if (this.#options.signal.aborted) return { type: 'cancelled', unfinished };
    if (error !== null) return { type: 'contract-error', error };
    if (this.#imagined) return { type: 'imagined-result' };
    return how === 'cut' ? { type: 'cut', cause: this.#cutCause(lost), unfinished } : { type: 'complete' };
  }

  /** The last step of parser and calls, unless the reading has stopped before. */
  async #endStream(): Promise<StreamEnd | null> {
    if (this.#stopped) return null;
    const how = this.#reader.end();
    await this.#takeWaiting();
    if (this.#stopped) return null;
    this.#parser.end(how);
    await this.#runNew();
    this.#confirmText();
    return how;
  }

  #cutCause(lost: string | null): CutCause {
    if (this.#failure !== null) return { by: 'failure', detail: this.#failure.detail };
    if (this.#cutReason !== null) return { by: 'reason', reason: this.#cutReason };
    return { by: 'connection', detail: lost ?? 'it was closed before the end of the answer' };
  }

  async #takeWaiting(): Promise<void> {
    const events = this.#waiting;
    this.#waiting = [];
    for (const event of events) {
      if (this.#stopped) return;
      await this.#takeEvent(event);
    }
  }

  async #takeEvent(event: StreamEvent): Promise<void> {
    if (event.type === 'text') return this.#takeText(event);
    if (event.type === 'failure') return this.#takeFailure(event);
    if (event.type === 'done') this.#closed = true;
    else if (event.type === 'finish' && event.meaning === 'cut') this.#cutReason ??= event.reason;
    else if (event.type === 'reasoning') this.#options.hooks.emit({ type: 'reasoning', text: textOf(event.bytes) });
    else if (event.type === 'tool-delta') this.#takeDelta(event.bytes.length);
    if (this.#isNative) this.#progress.onEvent(event);
    this.#parser.push(event);
    await this.#runNew();
  }

  #takeFailure(event: FailureEvent): void {
    const stood = this.#parser.error;
    this.#parser.push(event);
    this.#closed = true;
    if (stood === null && this.#parser.error?.kind === event.kind) this.#failure = event;
  }

  #takeDelta(bytes: number): void {
    this.#arrived += bytes;
    this.#sawToolDelta = true;
  }

  async #takeText(event: TextEvent): Promise<void> {
    const { bytes } = event;
    this.#arrived += bytes.length;
    if (this.#isNative) this.#options.hooks.emit({ type: 'text', text: textOf(bytes) });
    for (let from = 0; from < bytes.length && !this.#stopped; ) {
      const to = endOfPiece(bytes, from);
      this.#text.append(bytes, from, to);
      this.#parser.push(event, from, to);
      await this.#runNew();
      this.#confirmText();
      from = to;
    }
  }

  /** Runs what has become executable, in order. */
  async #runNew(): Promise<void> {
    const { calls } = this.#parser;
    while (this.#ran < calls.length) {
      this.#confirmed = this.#text.length;
      const call = calls[this.#ran]!;
      this.#ran++;
      if (this.#isCallText) this.#handedOver = this.#confirmed;
      await this.#options.hooks.run(call, this.#handOver(this.#confirmed));
    }
  }

  /** Before the first call, text is confirmed as far as it is outside of what may be a call. */
  #confirmText(): void {
    const { error, unfinished, pending } = this.#parser;
    if (this.#isNative) this.#confirmed = this.#text.length;
    else if (this.#ran === 0 && error === null && unfinished === null) this.#confirmed = this.#text.length - pending;
  }

  #handOver(to: number): string {
    const text = this.#text.text(this.#handedOver, to);
    this.#handedOver = to;
    return text;
  }

  #onConfirmed(confirmed: Confirmation): void {
    if (confirmed.type !== 'text') return this.#progress.onConfirmed(confirmed);
    const text = textOf(confirmed.bytes);
    if (this.#ran === 0) this.#options.hooks.emit({ type: 'text', text });
    else if (this.#options.rules.stopsAtText && !/^[ \t\r\n]*$/.test(text)) this.#imagined = true;
  }
}

function endOfPiece(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === LF || bytes[at] === GREATER_THAN) return at + 1;
  }
  return bytes.length;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/**
 * The model: any server that speaks OpenAI's chat completions, over HTTP. What goes wrong before the first byte of an
 * answer is tried again where that can help, and else is a `ModelError` that says what to do. What goes wrong later is
 * the reader's (`answer.ts`). The key is in the header of the requests and nowhere else.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import type { ChatMessage } from './conversation.ts';
import { type HttpAnswer, openStream } from './http-stream.ts';
import type { NativeTool } from './tools/registry.ts';
import { connectionProblem, isLasting, messageIn } from './transport-problem.ts';

export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  /** Sent as `tools`; absent for text protocols. */
  readonly tools?: readonly NativeTool[];
}

export interface ModelAnswer {
  /** The response body; rejects where the connection is lost. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Nothing more is wanted: the connection is closed. */
  close(): void;
  /** The answer is complete: the connection may be used again. */
  leave(): void;
}

export interface Retry {
  /** Number of the attempt to come, from 2. */
  readonly attempt: number;
  readonly of: number;
  readonly problem: string;
  /** ms until then */
  readonly wait: number;
}

export interface Model {
  /** @throws ModelError; whatever it throws when `signal` is aborted means that */
  ask(request: ModelRequest, options: AskOptions): Promise<ModelAnswer>;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly onRetry: (retry: Retry) => void;
}

/** No answer: the message says why, in a sentence, and never holds the key. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

export interface ModelClientOptions {
  /** Of `chat/completions` (see {@link completionsUrl}). */
  readonly url: URL;
  readonly model: string;
  readonly key?: string | undefined;
  /** Further attempts for one answer. */
  readonly retries: number;
  /** Longest time without a byte while one is waited for, in ms. */
  readonly idleLimit?: number;
  /** Longest time to connect, in ms. */
  readonly connectLimit?: number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** A long prompt may take a slow machine minutes before the first token. ms */
export const IDLE_LIMIT = 300_000;
const CONNECT_LIMIT = 10_000;
/** A connection that is lost here is lost before an answer came; later it is the reader's. */
const LOST = 'the connection was closed before an answer came';
const BEFORE_AN_ANSWER = { ECONNRESET: LOST, UND_ERR_SOCKET: LOST };
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
/** A server that wants to be left alone for longer is not waited for. */
const LONGEST_RETRY_AFTER = 60_000;
/** Bytes of an error body that are read. */
const ERROR_BODY = 64 * 1024;
/** UTF-16 units of a server's message that are shown. */
const SHOWN = 300;

const STATUS_ADVICE: Readonly<Record<number, string>> = {
  401: 'the server refuses the key: set CST_API_KEY or OPENAI_API_KEY',
  403: 'the key may not use this model',
  404: 'there is no such model, or --base-url is not that of an OpenAI-compatible server',
};

export class ModelClient implements Model {
  readonly #options: ModelClientOptions;
  readonly #dispatcher: Dispatcher;

  constructor(options: ModelClientOptions) {
    this.#options = options;
    this.#dispatcher = new Agent({ connect: { timeout: options.connectLimit ?? CONNECT_LIMIT } });
  }

  async ask(request: ModelRequest, { signal, onRetry }: AskOptions): Promise<ModelAnswer> {
    const attempts = this.#options.retries + 1;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(request, signal);
      if (!('problem' in outcome)) return outcome;
      if (signal.aborted || !outcome.again || attempt >= attempts) throw new ModelError(outcome.problem);
      const wait = outcome.wait ?? Math.min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT);
      if (wait > LONGEST_RETRY_AFTER) {
        throw new ModelError(`${outcome.problem}; it wants to be asked again after ${Math.ceil(wait / 1000)} s`);
      }
      onRetry({ attempt: attempt + 1, of: attempts, problem: outcome.problem, wait });
      await (this.#options.sleep ?? sleep)(wait, signal);
    }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async #attempt(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer | Problem> {
    let answer: HttpAnswer;
    try {
      answer = await this.#open(request, signal);
    } catch (error) {
      return {
        problem: this.#safe(`${this.#options.url.origin}: ${connectionProblem(error, BEFORE_AN_ANSWER)}`),
        again: !isLasting(error),
      };
    }
    if (answer.status === 200 && isStream(answer)) return answer;
    const body = await beginningOf(answer);
    answer.close();
    return this.#refusal(answer, body);
  }

  #open({ messages, tools }: ModelRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { url, model, key, idleLimit = IDLE_LIMIT } = this.#options;
    const body = JSON.stringify({ model, messages, ...(tools === undefined ? {} : { tools }), stream: true });
    const headers = {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    return openStream({ url, headers, body }, { dispatcher: this.#dispatcher, signal, idleLimit });
  }

  #refusal({ status, headers }: HttpAnswer, body: string): Problem {
    const said = shortened(this.#safe(messageIn(body)));
    const tail = said === '' ? '' : `: ${said}`;
    const { origin } = this.#options.url;
    if (status === 200) return { problem: `${origin} did not answer with an event stream${tail}`, again: false };
    const advice = STATUS_ADVICE[status];
    const problem = `${origin} answered ${status}${advice === undefined ? '' : ` (${advice})`}${tail}`;
    const again = status === 408 || status === 429 || status >= 500;
    const wait = again ? retryAfter(headers['retry-after']) : undefined;
    return { problem, again, ...(wait === undefined ? {} : { wait }) };
  }

  /** Servers like to repeat the key in what they say of it. */
  #safe(text: string): string {
    const { key } = this.#options;
    return key === undefined || key === '' ? text : text.replaceAll(key, '[key]');
  }
}

interface Problem {
  readonly problem: string;
  /** A further attempt may help. */
  readonly again: boolean;
  /** How long the server wants to be left alone, in ms. */
  readonly wait?: number;
}

/**
 * Where chat completions are, from a base URL with or without `/v1`, or from that very address.
 * @returns what is wrong with it, for the user
 */
export function completionsUrl(base: string): URL | { readonly problem: string } {
  if (!URL.canParse(base)) return { problem: 'is no URL (http://127.0.0.1:8080/v1, say)' };
  const url = new URL(base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { problem: 'must begin with http:// or https://' };
  if (url.username !== '' || url.password !== '') {
    return { problem: 'must not hold a name or a password: a key is read from the environment' };
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
  const isVersioned = /\/v\d[^/]*(\/|$)/.test(path);
  url.pathname = `${path}${isVersioned ? '' : '/v1'}/chat/completions`;
  url.hash = '';
  return url;
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}

/** Servers that forget the type are many; a page or a JSON object is no stream. */
function isStream({ headers }: HttpAnswer): boolean {
  const type = String(headers['content-type'] ?? '');
  return !/json|html/i.test(type);
}

async function beginningOf({ chunks }: HttpAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of chunks) {
      pieces.push(piece);
      size += piece.length;
      if (size > ERROR_BODY) break;
    }
  } catch {
    // What has come must do: the status says more than a lost connection.
  }
  return Buffer.concat(pieces).toString('utf8');
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

/** ms; a date is not waited for, as the server's clock is not ours. */
function retryAfter(header: string | readonly string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d+$/.test(header) ? Number(header) * 1000 : undefined;
}

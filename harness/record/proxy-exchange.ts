/**
 * One exchange through the proxy. What comes from one side goes to the other at once and unchanged; a copy is kept beside
 * it. Each side is read no faster than the other takes it.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { connectionProblem } from '../agent/transport-problem.ts';
import { type RecordClock, roundedMs } from './clock.ts';
import { forwardedRequest, forwardedResponse } from './proxy-headers.ts';
import { mayBeStream, type ProxyEnd } from './proxy-recording.ts';
import type { ExchangeCopy } from './proxy-store.ts';

/** How an exchange went. */
export interface Passed {
  readonly at: Date;
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  /** Bytes of the response body. */
  readonly size: number;
  readonly end: ProxyEnd;
  /** Why, where the end is no good one. */
  readonly problem: string | null;
  /** What was kept of a stream with at least one byte; null of all else. */
  readonly copy: ExchangeCopy | null;
}

export interface ForwardOptions {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  /** Path and query at the target. */
  readonly path: string;
  readonly clock: RecordClock;
  /** Aborted: the proxy stops. */
  readonly signal: AbortSignal;
  /** Takes what passes, as long as it may be an answer that is stored; null: it is none. */
  readonly copy: ExchangeCopy | null;
}

const BROKEN = {
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed by the server',
  UND_ERR_HEADERS_OVERFLOW: 'the head of its answer is longer than this proxy passes on (docs/record.md)',
};

/** What a reason phrase may hold (RFC 9112, 4); Node sends no other, and nobody reads it. */
const REASON = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** Resolves when both sides are done; never rejects. */
export function forward(req: IncomingMessage, res: ServerResponse, options: ForwardOptions): Promise<Passed> {
  return new Promise((resolve) => {
    const exchange = new Forwarding(req, res, { ...options, ended: resolve });
    exchange.start();
  });
}

interface ForwardingOptions extends ForwardOptions {
  readonly ended: (passed: Passed) => void;
}

class Forwarding implements Dispatcher.DispatchHandler {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #options: ForwardingOptions;
  #copy: ExchangeCopy | null;
  #size = 0;
  readonly #since: number;
  readonly #at: Date;
  readonly #onStop = (): void => this.#breakOff('stopped', 'the proxy was stopped');
  readonly #onClose = (): void => this.#breakOff('client-closed', 'the client left');
  #controller: Dispatcher.DispatchController | null = null;
  #status: number | null = null;
  #headers: IncomingHttpHeaders = {};
  #over = false;

  constructor(req: IncomingMessage, res: ServerResponse, options: ForwardingOptions) {
    this.#req = req;
    this.#res = res;
    this.#options = options;
    this.#copy = options.copy;
    this.#since = options.clock.now();
    this.#at = options.clock.date();
  }

  start(): void {
    const { dispatcher, origin, path, signal } = this.#options;
    signal.addEventListener('abort', this.#onStop, { once: true });
    this.#res.once('close', this.#onClose);
    const hasBody =
      this.#req.headers['transfer-encoding'] !== undefined || Number(this.#req.headers['content-length']) > 0;
    try {
      dispatcher.dispatch(
        {
          origin,
          path,
          method: (this.#req.method ?? 'GET') as Dispatcher.HttpMethod,
          headers: forwardedRequest(this.#req.rawHeaders),
          body: hasBody ? this.#requestBody() : null,
          headersTimeout: 0,
          bodyTimeout: 0,
        } as Dispatcher.DispatchOptions,
        this,
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('closed'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusText?: string,
  ): void {
    if (status < 200 || this.#over) return;
    this.#status = status;
    this.#headers = headers;
    const raw = controller.rawHeaders;
    const fields = Array.isArray(raw) ? raw.map((part) => Buffer.from(part).toString('latin1')) : [];
    this.#res.sendDate = false;
    this.#res.writeHead(status, REASON.test(statusText ?? '') ? (statusText ?? '') : '', forwardedResponse(fields));
    if (!mayBeStream(status, headers)) this.#dropCopy();
    if (hasBody(this.#req.method, status)) return this.#res.flushHeaders();
    // What a length says of it is said of another answer (RFC 9110, 8.6): none of it comes, whatever undici waits for.
    this.#res.end();
    this.#end('complete', null);
    controller.abort(new Error('an answer without a body'));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (chunk.length === 0 || this.#over) return;
    if (!this.#res.write(chunk)) {
      controller.pause();
      this.#res.once('drain', () => controller.resume());
    }
    this.#size += chunk.length;
    this.#copy?.response(chunk, roundedMs(this.#options.clock.now() - this.#since));
  }

  onResponseEnd(_: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    if (this.#over) return;
    if (Object.keys(trailers ?? {}).length > 0) this.#res.addTrailers(trailers as Record<string, string>);
    this.#res.end();
    this.#end('complete', null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  /** Leaves the request open when the target has answered early: its connection is that of the answer. */
  async *#requestBody(): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      this.#copy?.request(piece);
      yield piece;
    }
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    const problem = connectionProblem(error, BROKEN);
    const hadHead = this.#res.headersSent;
    this.#end(hadHead ? 'cut' : 'failed', problem);
    // As the target did: without the end of the body.
    if (hadHead) this.#res.destroy();
    else answerProblem(this.#res, 502, `The target does not answer: ${problem}`);
  }

  #breakOff(end: ProxyEnd, problem: string): void {
    if (this.#over) return;
    this.#end(end, problem);
    this.#controller?.abort(new Error(problem));
    this.#res.destroy();
  }

  #end(end: ProxyEnd, problem: string | null): void {
    this.#over = true;
    this.#options.signal.removeEventListener('abort', this.#onStop);
    this.#res.off('close', this.#onClose);
    if (this.#size === 0) this.#dropCopy();
    const copy = this.#copy;
    this.#copy = null;
    const head = { at: this.#at, status: this.#status, headers: this.#headers };
    this.#options.ended({ ...head, size: this.#size, end, problem, copy });
  }

  #dropCopy(): void {
    this.#copy?.drop();
    this.#copy = null;
  }
}

/** RFC 9112, 6.3: no body follows the head of an answer to HEAD, and of 1xx, 204 and 304. */
function hasBody(method: string | undefined, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304;
}

/** An error of the proxy itself, in the form that clients of model servers read. */
export function answerProblem(res: ServerResponse, status: number, message: string): void {
  const body = problemBody(message);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  res.end(body);
}

export function problemBody(message: string): string {
  return JSON.stringify({ error: { message, type: 'proxy_error', param: null, code: null } });
}

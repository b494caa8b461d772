/**
 * One exchange through the proxy. What comes from one side goes to the other at once and unchanged; a copy is kept beside
 * it. Each side is read no faster than the other takes it.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { connectionProblem } from '../agent/transport-problem.ts';
import type { Arrival } from '../replay/times.ts';
import { type RecordClock, roundedMs } from './clock.ts';
import { forwardedRequest, forwardedResponse } from './proxy-headers.ts';

/** How an exchange ended: `cut` by the target, `client-closed` by the client, `stopped` with the proxy, `failed`: no answer. */
export type ProxyEnd = 'complete' | 'cut' | 'client-closed' | 'stopped' | 'failed';

/** What was heard of an exchange. */
export interface Heard {
  readonly at: Date;
  /** The request body; null if it is longer than was kept. */
  readonly requestBody: Uint8Array | null;
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  /** The response body as it came; null if it is longer than was kept. */
  readonly bytes: Uint8Array | null;
  /** Bytes of the response body. */
  readonly size: number;
  readonly times: readonly Arrival[];
  readonly end: ProxyEnd;
  /** Why, where the end is no good one. */
  readonly problem: string | null;
}

export interface ForwardOptions {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  /** Path and query at the target. */
  readonly path: string;
  readonly clock: RecordClock;
  /** Aborted: the proxy stops. */
  readonly signal: AbortSignal;
  /** Most bytes of each body that are kept. */
  readonly keepLimit: number;
}

/** What a reason phrase may hold (RFC 9112, 4); Node sends no other, and nobody reads it. */
const REASON = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** Resolves when both sides are done; never rejects. */
export function forward(req: IncomingMessage, res: ServerResponse, options: ForwardOptions): Promise<Heard> {
  return new Promise((resolve) => {
    const exchange = new Forwarding(req, res, { ...options, ended: resolve });
    exchange.start();
  });
}

interface ForwardingOptions extends ForwardOptions {
  readonly ended: (heard: Heard) => void;
}

class Forwarding implements Dispatcher.DispatchHandler {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #options: ForwardingOptions;
  readonly #request: KeptBytes;
  readonly #response: KeptBytes;
  readonly #times: Arrival[] = [];
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
    this.#request = new KeptBytes(options.keepLimit);
    this.#response = new KeptBytes(options.keepLimit);
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
    this.#res.flushHeaders();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (chunk.length === 0 || this.#over) return;
    if (!this.#res.write(chunk)) {
      controller.pause();
      this.#res.once('drain', () => controller.resume());
    }
    this.#response.add(chunk);
    const { clock } = this.#options;
    this.#times.push({ ms: roundedMs(clock.now() - this.#since), bytes: this.#response.size });
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
      this.#request.add(piece);
      yield piece;
    }
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    const problem = connectionProblem(error);
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
    this.#options.ended({
      at: this.#at,
      requestBody: this.#request.bytes(),
      status: this.#status,
      headers: this.#headers,
      bytes: this.#response.bytes(),
      size: this.#response.size,
      times: this.#times,
      end,
      problem,
    });
  }
}

/** An error of the proxy itself, in the form that clients of model servers read. */
export function answerProblem(res: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ error: { message, type: 'proxy_error', param: null, code: null } });
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  res.end(body);
}

/** A copy of a body, up to a limit. */
class KeptBytes {
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(piece: Uint8Array): void {
    this.size += piece.length;
    if (this.size > this.#limit) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  /** Null if there were more. */
  bytes(): Uint8Array | null {
    return this.size > this.#limit ? null : Buffer.concat(this.#pieces);
  }
}

/**
 * One HTTP request whose response body is read piece by piece, at the reader's pace: after each piece the connection is
 * paused until the next one is wanted, so that what the reader does not read waits in the socket and, in the end, stops
 * the server. A stream of Node would read ahead, and would throw away what it holds when the connection is lost.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A request with a body is a POST. */
  readonly body: string;
}

export interface HttpStreamOptions {
  readonly dispatcher: Dispatcher;
  /** Aborted: the connection is closed, and whoever waits is rejected. */
  readonly signal: AbortSignal;
  /** Longest time without a byte, in ms: until the head, and from then on only while a piece is waited for. */
  readonly idleLimit: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Can be read once. Rejects where the connection is lost or silent for too long, after all that had arrived. */
  readonly chunks: AsyncIterableIterator<Uint8Array>;
  /** Nothing more is wanted: a body that has not ended is cut off, and its connection closed. */
  close(): void;
  /** Nothing more is expected: what little may follow is let pass, so that the connection can be used again. */
  leave(): void;
}

/** What may follow a complete answer before its connection is closed all the same: bytes, ms. */
const REST = { bytes: 16 * 1024, ms: 1000 };

/** Resolves with the head of the response; rejects if none comes. */
export function openStream(request: HttpRequest, options: HttpStreamOptions): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(options, { head: resolve, failed: reject });
    options.dispatcher.dispatch(
      {
        origin: request.url.origin,
        path: `${request.url.pathname}${request.url.search}`,
        method: 'POST',
        headers: request.headers,
        body: request.body,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      exchange,
    );
  });
}

interface HeadListener {
  readonly head: (answer: HttpAnswer) => void;
  readonly failed: (error: Error) => void;
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: HttpStreamOptions;
  readonly #listener: HeadListener;
  readonly #body = new PulledBody(() => this.#want());
  readonly #abort = (): void => this.#close(new Error('cancelled'));
  #controller: Dispatcher.DispatchController | null = null;
  #timer: NodeJS.Timeout | undefined;
  #over = false;
  /** Bytes that may still come after `leave`; null before. */
  #rest: number | null = null;

  constructor(options: HttpStreamOptions, listener: HeadListener) {
    this.#options = options;
    this.#listener = listener;
    if (options.signal.aborted) this.#close(new Error('cancelled'));
    options.signal.addEventListener('abort', this.#abort, { once: true });
    this.#watch();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('closed'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    clearTimeout(this.#timer);
    controller.pause();
    this.#listener.head({
      status,
      headers,
      chunks: this.#body,
      close: () => this.#close(new Error('closed')),
      leave: () => this.#leave(),
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#rest !== null) {
      this.#rest -= chunk.length;
      if (this.#rest < 0) this.#close(new Error('closed'));
      return;
    }
    // undici's parser shows an empty piece when it is resumed and nothing has come: pausing then would wait for ever.
    if (chunk.length === 0) return;
    clearTimeout(this.#timer);
    controller.pause();
    this.#body.push(chunk);
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
  }

  #want(): void {
    if (this.#over) return;
    this.#watch();
    this.#controller?.resume();
  }

  #leave(): void {
    if (this.#over) return;
    this.#rest = REST.bytes;
    this.#watch(REST.ms);
    this.#controller?.resume();
  }

  #watch(idleLimit = this.#options.idleLimit): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#close(new Error(`no byte came for ${idleLimit} ms`)), idleLimit);
  }

  #close(error: Error): void {
    if (this.#over) return;
    this.#end(error);
    this.#controller?.abort(error);
  }

  /** The first end is the end. */
  #end(error: Error | null): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener('abort', this.#abort);
    this.#body.end(error);
    // Nobody hears of it if the head has come.
    this.#listener.failed(error ?? new Error('the connection was closed'));
  }
}

/** Pieces that have come and were not asked for yet: at most what one read of the socket holds. */
class PulledBody implements AsyncIterableIterator<Uint8Array> {
  readonly #want: () => void;
  readonly #pieces: Uint8Array[] = [];
  #end: { readonly error: Error | null } | null = null;
  #waiting: { readonly resolve: () => void } | null = null;

  constructor(want: () => void) {
    this.#want = want;
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#wake();
  }

  end(error: Error | null): void {
    this.#end = { error };
    this.#wake();
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#pieces.length === 0 && this.#end === null) {
      const arrival = new Promise<void>((resolve) => {
        this.#waiting = { resolve };
      });
      this.#want();
      await arrival;
    }
    const piece = this.#pieces.shift();
    if (piece !== undefined) return { done: false, value: piece };
    if (this.#end?.error) throw this.#end.error;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wake(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
  }
}

/** HTTP servers for tests: each request is answered by the next of the given handlers, the last one for ever. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Handler = (response: ServerResponse, request: ReceivedRequest) => void;

export class TestServer {
  readonly requests: ReceivedRequest[] = [];
  /** Connections that were made so far. */
  connections = 0;
  readonly #server: Server;

  private constructor(handlers: readonly Handler[]) {
    this.#server = createServer((request, response) => void this.#answer(request, response, handlers));
    this.#server.on('connection', () => {
      this.connections++;
    });
  }

  static async start(...handlers: readonly Handler[]): Promise<TestServer> {
    const server = new TestServer(handlers);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse, handlers: readonly Handler[]): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { url = '', headers } = request;
    const received = { url, headers, body: Buffer.concat(pieces).toString('utf8') };
    this.requests.push(received);
    handlers[Math.min(this.requests.length, handlers.length) - 1]?.(response, received);
  }
}

/** Answers with an event stream that is over. */
export function streamOf(bytes: Uint8Array): Handler {
  return (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(bytes);
}

/** Answers with a status and a body. */
export function status(code: number, body: string | object, headers: Readonly<Record<string, string>> = {}): Handler {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) => response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(text);
}

/** A promise that a test settles itself. */
export function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

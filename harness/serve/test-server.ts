/**
 * What the tests of the server share: recordings in memory, a clock that stands still, and a client that reads raw
 * bytes.
 */
import { connect, type Socket } from 'node:net';
import { chatStream } from '../replay/envelope.ts';
import type { Framing, Recording } from '../replay/recording.ts';
import { sha256 } from '../replay/stored-recording.ts';
import type { Arrival } from '../replay/times.ts';
import type { Clock } from './clock.ts';
import type { Exchange } from './exchange.ts';
import { type RunningServer, type ServeOptions, startServer } from './server.ts';

/** A recording of suite `s`. */
export function inMemory(
  task: string,
  bytes: Uint8Array,
  { framing = 'ctl', times }: { readonly framing?: Framing; readonly times?: readonly Arrival[] } = {},
): Recording {
  return {
    suite: 's',
    file: `${task}.${framing}.sse`,
    task,
    framing,
    guessed: false,
    wire: 'openai-chat',
    sha256: sha256(bytes),
    size: bytes.length,
    source: 'crafted',
    expectations: [],
    bytes: async () => bytes,
    ...(times !== undefined && { arrivals: async () => times }),
  };
}

export function textBytes(...pieces: readonly string[]): Uint8Array {
  const usage = { promptTokens: 1, completionTokens: pieces.length };
  return chatStream({ id: 'x', model: 'm', parts: [{ type: 'text', pieces }], finish: 'stop', usage });
}

/**
 * Starts servers and stops all of them. `exchanges` has every request that was answered or refused, in order of its
 * end.
 */
export class TestServers {
  readonly exchanges: Exchange[] = [];
  readonly #running: RunningServer[] = [];

  /** At speed 0, if not asked for otherwise. */
  async start(options: ServeOptions): Promise<RunningServer> {
    const { ended, ...observer } = options.observer ?? {};
    const server = await startServer({
      speed: 0,
      ...options,
      observer: {
        ...observer,
        ended: (exchange) => {
          this.exchanges.push(exchange);
          ended?.(exchange);
        },
      },
    });
    this.#running.push(server);
    return server;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((server) => server.close()));
    this.exchanges.length = 0;
  }
}

/** A request body: one message of the user, and assistant messages before which turns went. */
export function chatBody(model: string | undefined, fields: object = {}, turn = 1): string {
  const before = Array.from({ length: turn - 1 }, () => ({ role: 'assistant', content: 'earlier' }));
  const messages = [{ role: 'user', content: 'do it' }, ...before];
  return JSON.stringify({ model, messages, stream: true, ...fields });
}

/** Waits until it is so; the test's own time limit ends the waiting. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Time that passes only when it is told to. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #sleepers = new Set<{ readonly due: number; readonly wake: () => void }>();

  now(): number {
    return this.#now;
  }

  /** Milliseconds that each sleeper still has to wait. */
  get waits(): readonly number[] {
    return [...this.#sleepers].map(({ due }) => due - this.#now);
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { due: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper);
        reject(new Error('aborted'));
      });
    });
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const sleeper of this.#sleepers) {
      if (sleeper.due > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}

/** A client below HTTP: what came, byte for byte, and how the connection ended. */
export class RawClient {
  readonly socket: Socket;
  /** `end`: the server closed it; otherwise the code of the error. */
  readonly ended: Promise<string>;
  #received = Buffer.alloc(0);

  constructor({ port }: RunningServer, body: string) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (piece) => {
      this.#received = Buffer.concat([this.#received, piece]);
    });
    this.ended = new Promise((resolve) => {
      this.socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      this.socket.once('end', () => resolve('end'));
    });
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}`;
    this.socket.write(`${head}\r\n\r\n${body}`);
  }

  get head(): string {
    return this.#received.toString('latin1').split('\r\n\r\n', 1)[0] ?? '';
  }

  /** The chunks of the response body that have come, and whether the one that ends it is among them. */
  get body(): { readonly bytes: Buffer; readonly isWhole: boolean } {
    const start = this.#received.indexOf('\r\n\r\n');
    const parts: Buffer[] = [];
    for (let at = start + 4; start !== -1 && at < this.#received.length; ) {
      const line = this.#received.indexOf('\r\n', at);
      const size = Number.parseInt(this.#received.toString('latin1', at, line), 16);
      if (size === 0) return { bytes: Buffer.concat(parts), isWhole: true };
      parts.push(this.#received.subarray(line + 2, line + 2 + size));
      at = line + 2 + size + 2;
    }
    return { bytes: Buffer.concat(parts), isWhole: false };
  }
}

/** Bytes out through node:http: what the socket takes, what it refuses, and how a response ends. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { BodySink } from './deliver.ts';
import type { ExchangeLog } from './exchange.ts';

/** One request under way. */
export interface Reply {
  readonly res: ServerResponse;
  readonly log: ExchangeLog;
  /** Aborted when the client leaves or the server stops. */
  readonly signal: AbortSignal;
}

export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends status and headers at once, before there is a body. */
export function sendHead({ res, log }: Reply, { status, headers }: Head): void {
  // Without the date the same request gives the same bytes.
  res.sendDate = false;
  res.writeHead(status, headers);
  res.flushHeaders();
  log.status = status;
}

/** A whole JSON response; `body` null: none. */
export async function sendJson(reply: Reply, head: Head, body: object | null): Promise<void> {
  const { res, log, signal } = reply;
  const bytes = Buffer.from(body === null ? '' : `${JSON.stringify(body)}\n`);
  const hasBody = body !== null && res.req.method !== 'HEAD';
  const type = body === null ? {} : { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  sendHead(reply, { status: head.status, headers: { ...type, ...head.headers } });
  const sent = hasBody ? bytes.length : 0;
  log.give(sent);
  await endResponse(res, signal, hasBody ? bytes : undefined);
  log.take(sent);
  log.finish('complete');
}

/** Resolves when the system has taken everything. */
export async function endResponse(res: ServerResponse, signal: AbortSignal, last?: Uint8Array): Promise<void> {
  const finished = once(res, 'finish', { signal });
  res.end(last);
  await finished;
}

/** Closes the connection without ending the response: after everything that was written, or with a reset. */
export function breakOff({ res }: Reply, how: 'cut' | 'reset'): void {
  const { socket } = res;
  if (socket === null) return;
  if (how === 'cut') socket.destroySoon();
  else afterThisTurn(() => socket.resetAndDestroy());
}

/** The response body as a sink: it waits until the system has taken a piece, and notes where that takes long. */
export class ResponseBody implements BodySink {
  readonly #reply: Reply;

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  write(bytes: Uint8Array): Promise<void> {
    const { res, log, signal } = this.#reply;
    log.give(bytes.length);
    return new Promise((resolve, reject) => {
      let waits = true;
      const leave = (): void => settle(new Error('aborted', { cause: signal.reason }));
      const settle = (error?: Error | null): void => {
        if (!waits) return;
        waits = false;
        signal.removeEventListener('abort', leave);
        if (error) reject(error);
        else {
          log.take(bytes.length);
          resolve();
        }
      };
      signal.addEventListener('abort', leave, { once: true });
      res.write(bytes, settle);
      afterThisTurn(() => {
        if (waits) log.refuse();
      });
    });
  }
}

/**
 * By then a socket has taken what it can take, and a client in this process has read it. The return value of `write`
 * tells of Node's own buffer instead, and says "full" of any large piece.
 */
function afterThisTurn(act: () => void): void {
  setImmediate(() => setImmediate(act));
}

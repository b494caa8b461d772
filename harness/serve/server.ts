/**
 * An OpenAI-compatible server that answers from recordings (runtime.md "Model side"): no model, key or network is
 * needed. What comes out is the recording's bytes, at their times; faults happen to them on demand.
 */

import { createServer, type IncomingMessage } from 'node:http';
import type { Framing, Recording } from '../replay/recording.ts';
import { DEFAULT_SEED } from '../replay/seeded.ts';
import { ApiError } from './api-error.ts';
import type { ChatServing } from './chat-answer.ts';
import { Chooser } from './choice.ts';
import { type Clock, REAL_CLOCK } from './clock.ts';
import { ExchangeLog, type ServeObserver } from './exchange.ts';
import type { ArmedFault } from './faults.ts';
import { isLoopback, listen, originOf } from './listen.ts';
import { breakOff, type Reply, sendJson } from './response.ts';
import { route } from './routes.ts';
import { ServeError } from './serve-error.ts';
import type { After, Session } from './session.ts';

export interface ServeOptions {
  readonly recordings: readonly Recording[];
  /** 127.0.0.1 if absent. */
  readonly host?: string;
  /** 0, and if absent: any free one. */
  readonly port?: number;
  /** Needed for a host that is not loopback: whoever reaches it can read the recordings. */
  readonly allowRemote?: boolean;
  /** 1 (if absent) as recorded, N times faster, 0 without waiting. */
  readonly speed?: number;
  /** Of the pace of recordings without arrival times. */
  readonly seed?: number;
  /** What every model name that is no recording gets; if absent, such a name is a 404. */
  readonly session?: Session;
  /** What a conversation with a recording gets after its first turn; `done` if absent. */
  readonly after?: After;
  /** Of a task that has several, where the request offers no tools (then it is `native`); `ctl` if absent. */
  readonly framing?: Framing;
  /** They happen to every answer, besides those of the session. */
  readonly faults?: readonly ArmedFault[];
  readonly observer?: ServeObserver;
  readonly clock?: Clock;
  /** Most bytes of a request body; 16 MiB if absent. */
  readonly bodyLimit?: number;
}

export interface RunningServer {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** What a client calls its base URL: `http://127.0.0.1:8080/v1` */
  readonly baseUrl: string;
  readonly port: number;
  /** What `GET /v1/models` lists. */
  readonly models: readonly string[];
  /** Recordings that are served. */
  readonly recordings: number;
  /** Recordings that are not, because they are no OpenAI-chat streams. */
  readonly leftOut: number;
  /** Ends open streams where they are, and frees the port. */
  close(): Promise<void>;
}

export const LOOPBACK_HOST = '127.0.0.1';

export const DEFAULT_BODY_LIMIT = 16 * 1024 * 1024;

/** Requests under way, so that stopping the server can end and await them. */
type Open = Map<AbortController, Promise<void>>;

/** Throws `ServeError` if it cannot be started as asked. */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const host = options.host ?? LOOPBACK_HOST;
  if (!isLoopback(host) && options.allowRemote !== true) {
    throw new ServeError(
      'option',
      `${host} is not loopback: other machines could read the recordings; allow it with --allow-remote`,
    );
  }
  const serving = servingOf(options);
  const open: Open = new Map();
  const server = createServer((req, res) => {
    const controller = new AbortController();
    const log = new ExchangeLog({ method: req.method ?? '', path: pathOf(req) }, options.observer ?? {});
    const leave = (): void => controller.abort('client-closed');
    req.socket.once('close', leave);
    const done = handle({ res, log, signal: controller.signal }, serving).finally(() => {
      req.socket.off('close', leave);
      open.delete(controller);
    });
    open.set(controller, done);
  });
  const port = await listen(server, { host, port: options.port ?? 0 });
  const url = originOf({ host, port });
  const { models, catalogue } = serving.chooser;
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const controller of open.keys()) controller.abort('stopped');
    await Promise.all(open.values());
    server.closeAllConnections();
    await closed;
  };
  const counts = { recordings: catalogue.names.length, leftOut: catalogue.leftOut };
  return { url, baseUrl: `${url}/v1`, port, models, ...counts, close };
}

function servingOf(options: ServeOptions): ChatServing {
  const { recordings, session = null, after = 'done', framing = 'ctl', faults = [], seed = DEFAULT_SEED } = options;
  return {
    chooser: new Chooser({ recordings, session, after, framing, faults, seed }),
    timing: { speed: options.speed ?? 1, seed },
    clock: options.clock ?? REAL_CLOCK,
    bodyLimit: options.bodyLimit ?? DEFAULT_BODY_LIMIT,
  };
}

/** Never rejects: whatever goes wrong ends this exchange alone. */
async function handle(reply: Reply, serving: ChatServing): Promise<void> {
  const { res, log, signal } = reply;
  try {
    try {
      await route(reply, serving);
    } catch (error) {
      if (signal.aborted || res.headersSent) throw error;
      await sendError(reply, error);
    }
  } catch (error) {
    if (!signal.aborted) log.problem = messageOf(error);
    log.finish(signal.aborted ? (signal.reason === 'stopped' ? 'stopped' : 'client-closed') : 'failed');
    breakOff(reply, 'cut');
  }
}

async function sendError(reply: Reply, error: unknown): Promise<void> {
  const { res, log } = reply;
  log.problem = messageOf(error);
  const answer = error instanceof ApiError ? error : new ApiError({ status: 500, message: messageOf(error) });
  await sendJson(reply, { status: answer.status, headers: answer.headers }, answer.body());
  if (!res.req.readableEnded) res.req.resume();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Without the query. */
function pathOf(req: IncomingMessage): string {
  return (req.url ?? '').split('?', 1)[0] ?? '';
}

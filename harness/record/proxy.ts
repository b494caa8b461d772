/**
 * A reverse proxy on this machine between a client and a model server: what passes through is unchanged and not delayed,
 * and a copy of each streamed answer goes into a suite. Whatever goes wrong with storing is no matter of the client's.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent } from 'undici';
import type { Framing } from '../replay/recording.ts';
import type { SuiteWriter } from '../replay/suite-writer.ts';
import { isLoopback, listen, originOf } from '../serve/listen.ts';
import { ServeError } from '../serve/serve-error.ts';
import { BODY_LIMIT } from './attempt.ts';
import { RECORD_CLOCK, type RecordClock } from './clock.ts';
import { answerProblem, forward, type Heard, type ProxyEnd } from './proxy-exchange.ts';
import { secretsOf, TASK_HEADER } from './proxy-headers.ts';
import { proxyRecording, streamWire } from './proxy-recording.ts';

/** Where the task of an answer is named: in a header, or as the first segment of the path, which the target does not see. */
export const TASK_SOURCES = ['header', 'path'] as const;
export type TaskSource = (typeof TASK_SOURCES)[number];

export interface ProxyOptions {
  /** With a path in front of all paths, or without. */
  readonly target: URL;
  readonly writer: Pick<SuiteWriter, 'add'>;
  /** Loopback. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly taskFrom: TaskSource;
  /** Of all answers; null: guessed from each. */
  readonly protocol: Framing | null;
  readonly provider: string | null;
  readonly redact: boolean;
  readonly observer?: ProxyObserver;
  readonly clock?: RecordClock;
  /** Most bytes of a request or an answer that are kept. */
  readonly keepLimit?: number;
}

export interface ProxyExchange {
  readonly method: string;
  /** Without the query, which may hold a key. */
  readonly path: string;
  readonly status: number | null;
  /** Bytes of the answer. */
  readonly bytes: number;
  readonly end: ProxyEnd;
  /** The file of its recording; null if it was not stored. */
  readonly file: string | null;
  /** Why a streamed answer was not stored, or why there is none. */
  readonly problem: string | null;
  /** It was to be stored, and is not. */
  readonly lost: boolean;
}

export interface ProxyObserver {
  /** When an exchange has ended and its recording is on disk. */
  ended?(exchange: ProxyExchange): void;
}

export interface RunningProxy {
  /** What a client puts in place of the target's address. */
  readonly url: string;
  readonly port: number;
  /** Ends open exchanges where they are, unstored, and waits for what is being stored. */
  close(): Promise<void>;
}

/** Throws `ServeError` if it cannot listen as asked. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const { host } = options;
  if (!isLoopback(host)) {
    throw new ServeError('option', `${host} is not loopback: other machines could use the keys that pass through`);
  }
  const stop = new AbortController();
  const dispatcher = new Agent();
  const open = new Set<Promise<void>>();
  const server = createServer((req, res) => {
    const done = handle(req, res, { options, dispatcher, signal: stop.signal }).finally(() => open.delete(done));
    open.add(done);
  });
  // A prompt may take a client longer to send than Node waits.
  server.requestTimeout = 0;
  const port = await listen(server, { host, port: options.port });
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    stop.abort();
    await Promise.all(open);
    server.closeAllConnections();
    await closed;
    await dispatcher.destroy();
  };
  return { url: originOf({ host, port }), port, close };
}

interface Handling {
  readonly options: ProxyOptions;
  readonly dispatcher: Agent;
  readonly signal: AbortSignal;
}

async function handle(req: IncomingMessage, res: ServerResponse, handling: Handling): Promise<void> {
  const { options, dispatcher, signal } = handling;
  const asked = routeOf(req, options);
  if (asked === null) return answerProblem(res, 400, 'The path must begin with "/": this is a reverse proxy');
  const { target, clock = RECORD_CLOCK, keepLimit = BODY_LIMIT } = options;
  const path = `${target.pathname.replace(/\/+$/, '')}${asked.path}`;
  const heard = await forward(req, res, { dispatcher, origin: target.origin, path, clock, signal, keepLimit });
  const stored = await store(heard, { req, path, task: asked.task }, options);
  options.observer?.ended?.({
    method: req.method ?? '',
    path: path.split('?', 1)[0] ?? '',
    ...{ status: heard.status, bytes: heard.size, end: heard.end },
    ...stored,
  });
}

interface Route {
  /** With the query. */
  readonly path: string;
  readonly task: string | null;
}

function routeOf(req: IncomingMessage, { taskFrom }: ProxyOptions): Route | null {
  const path = req.url ?? '';
  if (!path.startsWith('/')) return null;
  const header = req.headers[TASK_HEADER];
  const named = typeof header === 'string' && header !== '' ? header : null;
  if (taskFrom === 'header') return { path, task: named };
  const [, segment = '', rest = ''] = /^\/([^/?]*)(.*)$/s.exec(path) ?? [];
  return { path: rest.startsWith('/') ? rest : `/${rest}`, task: segment === '' ? named : segment };
}

interface Origin {
  readonly req: IncomingMessage;
  readonly path: string;
  readonly task: string | null;
}

/** Never rejects. */
async function store(
  heard: Heard,
  { req, path, task }: Origin,
  { writer, protocol, provider, redact }: ProxyOptions,
): Promise<Pick<ProxyExchange, 'file' | 'problem' | 'lost'>> {
  const wire = streamWire(req.method ?? '', path, heard);
  if (wire === null) return { file: null, problem: heard.problem, lost: false };
  if (heard.end === 'stopped') return { file: null, problem: heard.problem, lost: true };
  try {
    const secrets = { known: secretsOf(req.rawHeaders, path), redact };
    const made = proxyRecording(heard, { wire, path }, { naming: { task, protocol, provider }, secrets });
    if ('problem' in made) return { file: null, problem: made.problem, lost: true };
    return { file: await writer.add(made.recording), problem: heard.problem, lost: false };
  } catch (error) {
    return { file: null, problem: error instanceof Error ? error.message : String(error), lost: true };
  }
}

/**
 * A reverse proxy on this machine between a client and a model server: what passes through is unchanged and not delayed,
 * and a copy of each streamed answer goes into a suite. Whatever goes wrong with storing is no matter of the client's.
 */
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Agent } from 'undici';
import { TASK_NAME } from '../replay/suite-writer.ts';
import { isLoopback, listen, originOf } from '../serve/listen.ts';
import { ServeError } from '../serve/serve-error.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { MOST_HEADERS } from './answer-head.ts';
import { RECORD_CLOCK, type RecordClock } from './clock.ts';
import { answerProblem, forward, type Passed, problemBody } from './proxy-exchange.ts';
import { secretsOf, TASK_HEADER } from './proxy-headers.ts';
import { endpointWire, type ProxyEnd } from './proxy-recording.ts';
import type { ProxyStore } from './proxy-store.ts';

/** Where the task of an answer is named: in a header, or as the first segment of the path, which the target does not see. */
export const TASK_SOURCES = ['header', 'path'] as const;
export type TaskSource = (typeof TASK_SOURCES)[number];

export interface ProxyOptions {
  /** With a path in front of all paths, or without. */
  readonly target: URL;
  /** Takes copies of what may be a streamed answer. */
  readonly store: ProxyStore;
  /** Loopback. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly taskFrom: TaskSource;
  readonly observer?: ProxyObserver;
  readonly clock?: RecordClock;
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
  /** At once: something of a request is not as the client meant it. */
  warned?(warning: string): void;
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
  // One for each exchange.
  setMaxListeners(0, stop.signal);
  const dispatcher = new Agent({ maxHeaderSize: MOST_HEADERS });
  const open = new Set<Promise<void>>();
  const server = createServer({ maxHeaderSize: MOST_HEADERS }, (req, res) => {
    const done = handle(req, res, { options, dispatcher, signal: stop.signal }).finally(() => open.delete(done));
    open.add(done);
  });
  // A prompt may take a client longer to send than Node waits.
  server.requestTimeout = 0;
  server.on('clientError', (error, socket) => refuseConnection(error, socket, options.observer));
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
  const { target, clock = RECORD_CLOCK, store, observer = {} } = options;
  const asked = routeOf(req, options);
  const refused = refusalOf(req, asked);
  if (refused !== null || asked === null) {
    const [status, problem] = refused ?? NO_PATH;
    answerProblem(res, status, problem);
    return observer.ended?.({ ...refusedExchange(status, problem), method: req.method ?? '', path: pathOf(req.url) });
  }
  const path = `${target.pathname.replace(/\/+$/, '')}${asked.path}`;
  const wire = endpointWire(req.method ?? '', path);
  const task = wire === null ? null : usableTask(asked.task, observer);
  const copy = wire === null ? null : store.open();
  const passed = await forward(req, res, { dispatcher, origin: target.origin, path, clock, signal, copy });
  const stored = await settle(passed, { req, path, task, wire });
  observer.ended?.({
    method: req.method ?? '',
    path: pathOf(path),
    ...{ status: passed.status, bytes: passed.size, end: passed.end },
    ...stored,
  });
}

const NO_PATH = [400, 'The path must begin with "/": this is a reverse proxy'] as const;

/** What is answered here, and is no matter of the target's: status and words. */
function refusalOf(req: IncomingMessage, asked: Route | null): readonly [status: number, problem: string] | null {
  const { upgrade } = req.headers;
  if (asked === null) return NO_PATH;
  if (!/^websocket$/i.test(upgrade ?? '')) return null;
  return [501, 'WebSockets are not passed on: this proxy records answers to requests (use the HTTP interface)'];
}

function refusedExchange(status: number, problem: string): Omit<ProxyExchange, 'method' | 'path'> {
  return { status, bytes: 0, end: 'complete', file: null, problem, lost: false };
}

/** Without the query, which may hold a key. */
function pathOf(url: string | undefined): string {
  return url?.split('?', 1)[0] ?? '';
}

/** What cannot name a file is said before the answer is there, which a hash of the request then names. */
function usableTask(task: string | null, { warned }: ProxyObserver): string | null {
  if (task === null || TASK_NAME.test(task)) return task;
  // It may be a key by mistake.
  warned?.(
    `a task that cannot name a file (${task.length} characters; up to 100 letters, digits, ".", "_" and "-" can, the first ` +
      'one a letter or a digit): the answer will be named by a hash of its request',
  );
  return null;
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
  readonly wire: WireFormat | null;
}

/** Never rejects. */
async function settle(
  { copy, status: _, ...passed }: Passed,
  { req, path, task, wire }: Origin,
): Promise<Pick<ProxyExchange, 'file' | 'problem' | 'lost'>> {
  const { problem } = passed;
  if (copy === null || wire === null) return { file: null, problem, lost: false };
  if (passed.end === 'stopped') {
    copy.drop();
    return { file: null, problem, lost: true };
  }
  const known = secretsOf(req.rawHeaders, path);
  return copy.end({ ...passed, wire, path, task, known });
}

/** What could not be read as a request: Node has no answer to go with it. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex, observer: ProxyObserver = {}): void {
  // A client that has gone is no mistake of anybody's.
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const isOverflow = error.code === 'HPE_HEADER_OVERFLOW';
  const status = isOverflow ? 431 : 400;
  const problem = isOverflow
    ? `The head of the request is longer than ${MOST_HEADERS} bytes, which is the most that this proxy passes on`
    : `This is no HTTP request (${error.code ?? error.message})`;
  const body = problemBody(problem);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  observer.ended?.({ ...refusedExchange(status, problem), method: '', path: '' });
}

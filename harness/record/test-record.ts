/** What the tests of the recorder share: model servers, suites in a temporary folder, a clock that does not wait, and a whole run. */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { loadSuites } from '../replay/load.ts';
import { MANIFEST_FILE, type Manifest } from '../replay/manifest.ts';
import type { Recording } from '../replay/recording.ts';
import { SuiteWriter } from '../replay/suite-writer.ts';
import { armedFault } from '../serve/faults.ts';
import { LOOPBACK_HOST, type RunningServer } from '../serve/server.ts';
import { inMemory, TestServers, textBytes } from '../serve/test-server.ts';
import { MOST_HEADERS } from './answer-head.ts';
import { RECORD_CLOCK, type RecordClock } from './clock.ts';
import { type RecordWire, requestHeaders } from './endpoint.ts';
import { type Plan, type PlanOptions, planJobs } from './plan.ts';
import { type Outcome, record } from './recorder.ts';
import { clearRequest, type SecretRules } from './secret-check.ts';
import { type Retry, Sender } from './sender.ts';
import type { RecordTask } from './task-file.ts';

/** A stream of text with multi-byte characters. */
export const BODY = textBytes('call c1 t\n', 'arg k 2\nhé', '\nend\n', '那'.repeat(3000));

/** Servers of one test. */
export class ModelServers {
  readonly servers = new TestServers();
  readonly #ends: (() => void)[] = [];

  /** A model server that answers from one recording, `s/t01`. */
  serve(bytes: Uint8Array, faults: readonly string[] = [], times: number | null = null): Promise<RunningServer> {
    const armed = faults.map((text) => armedFault(text, times));
    return this.servers.start({ recordings: [inMemory('t01', bytes)], faults: armed });
  }

  /** Any server; gives its address. */
  async serveBy(listener: RequestListener, options: ServerOptions = {}): Promise<string> {
    const server = createServer(options, listener);
    this.#ends.push(() => server.closeAllConnections());
    return this.#listening(server);
  }

  /** A server that answers every request with these very bytes, and keeps the connection. */
  async serveBytes(answer: string): Promise<string> {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).once('data', () => socket.write(answer));
    });
    this.#ends.push(() => {
      for (const socket of sockets) socket.destroy();
    });
    return this.#listening(server);
  }

  async #listening(server: Server): Promise<string> {
    server.listen(0, LOOPBACK_HOST);
    this.#ends.push(() => server.close());
    await once(server, 'listening');
    return `http://${LOOPBACK_HOST}:${(server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await this.servers.stop();
    for (const end of this.#ends.splice(0)) end();
  }
}

export class TestSuites {
  readonly dir = mkdtempSync(join(tmpdir(), 'record-'));

  open(suite = 'own'): Promise<SuiteWriter> {
    return SuiteWriter.open(this.dir, { suite, about: 'Of a test.' });
  }

  /** Checked against manifest, sizes and times. */
  load(): Promise<readonly Recording[]> {
    return loadSuites(this.dir);
  }

  /** Of the suite `own`. */
  manifest(): Manifest {
    return JSON.parse(readFileSync(join(this.dir, 'own', MANIFEST_FILE), 'utf8')) as Manifest;
  }

  /** Names and contents of all files of the suite `own`. */
  everything(): { readonly files: readonly string[]; readonly text: string } {
    const folder = join(this.dir, 'own');
    const files = readdirSync(folder).sort();
    return { files, text: files.map((file) => readFileSync(join(folder, file), 'utf8')).join('') };
  }

  remove(): void {
    rmSync(this.dir, { recursive: true });
  }
}

/** Real time for what arrives; waits are over at once, and noted. */
export class HastyClock implements RecordClock {
  readonly waits: number[] = [];
  #skipped = 0;

  now(): number {
    return RECORD_CLOCK.now() + this.#skipped;
  }

  date(): Date {
    return new Date(Date.UTC(2026, 0, 2));
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.waits.push(ms);
    this.#skipped += ms;
  }
}

export interface TestRun {
  readonly url: string;
  readonly suites: TestSuites;
  readonly tasks?: readonly RecordTask[];
  readonly plan?: Partial<PlanOptions>;
  readonly wire?: RecordWire;
  readonly secrets?: SecretRules;
  readonly concurrency?: number;
  readonly retries?: number;
  readonly idleLimit?: number;
  readonly clock?: RecordClock;
  readonly signal?: AbortSignal;
  readonly onEnded?: (outcome: Outcome) => void;
}

export interface RunResult {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly retries: readonly Retry[];
}

export function askedTask(name: string, user = `do ${name}`): RecordTask {
  return { name, messages: [{ role: 'user', content: user }] };
}

/** Plans, asks `url` (the whole address) and stores, as the command does. */
export async function runRecord(run: TestRun): Promise<RunResult> {
  const { suites, wire = 'openai-chat', secrets = { known: [], redact: false }, signal } = run;
  const writer = await suites.open();
  const dispatcher = new Agent({ maxHeaderSize: MOST_HEADERS });
  const retries: Retry[] = [];
  try {
    const plan = planJobs(planOptions(run), writer.recordings, (job) => {
      const cleared = clearRequest(job.request, secrets);
      if ('value' in cleared) return cleared.value;
      throw new Error(cleared.problem);
    });
    const sender = new Sender({
      url: new URL(run.url),
      headers: requestHeaders(wire, secrets.known[0]),
      wire,
      known: secrets.known,
      dispatcher,
      signal: signal ?? new AbortController().signal,
      idleLimit: run.idleLimit ?? 5000,
      retries: run.retries ?? 3,
      clock: run.clock ?? new HastyClock(),
    });
    const outcomes = await record(plan.todo, {
      ...{ writer, sender, secrets, concurrency: run.concurrency ?? 1 },
      signal: signal ?? new AbortController().signal,
      observer: { retry: (_, retry) => retries.push(retry), ended: (_, outcome) => run.onEnded?.(outcome) },
    });
    return { plan, outcomes, retries };
  } finally {
    await writer.close();
    await dispatcher.destroy();
  }
}

function planOptions({ tasks = [askedTask('t01')], plan, wire = 'openai-chat' }: TestRun): PlanOptions {
  return {
    tasks,
    protocols: ['ctl'],
    models: ['s/t01'],
    runs: 1,
    label: 'run',
    provider: null,
    settings: { wire, systems: new Map(), fields: {} },
    ...plan,
  };
}

/** A store in a thread of its own: for the proxy, a piece costs a copy of it and an answer a message. */
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { makeFolder } from '../replay/make-folder.ts';
import { RecordingError } from '../replay/recording-error.ts';
import { type SuiteHead, SuiteWriter } from '../replay/suite-writer.ts';
import { type Batch, PieceBatch } from './piece-batch.ts';
import type { ExchangeCopy, ExchangeFacts, ProxyStore, Stored, StoreOptions } from './proxy-store.ts';
import type { FromThread, ThreadData, ToThread } from './store-thread.ts';

export class ThreadStore implements ProxyStore {
  readonly #worker: Worker;
  readonly #keepLimit: number;
  readonly #waiting = new Map<number, (stored: Stored) => void>();
  #exchanges = 0;
  /** Why the thread stores no more. */
  #lost: string | null = null;
  #closed: () => void = () => {};

  private constructor(worker: Worker, keepLimit: number) {
    this.#worker = worker;
    this.#keepLimit = keepLimit;
    worker.on('message', (message: FromThread) => this.#hear(message));
    worker.on('error', (error) => this.#lose(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => this.#lose('it has ended'));
  }

  /** Opens the suite `dir/<suite>` as `SuiteWriter.open` does, and with its errors. {@link close} it in the end. */
  static async open(dir: string, head: SuiteHead, options: StoreOptions): Promise<ThreadStore> {
    const folder = join(dir, head.suite);
    await makeFolder(folder);
    // What is wrong with the suite is told best where errors stay what they are.
    await (await SuiteWriter.open(dir, head)).close();
    const data: ThreadData = { dir, head, options, folder };
    const worker = startThread(data);
    const store = new ThreadStore(worker, options.keepLimit);
    const first = await new Promise<FromThread>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
    if (first.type !== 'unusable') return store;
    await worker.terminate();
    throw new RecordingError({ file: folder, what: first.problem, advice: 'Start the proxy again' });
  }

  open(): ExchangeCopy {
    const exchange = ++this.#exchanges;
    const request = new PieceBatch(this.#keepLimit, (batch) => this.#hand({ type: 'request', exchange, ...batch }));
    const response = new PieceBatch(this.#keepLimit, (batch) => this.#hand({ type: 'response', exchange, ...batch }));
    const flush = (): void => {
      request.flush();
      response.flush();
    };
    return {
      request: (piece) => request.add(piece, 0),
      response: (piece, ms) => response.add(piece, ms),
      drop: () => {
        flush();
        this.#say({ type: 'drop', exchange });
      },
      end: (facts) => {
        flush();
        return this.#end(exchange, facts);
      },
    };
  }

  /** Waits for what is being stored, and gives the suite free. */
  async close(): Promise<void> {
    if (this.#lost === null) {
      await new Promise<void>((resolve) => {
        this.#closed = resolve;
        this.#say({ type: 'close' });
      });
    }
    await this.#worker.terminate();
  }

  #end(exchange: number, facts: ExchangeFacts): Promise<Stored> {
    if (this.#lost !== null) return Promise.resolve(lostAnswer(this.#lost));
    return new Promise((resolve) => {
      this.#waiting.set(exchange, resolve);
      this.#say({ type: 'end', exchange, facts });
    });
  }

  #hand(message: ToThread & Batch): void {
    this.#worker.postMessage(message, [message.bytes.buffer]);
  }

  #say(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromThread): void {
    if (message.type === 'closed') return this.#closed();
    if (message.type !== 'stored') return;
    this.#waiting.get(message.exchange)?.(message.stored);
    this.#waiting.delete(message.exchange);
  }

  #lose(why: string): void {
    this.#lost ??= why;
    for (const resolve of this.#waiting.values()) resolve(lostAnswer(this.#lost));
    this.#waiting.clear();
    this.#closed();
  }
}

function lostAnswer(why: string): Stored {
  return { file: null, problem: `the thread that stores has failed: ${why}`, lost: true };
}

/** Compiled, a thread starts as it is; tsx registers its loader in the main thread only, so that this one has to. */
function startThread(data: ThreadData): Worker {
  const extension = extname(import.meta.url);
  const file = new URL(`./store-thread${extension}`, import.meta.url);
  if (extension !== '.ts') return new Worker(file, { workerData: data });
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const start = `import(${tsx}).then(({ register }) => { register(); return import(${JSON.stringify(file.href)}); });`;
  return new Worker(start, { eval: true, execArgv: [], workerData: data });
}

/**
 * Experiment C's recordings over worker threads. A thread costs about 50 ms to start, so small runs stay in this one.
 * Results come back by task, so that concurrency never changes a byte.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { checkRecording, type RecordingRows, type RecordingTask } from './c-recording.ts';

/** Below this many bytes of recordings a second thread does not pay. */
const THREADS_FROM = 4 * 1024 * 1024;

export interface WorkerPool {
  run(task: RecordingTask): Promise<RecordingRows>;
  close(): Promise<void>;
}

/** @param totalBytes of all recordings; `concurrency` 0 means as many threads as there are cores. */
export function createPool(totalBytes: number, concurrency: number): WorkerPool {
  const threads = concurrency === 0 ? availableParallelism() : concurrency;
  if (threads === 1 || (concurrency === 0 && totalBytes < THREADS_FROM)) {
    return { run: async (task) => checkRecording(task), close: async () => {} };
  }
  return new ThreadPool(threads);
}

type Answer = { readonly rows: RecordingRows } | { readonly failure: string };

interface Job {
  readonly task: RecordingTask;
  readonly resolve: (rows: RecordingRows) => void;
  readonly reject: (error: Error) => void;
}

class ThreadPool implements WorkerPool {
  readonly #idle: Worker[] = [];
  readonly #all: Worker[] = [];
  readonly #waiting: Job[] = [];

  constructor(threads: number) {
    for (let i = 0; i < threads; i++) {
      const worker = new Worker(new URL('./c-worker.ts', import.meta.url), { execArgv: process.execArgv });
      this.#all.push(worker);
      this.#idle.push(worker);
    }
  }

  run(task: RecordingTask): Promise<RecordingRows> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((worker) => worker.terminate()));
  }

  #next(): void {
    const worker = this.#idle[0];
    const job = this.#waiting[0];
    if (worker === undefined || job === undefined) return;
    this.#idle.shift();
    this.#waiting.shift();
    const finish = (settle: () => void): void => {
      worker.removeAllListeners();
      this.#idle.push(worker);
      settle();
      this.#next();
    };
    worker.once('message', (answer: Answer) =>
      finish(() => ('rows' in answer ? job.resolve(answer.rows) : job.reject(new Error(answer.failure)))),
    );
    worker.once('error', (error) => finish(() => job.reject(error)));
    worker.postMessage(job.task);
  }
}

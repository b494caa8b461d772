/**
 * Experiment C's recordings over worker threads. A thread costs about 50 ms to start, so small runs stay in this one.
 * Results come back by task, so that concurrency never changes a byte.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { checkRecording, type RecordingRows, type RecordingTask } from './c-recording.ts';

/** Below this many bytes of recordings a second thread does not pay. */
const THREADS_FROM = 4 * 1024 * 1024;

/** MiB. What lives long in a thread is one recording; a large nursery would only let garbage pile up. */
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 };

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

/** A thread and the job that it is at. */
interface Thread {
  readonly worker: Worker;
  job: Job | null;
}

class ThreadPool implements WorkerPool {
  readonly #threads: readonly Thread[];
  readonly #waiting: Job[] = [];
  #closed = false;

  constructor(threads: number) {
    this.#threads = Array.from({ length: threads }, () => this.#start());
  }

  run(task: RecordingTask): Promise<RecordingRows> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(): Thread {
    const worker = new Worker(new URL('./start-worker.mjs', import.meta.url), {
      execArgv: [],
      resourceLimits: THREAD_LIMITS,
    });
    const thread: Thread = { worker, job: null };
    worker.on('message', (answer: Answer) => {
      const { job } = thread;
      thread.job = null;
      if ('rows' in answer) job?.resolve(answer.rows);
      else job?.reject(new Error(answer.failure));
      this.#next();
    });
    worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', (code) => {
      if (!this.#closed) this.#fail(new Error(`a worker thread ended with exit code ${code}`));
    });
    return thread;
  }

  #next(): void {
    for (const thread of this.#threads) {
      if (thread.job !== null) continue;
      const job = this.#waiting.shift();
      if (job === undefined) return;
      thread.job = job;
      thread.worker.postMessage(job.task);
    }
  }

  /** A thread is lost: nothing that waits would ever be answered. */
  #fail(error: Error): void {
    for (const { job } of this.#threads) job?.reject(error);
    for (const job of this.#waiting.splice(0)) job.reject(error);
  }
}

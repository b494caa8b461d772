/** A process that answers a line with a line. Every way in which it can fail to is a {@link ProcessFailure}. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** The process did not answer. The message says how. */
export class ProcessFailure extends Error {
  override readonly name = 'ProcessFailure';
}

/** Longest line of an answer, in UTF-16 units: a frontier of a stream of some MiB. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** Between the end of its input and its being killed, and between its end and that of its pipes, in ms. */
const GRACE = 500;
/** Lines that are written at once. */
const BATCH = 256;

/** What is started: a line for the shell, or a program that has pipes of its own for the lines (3: to it, 4: from it). */
export type LineProgram = { readonly command: string } | { readonly file: string; readonly args: readonly string[] };

interface Started {
  readonly child: ChildProcess;
  readonly input: Writable;
  readonly output: Readable;
  /** What it says besides. */
  readonly others: readonly Readable[];
}

/** Processes that still run when this one ends are ended with it. */
const running = new Set<LineProcess>();
let watching = false;

export class LineProcess {
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #timeout: number;
  readonly #exited: Promise<void>;
  readonly #decoder = new StringDecoder('utf8');
  /** Of the line under way. */
  #pieces: string[] = [];
  #length = 0;
  #take: ((line: string) => void) | null = null;
  #fail: ((failure: ProcessFailure) => void) | null = null;
  #failure: ProcessFailure | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** @param timeout for one answer, in ms. */
  constructor(program: LineProgram, timeout: number, onStderr: (text: string) => void) {
    this.#timeout = timeout;
    const { child, input, output, others } = started(program);
    this.#child = child;
    this.#input = input;
    this.#exited = new Promise((resolve) => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
      // What it has started may have left its group, and hold its pipes.
      child.once('exit', () => setTimeout(() => destroyAll([output, ...others]), GRACE).unref());
    });
    output.on('data', (bytes: Buffer) => this.#receive(this.#decoder.write(bytes)));
    for (const other of others) other.setEncoding('utf8').on('data', onStderr);
    // A process that closes its input is found out by its missing answers.
    input.on('error', () => undefined);
    child.once('error', (error) => this.#lost(`cannot be started: ${error.message}`));
    child.once('close', (code, signal) => {
      running.delete(this);
      this.#lost(signal === null ? `ended with exit code ${code ?? 'unknown'}` : `was ended by ${signal}`);
    });
    running.add(this);
    watchOwnEnd();
  }

  /**
   * Sends the lines, and gives each answer to `answered`, in order. Writing does not wait for answers.
   * @throws ProcessFailure if an answer does not come; what `answered` throws.
   */
  async ask(
    lines: readonly string[],
    answered: (line: string, index: number) => void,
    timeout = this.#timeout,
  ): Promise<void> {
    let next = 0;
    const done = new Promise<void>((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#stopWaiting();
        settle();
      };
      this.#fail = (failure) => end(() => reject(failure));
      this.#take = (line) => {
        try {
          answered(line, next++);
        } catch (error) {
          return end(() => reject(error));
        }
        if (next === lines.length) end(resolve);
        else this.#timer?.refresh();
      };
    });
    this.#timer = setTimeout(() => this.#lost(`gave no answer within ${timeout / 1000} s`), timeout);
    if (this.#failure !== null) this.#fail?.(this.#failure);
    await Promise.all([done, this.#write(lines)]);
  }

  /** Closes its input, gives it a moment, and ends it with all that it started. */
  async close(): Promise<void> {
    this.#input.end();
    const timer = setTimeout(() => this.kill(), GRACE);
    await this.#exited;
    clearTimeout(timer);
    // The shell may be gone while what it started still runs.
    this.kill();
  }

  /** Ends the process group at once. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }

  async #write(lines: readonly string[]): Promise<void> {
    for (let from = 0; from < lines.length && this.#failure === null && this.#take !== null; from += BATCH) {
      const stdin = this.#input;
      if (stdin.destroyed || stdin.writableEnded) return;
      if (stdin.write(`${lines.slice(from, from + BATCH).join('\n')}\n`)) continue;
      await new Promise<void>((resolve) => {
        const goOn = (): void => {
          stdin.off('drain', goOn).off('close', goOn);
          resolve();
        };
        stdin.once('drain', goOn).once('close', goOn);
      });
    }
  }

  #receive(text: string): void {
    const [first = '', ...later] = text.split('\n');
    this.#grow(first);
    for (const next of later) {
      const line = this.#pieces.join('');
      this.#pieces = [];
      this.#length = 0;
      this.#grow(next);
      if (this.#failure !== null) return;
      if (this.#take === null) return this.#lost(`wrote a line that nothing asked for: ${line.slice(0, 80)}`);
      this.#take(line);
    }
  }

  /** A long line comes in many pieces: they are put together once. */
  #grow(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > LONGEST_LINE) this.#lost(`wrote a line longer than ${LONGEST_LINE} characters`);
  }

  #lost(what: string): void {
    this.#failure ??= new ProcessFailure(what);
    this.#fail?.(this.#failure);
  }

  #stopWaiting(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#take = null;
    this.#fail = null;
  }
}

/** A group of its own: what it starts is ended with it. */
function started(program: LineProgram): Started {
  if ('command' in program) {
    const child = spawn(program.command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    return { child, input: child.stdin, output: child.stdout, others: [child.stderr] };
  }
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] as const;
  const child = spawn(program.file, program.args, { detached: true, stdio: [...stdio] });
  const [, out, err, input, output] = child.stdio;
  return { child, input: input as Writable, output: output as Readable, others: [out as Readable, err as Readable] };
}

function destroyAll(streams: readonly Readable[]): void {
  for (const stream of streams) stream.destroy();
}

function watchOwnEnd(): void {
  if (watching) return;
  watching = true;
  const endAll = (): void => {
    for (const child of running) child.kill();
  };
  process.once('exit', endAll);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      endAll();
      process.kill(process.pid, signal);
    });
  }
}

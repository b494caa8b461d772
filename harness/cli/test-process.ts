/** For tests: `cst` in processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Arguments of Node that start `cst` from its sources. */
export const CST: readonly string[] = [
  '--import',
  import.meta.resolve('tsx'),
  fileURLToPath(new URL('./main.ts', import.meta.url)),
];

export interface RunningCommand {
  /** The next line of its standard output. */
  line(): Promise<string>;
  /** Its exit code, and all of its standard error. */
  stop(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly err: string }>;
}

/** Commands that run until they are stopped; `kill` ends what a test has left. */
export class CommandProcesses {
  readonly #children: ChildProcess[] = [];

  start(...argv: readonly string[]): RunningCommand {
    const child = spawn(process.execPath, [...CST, ...argv]);
    this.#children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    let err = '';
    child.stderr.on('data', (piece) => {
      err += piece;
    });
    const stop: RunningCommand['stop'] = async (signal) => {
      const closed = once(child, 'close');
      child.kill(signal);
      const [code] = await closed;
      return { code, err };
    };
    return { line: async () => String((await lines.next()).value), stop };
  }

  kill(): void {
    for (const child of this.#children.splice(0)) child.kill('SIGKILL');
  }
}

/** Programs that are run for their exit code and output. */
import { spawn } from 'node:child_process';

export interface RunOptions {
  readonly cwd: string;
  /** In place of this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Standard input. */
  readonly input?: Uint8Array;
}

export interface Ran {
  /** As it was called, for messages. */
  readonly command: string;
  /** Exit code; null after a signal. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end. Throws only if it cannot be started. */
export async function run(program: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const { cwd, env = process.env, input } = options;
  const child = spawn(program, args, { cwd, env, stdio: 'pipe' });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    out += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    err += piece;
  });
  // A program that reads no input closes the pipe: its exit code says what there is to say.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { command: [program, ...args].join(' '), code, out, err };
}

/**
 * A command in a process group of its own, which ends with it: in time, by TERM and then KILL, whatever its processes do.
 *
 * When the command itself ends, what it left running in its group is ended too. A process that has left the group
 * (`setsid`) may go on then, and its output is not waited for; when the call is cancelled or out of time it is ended as
 * well, as far as it can be found (`call-processes.ts`).
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { systemCode } from '../../replay/system-code.ts';
import { systemProblem } from '../system-problem.ts';
import type { Environment } from '../tool.ts';
import { CallProcesses, MARK_VARIABLE } from './call-processes.ts';

export interface GroupCommand {
  /** File and arguments; no shell is put around them. Standard input is empty. */
  readonly command: readonly [file: string, ...args: string[]];
  readonly cwd: string;
  readonly environment: Environment;
  /** Longest run in ms. */
  readonly timeLimit: number;
  /** Ends the run. */
  readonly signal: AbortSignal;
  /** From TERM to KILL in ms. */
  readonly grace: number;
  /** Told of standard output and standard error as they arrive. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

export type GroupEnd =
  /** `leftProcesses`: it had left processes running in its group, which were ended. */
  | { readonly how: 'exited'; readonly code: number; readonly leftProcesses: boolean }
  | { readonly how: 'killed'; readonly signal: NodeJS.Signals; readonly leftProcesses: boolean }
  /** `left`: processes that had left the group, and were found. `runsOn`: some process has not ended for all that. */
  | { readonly how: 'cancelled' | 'out-of-time'; readonly left: number; readonly runsOn: boolean }
  | { readonly how: 'not-started'; readonly code: string | null; readonly problem: string };

/** How long output is still read when all of the group has ended and someone else holds the pipe. ms */
const DRAIN = 250;
/** Timers above fire at once. ms */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Runs the command to its end. Resolves when no process of its group runs any more, and never rejects. */
export async function runProcessGroup(command: GroupCommand): Promise<GroupEnd> {
  if (command.signal.aborted) return { how: 'cancelled', left: 0, runsOn: false };
  const mark = randomUUID();
  const started = start({ ...command, environment: { ...command.environment, [MARK_VARIABLE]: mark } });
  if ('how' in started) return started;
  const { leader, ended, closed } = started;
  if (leader.pid === undefined) return ended;

  const processes = new CallProcesses(leader.pid, mark);
  const killAtExit = () => processes.signalAll('SIGKILL');
  process.once('exit', killAtExit);
  const stop = stopWish(command);
  try {
    const how = await Promise.race([ended, stop.wished]);
    const end = typeof how === 'string' ? await stopped(how, processes, command.grace) : how;
    const leftProcesses = processes.groupRuns();
    if (leftProcesses) await processes.endGroup(command.grace);
    await Promise.race([closed, delay(DRAIN, undefined, { ref: false })]);
    return 'leftProcesses' in end ? { ...end, leftProcesses } : end;
  } finally {
    stop.forget();
    process.off('exit', killAtExit);
    leader.stdout.destroy();
    leader.stderr.destroy();
  }
}

async function stopped(how: StopCause, processes: CallProcesses, grace: number): Promise<GroupEnd> {
  const runsOn = !(await processes.endAll(grace));
  return { how, left: processes.left, runsOn };
}

interface Started {
  /** Its pid is that of the group. */
  readonly leader: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<GroupEnd>;
  /** Resolves when the leader has ended and every pipe is at its end. */
  readonly closed: Promise<void>;
}

function start({ command: [file, ...args], cwd, environment, onOutput }: GroupCommand): Started | GroupEnd {
  try {
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const leader = spawn(file, args, { cwd, env: { ...environment }, detached: true, stdio });
    leader.stdout.on('data', onOutput);
    leader.stderr.on('data', onOutput);
    const ended = new Promise<GroupEnd>((resolve) => {
      leader.once('error', (error) => resolve(notStarted(error)));
      leader.once('exit', (code, signal) =>
        resolve(
          signal === null
            ? { how: 'exited', code: code ?? 0, leftProcesses: false }
            : { how: 'killed', signal, leftProcesses: false },
        ),
      );
    });
    return { leader, ended, closed: new Promise((resolve) => leader.once('close', () => resolve())) };
  } catch (error) {
    return notStarted(error);
  }
}

function notStarted(error: unknown): GroupEnd {
  const problem = systemProblem(error) ?? (error instanceof Error ? error.message : String(error));
  return { how: 'not-started', code: systemCode(error), problem };
}

type StopCause = 'cancelled' | 'out-of-time';

/** Resolves when the caller or the time limit wants the run to end. */
function stopWish({ signal, timeLimit }: GroupCommand) {
  let forget = (): void => undefined;
  const wished = new Promise<StopCause>((resolve) => {
    const cancel = () => resolve('cancelled');
    const timer = setTimeout(() => resolve('out-of-time'), Math.min(timeLimit, LONGEST_TIMER));
    signal.addEventListener('abort', cancel, { once: true });
    forget = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    };
  });
  return { wished, forget: () => forget() };
}

/** `shell`: a command in the project folder. Nothing contains what it does but the permission to run it. */
import { constants } from 'node:os';
import * as z from 'zod';
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts';
import { BoundedOutput } from './bounded-output.ts';
import { TOOL_EXIT } from './outcome.ts';
import { type GroupEnd, runProcessGroup } from './process-group.ts';

const schema = z.strictObject({ command: z.string() });
type ShellArguments = z.infer<typeof schema>;

export const DEFAULT_TIME_LIMIT = 120_000;
const GRACE = 2000;

const SHELL = '/bin/sh';
/**
 * Both outputs go into one pipe, so that they are in the order in which they were written. The command is no part of this
 * text.
 *
 * A shell stays around the command's own: Node reports a death by a real-time signal as exit 0 (libuv has no name for it),
 * a shell as 128 + n. It outlives signals to the group (`kill 0`), and what it would say of the death goes nowhere; so it
 * forks before it redirects, as dash redirects itself and not only its child.
 */
const JOIN_OUTPUTS = `trap : ${caughtSignals().join(' ')}; exec 3>&1 >/dev/null 2>&1; (exec ${SHELL} -c "$1" >&3 2>&3 3>&-); exit $?`;

const SIGNAL_DEATH = 128;

/** Numbers of the signals that would end the outer shell. What stops or continues a process, or tells of a child, does not. */
function caughtSignals(): readonly number[] {
  const left = ['SIGKILL', 'SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGCONT', 'SIGCHLD', 'SIGURG', 'SIGWINCH'];
  const named = Object.entries(constants.signals).flatMap(([name, number]) => (left.includes(name) ? [] : [number]));
  const realTime = process.platform === 'linux' ? Array.from({ length: 31 }, (_, at) => 34 + at) : [];
  return [...new Set([...named, ...realTime])];
}

export const shell: Tool<ShellArguments> = {
  name: 'shell',
  description: 'run a command with `sh -c` in the project folder.',
  schema,
  effect: 'executes',
  run: ({ command }, context) => runShell(command, context),
};

/**
 * The command's output and exit code (128 + n if signal n ended it). A last line in brackets says if it was ended, or if
 * processes that it left in the background were.
 * @param grace ms from TERM to KILL
 */
export async function runShell(command: string, context: ToolContext, grace = GRACE): Promise<ToolOutcome> {
  const output = new BoundedOutput(context.outputCap);
  const end = await runProcessGroup({
    command: [SHELL, '-c', JOIN_OUTPUTS, 'sh', command],
    cwd: context.root,
    environment: context.environment,
    timeLimit: context.timeLimit,
    signal: context.signal,
    grace,
    onOutput: (bytes) => output.push(bytes),
  });
  const remark = remarkOn(end, context.timeLimit);
  if (remark !== null) output.pushLine(`[${remark}]`);
  return { exit: exitOf(end), ...output.take() };
}

function exitOf(end: GroupEnd): number {
  switch (end.how) {
    case 'exited':
      return end.code;
    case 'killed':
      return SIGNAL_DEATH + constants.signals[end.signal];
    case 'cancelled':
      return TOOL_EXIT.cancelled;
    case 'out-of-time':
      return TOOL_EXIT.outOfTime;
    case 'not-started':
      return end.code === 'ENOENT' ? TOOL_EXIT.notFound : TOOL_EXIT.cannotRun;
  }
}

function remarkOn(end: GroupEnd, timeLimit: number): string | null {
  switch (end.how) {
    case 'exited':
    case 'killed':
      return end.leftProcesses ? 'processes that it left in the background were ended' : null;
    case 'cancelled':
      return `cancelled, and ended with ${endedWith(end)}`;
    case 'out-of-time':
      return `ended with ${endedWith(end)} after ${timeLimit} ms, the time limit`;
    case 'not-started':
      return `not started: ${end.code === 'E2BIG' ? TOO_LONG : end.problem}`;
  }
}

/** No more than is known: a process that has left its group may go unfound. */
function endedWith({ left, runsOn }: Extract<GroupEnd, { how: 'cancelled' | 'out-of-time' }>): string {
  const also = left === 0 ? '' : ` and ${left} ${left === 1 ? 'process' : 'processes'} that had left it`;
  return `its process group${also}${runsOn ? ' (not all of them have ended yet)' : ''}`;
}

const TOO_LONG = 'the command is longer than the system takes; write it to a file with write_file and run that';

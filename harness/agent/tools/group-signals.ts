/** Does a process group still run, and how it is told to end. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemCode } from '../system-problem.ts';

/** How often it is looked whether a group has ended, in ms: no event tells. */
const LOOK_EVERY = 10;
/** After KILL nothing runs on, but the kernel may take its time. ms */
const LONGEST_WAIT_AFTER_KILL = 1000;

/** TERM to the group, and KILL to what still runs after `grace` ms. */
export async function endGroup(group: number, grace: number): Promise<void> {
  signalGroup(group, 'SIGTERM');
  if (await groupEnds(group, grace)) return;
  signalGroup(group, 'SIGKILL');
  await groupEnds(group, LONGEST_WAIT_AFTER_KILL);
}

/** Whether any process of the group runs. A zombie runs no more: where nobody reaps orphans, it may stay for good. */
export function groupRuns(group: number): boolean {
  if (!signalGroup(group, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && runsInGroup(name, group));
}

/** False if there is no such group (any more). */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

async function groupEnds(group: number, within: number): Promise<boolean> {
  for (let waited = 0; waited < within; waited += LOOK_EVERY) {
    if (!groupRuns(group)) return true;
    await delay(LOOK_EVERY);
  }
  return !groupRuns(group);
}

/** After the name in parentheses, which may hold anything: state, parent, group (proc(5)). */
const AFTER_NAME = /^.*\) (?<state>\S) -?\d+ (?<group>-?\d+) /s;

function runsInGroup(pid: string, group: number): boolean {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // It has ended since the folder was read.
    return false;
  }
  const { groups } = AFTER_NAME.exec(stat) ?? {};
  return Number(groups?.['group']) === group && groups?.['state'] !== 'Z' && groups?.['state'] !== 'X';
}

/**
 * The processes of one call of `shell`: those of its process group, and on Linux those that have left it (`setsid`), as far
 * as they can be known: by the call's mark in their environment, which a process hands down unless it clears it, and by
 * their parents, which are known until they end. A process that has neither is not found.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemCode } from '../../replay/system-code.ts';

/** The variable that marks the processes of a call. */
export const MARK_VARIABLE = 'CST_CALL';

/** How often it is looked whether all have ended, in ms: no event tells. */
const LOOK_EVERY = 10;
/** After KILL nothing runs on, but the kernel may take its time. ms */
const LONGEST_WAIT_AFTER_KILL = 1000;

export class CallProcesses {
  readonly #group: number;
  readonly #mark: string;
  /** Those that have left the group, with what was last sent to them: a number of a process is used again, not its key. */
  readonly #left = new Map<string, NodeJS.Signals | null>();
  /** Others by key: what is not marked when it begins never is. */
  readonly #others = new Set<string>();

  /**
   * @param group id of the process group
   * @param mark value of {@link MARK_VARIABLE}, of no other call
   */
  constructor(group: number, mark: string) {
    this.#group = group;
    this.#mark = `${MARK_VARIABLE}=${mark}\0`;
  }

  /** How many were found outside of the group. */
  get left(): number {
    return this.#left.size;
  }

  /** Whether any process of the group runs. A zombie runs no more: where nobody reaps orphans, it may stay for good. */
  groupRuns(): boolean {
    if (!signalGroup(this.#group, 0)) return false;
    return process.platform !== 'linux' || runningProcesses().some(({ group }) => group === this.#group);
  }

  /** TERM to the group, and KILL to what of it still runs after `grace` ms. */
  async endGroup(grace: number): Promise<void> {
    signalGroup(this.#group, 'SIGTERM');
    if (await within(grace, () => !this.groupRuns())) return;
    signalGroup(this.#group, 'SIGKILL');
    await within(LONGEST_WAIT_AFTER_KILL, () => !this.groupRuns());
  }

  /** The same for all processes of the call. Resolves with whether they have ended. */
  async endAll(grace: number): Promise<boolean> {
    this.signalAll('SIGTERM');
    if (await within(grace, () => !this.#signalRunning('SIGTERM'))) return true;
    this.signalAll('SIGKILL');
    return within(LONGEST_WAIT_AFTER_KILL, () => !this.#signalRunning('SIGKILL'));
  }

  signalAll(signal: NodeJS.Signals): void {
    // Before its parents are gone, a process that has cleared its environment can still be told.
    this.#signalRunning(signal);
    signalGroup(this.#group, signal);
  }

  /** Sends the signal to those outside of the group that have not had it. Returns whether any process of the call runs. */
  #signalRunning(signal: NodeJS.Signals): boolean {
    if (process.platform !== 'linux') return this.groupRuns();
    const running = runningProcesses();
    const left = this.#findLeft(running);
    for (const { pid, key } of left) {
      if (this.#left.get(key) === signal) continue;
      this.#left.set(key, signal);
      signalProcess(pid, signal);
    }
    return left.length > 0 || running.some(({ group }) => group === this.#group);
  }

  #findLeft(running: readonly RunningProcess[]): readonly RunningProcess[] {
    const found = new Set(running.filter((one) => one.group !== this.#group && this.#isMarked(one)));
    const pids = new Set(running.filter((one) => one.group === this.#group || found.has(one)).map(({ pid }) => pid));
    // Children of those that are found are found, until there is none any more.
    for (let before = -1; before !== pids.size; ) {
      before = pids.size;
      for (const one of running) {
        if (pids.has(one.pid) || !pids.has(one.parent)) continue;
        pids.add(one.pid);
        found.add(one);
      }
    }
    for (const { key } of found) if (!this.#left.has(key)) this.#left.set(key, null);
    return [...found];
  }

  #isMarked({ pid, key }: RunningProcess): boolean {
    if (this.#left.has(key)) return true;
    if (this.#others.has(key)) return false;
    const isMarked = `\0${readProc(pid, 'environ') ?? ''}`.includes(`\0${this.#mark}`);
    if (!isMarked) this.#others.add(key);
    return isMarked;
  }
}

async function within(limit: number, isSo: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < limit; waited += LOOK_EVERY) {
    if (isSo()) return true;
    await delay(LOOK_EVERY);
  }
  return isSo();
}

/** False if there is no such group (any more). */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  return signalProcess(-group, signal);
}

function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Number and time of its start: never that of another process. */
  readonly key: string;
}

/** Without zombies and without this process. */
function runningProcesses(): readonly RunningProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((name) => {
    // The name of the program, in parentheses, may hold anything; then state, parent, group; the 22nd is the start (proc(5)).
    const fields = readProc(Number(name), 'stat')
      ?.replace(/^.*\) /s, '')
      .split(' ');
    if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return [];
    return [
      { pid: Number(name), parent: Number(fields[1]), group: Number(fields[2]), key: `${name} ${fields[19] ?? ''}` },
    ];
  });
}

/** Null for a process that has ended since, or is another user's. */
function readProc(pid: number, file: 'stat' | 'environ'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return null;
  }
}

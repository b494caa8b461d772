/**
 * At most one process writes: a lock file names it. The file appears whole (by a hard link), so nobody reads half of it;
 * the lock of a process that has died is taken over.
 *
 * What it cannot know: on a file system that several machines share, whether a process of another machine lives.
 */
import { readFileSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { systemCode } from './system-code.ts';

export interface ProcessLock {
  release(): Promise<void>;
}

/** Somebody else has it: a process by its number, or null if it changes hands too fast to tell. */
export interface LockHeld {
  readonly heldBy: number | null;
}

interface Holder {
  readonly pid: number;
  /** When it started, as the system counts; a number of a process is used again. `-` where the system does not tell. */
  readonly started: string;
}

/** Enough for everybody who may be after the same dead lock. */
const ATTEMPTS = 40;
/** Between them, in ms, while somebody else takes a dead lock away. */
const PAUSE = 5;

/** Locks of this process: one that bears its number and is not here is of a dead process that had the same. */
const held = new Set<string>();
let serial = 0;

/** Takes the lock `file`, whose folder must be there. Never waits for a living holder. */
export async function takeLock(file: string): Promise<ProcessLock | LockHeld> {
  const lock = resolve(file);
  const own = `${lock}.${process.pid}.${++serial}`;
  await writeFile(own, `${process.pid} ${startOf(process.pid)}\n`);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await linked(own, lock)) return heldLock(lock);
      const holder = await readHolder(lock);
      if (holder !== null && holder !== 'rubbish' && isAlive(holder, lock)) return { heldBy: holder.pid };
      await removeDead(lock, own);
    }
    return { heldBy: null };
  } finally {
    await rm(own, { force: true });
  }
}

function heldLock(lock: string): ProcessLock {
  held.add(lock);
  return {
    release: async () => {
      await rm(lock, { force: true });
      held.delete(lock);
    },
  };
}

/** False if there is such a file. */
async function linked(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Who holds the lock: `null` if there is no such file any more, `rubbish` if what stands there is no process. */
async function readHolder(lock: string): Promise<Holder | 'rubbish' | null> {
  try {
    const match = /^(\d{1,10}) (\S+)\n$/.exec(await readFile(lock, 'utf8'));
    return match === null ? 'rubbish' : { pid: Number(match[1]), started: match[2]! };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Takes a dead lock away. One at a time does, under a lock of its own: only so nobody removes what has become a living
 * one's since he looked.
 */
async function removeDead(lock: string, own: string): Promise<void> {
  const takeover = `${lock}.takeover`;
  if (!(await linked(own, takeover))) {
    const other = await readHolder(takeover);
    if (other !== null && (other === 'rubbish' || !isAlive(other, lock))) await rm(takeover, { force: true });
    await setTimeout(PAUSE);
    return;
  }
  try {
    const holder = await readHolder(lock);
    if (holder === null || (holder !== 'rubbish' && isAlive(holder, lock))) return;
    await rm(lock, { force: true });
  } finally {
    await rm(takeover, { force: true });
  }
}

function isAlive({ pid, started }: Holder, lock: string): boolean {
  if (pid === process.pid) {
    const own = startOf(pid);
    return own === '-' ? held.has(lock) : started === own;
  }
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) !== 'EPERM') return false;
  }
  const now = startOf(pid);
  return started === '-' || now === '-' || now === started;
}

/** Clock ticks from the start of the system to that of the process (proc(5), field 22). */
function startOf(pid: number): string {
  try {
    // The name of the program, in parentheses, may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, '').trim().split(' ');
    return fields[19] ?? '-';
  } catch {
    return '-';
  }
}

/** At most one agent writes to a session: a lock file beside it, `<session>.lock`, names the process that does. */
import { readdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type ProcessLock, takeLock } from '../replay/process-lock.ts';
import { systemCode } from '../replay/system-code.ts';
import { SessionError } from './session-error.ts';

/** @throws SessionError if another process holds it, or this one does already */
export async function lockSession(path: string): Promise<ProcessLock> {
  // A link to the session has the lock of the session.
  const real = await realpath(path).catch(() => path);
  const file = `${real}.lock`;
  const lock = await takeLock(file);
  if (!('heldBy' in lock)) {
    await removeLeftovers(file);
    return lock;
  }
  throw new SessionError(
    lock.heldBy === null
      ? `${path}: its lock ${file} changes hands too fast; try again`
      : `${path}: process ${lock.heldBy} is writing to this session; wait for it to end, or remove ${file} if that is no agent`,
  );
}

/** `<lock>.<process>.<n>`: a process that was killed while it took the lock has left it. */
async function removeLeftovers(lock: string): Promise<void> {
  const folder = dirname(lock);
  const prefix = `${basename(lock)}.`;
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(prefix) ? /^(\d{1,10})\.\d+$/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

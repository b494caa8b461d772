/** At most one agent writes to a session: a lock file beside it, `<session>.lock`, names the process that does. */
import { realpath } from 'node:fs/promises';
import { type ProcessLock, takeLock } from '../replay/process-lock.ts';
import { SessionError } from './session-error.ts';

/** @throws SessionError if another process holds it, or this one does already */
export async function lockSession(path: string): Promise<ProcessLock> {
  // A link to the session has the lock of the session.
  const real = await realpath(path).catch(() => path);
  const lock = await takeLock(`${real}.lock`);
  if (!('heldBy' in lock)) return lock;
  throw new SessionError(
    lock.heldBy === null
      ? `${path}: its lock ${path}.lock changes hands too fast; try again`
      : `${path}: process ${lock.heldBy} is writing to this session; wait for it to end, or remove ${path}.lock if that is no agent`,
  );
}

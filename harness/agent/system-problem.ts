/** What a failed system call says, in the words of the system: `ENOSPC` is "no space left on device". */
import { getSystemErrorMap } from 'node:util';

/** The sentence for a system error; null for what is none, and so a bug. */
export function systemProblem(error: unknown): string | null {
  if (!(error instanceof Error) || !('errno' in error) || typeof error.errno !== 'number') return null;
  return getSystemErrorMap().get(error.errno)?.[1] ?? error.message;
}

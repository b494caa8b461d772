/** The edge of every command: a user's mistake becomes one clear message and an exit code, never a stack trace. */
import { RecordingError } from '../replay/recording-error.ts';
import { ForeignFileError } from '../report/files.ts';
import { EXIT } from './exit-code.ts';
import { leaveQuietly } from './terminal.ts';

/** A wrong option or value: said in one sentence that also says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A file that cannot be read, or is not what it was given as. The message names it. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

export interface Failure {
  readonly message: string;
  readonly exitCode: number;
}

/** Runs a command to its exit code. */
export async function runCommand(command: () => Promise<number>): Promise<void> {
  leaveQuietly(process.stdout);
  try {
    process.exitCode = await command();
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    process.stderr.write(`${failure.message}\n`);
    process.exitCode = failure.exitCode;
  }
}

/** What to tell the user; null for what is no user's mistake but a bug. `path`: the file at work, where the error names none. */
export function failureOf(error: unknown, path = 'file'): Failure | null {
  if (error instanceof UsageError || error instanceof ForeignFileError) {
    return { message: error.message, exitCode: EXIT.usage };
  }
  if (error instanceof RecordingError || error instanceof InputError) {
    return { message: error.message, exitCode: EXIT.unreadable };
  }
  if (!isSystemError(error)) return null;
  const what = SYSTEM_ERRORS[error.code] ?? error.message;
  return { message: `${error.path ?? path}: ${what}`, exitCode: EXIT.unreadable };
}

const SYSTEM_ERRORS: { readonly [code: string]: string } = {
  ENOENT: 'no such file or folder',
  EACCES: 'no permission',
  EISDIR: 'is a folder, a file is wanted',
  ENOTDIR: 'is a file, a folder is wanted',
  ENOSPC: 'no space left on the device',
  EROFS: 'is on a read-only file system',
};

function isSystemError(error: unknown): error is { code: string; path?: string; message: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error;
}

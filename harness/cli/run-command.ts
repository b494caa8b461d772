/** The edge of every command: a user's mistake becomes one clear message and an exit code, never a stack trace. */
import { RecordingError } from '../replay/recording-error.ts';
import { ForeignFileError } from '../report/files.ts';
import { EXIT } from './exit-code.ts';

/** A wrong option or value: said in one sentence that also says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Runs a command to its exit code. Output that nobody reads any more (`cst … | head`) is no error. */
export async function runCommand(command: () => Promise<number>): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    throw error;
  });
  try {
    process.exitCode = await command();
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}

function reportFailure(error: unknown): number {
  if (error instanceof UsageError || error instanceof ForeignFileError) {
    process.stderr.write(`${error.message}\n`);
    return EXIT.usage;
  }
  if (error instanceof RecordingError) {
    process.stderr.write(`${error.message}\n`);
    return EXIT.unreadable;
  }
  if (isSystemError(error)) {
    process.stderr.write(`${error.path ?? 'file'}: ${SYSTEM_ERRORS[error.code] ?? error.message}\n`);
    return EXIT.unreadable;
  }
  throw error;
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

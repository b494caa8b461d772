/** Errors of the system that do not say of which file: a write to a full disk has only a descriptor. */

/** The error, with `path` for its file if it names none. */
export function namedError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  return 'path' in error && error.path !== undefined ? error : Object.assign(error, { path });
}

/** Exit codes of every command (documented in README.md and in each help text). */
export const EXIT = {
  ok: 0,
  /** A property is violated, a control passes, results are stale, a manifest and its files differ. */
  violations: 1,
  /** An unknown option or value. */
  usage: 2,
  /** A file or folder that cannot be read, or is no recording. */
  unreadable: 3,
  /** Interrupted by a signal or by Esc, as a shell says it of SIGINT (128 + 2). */
  cancelled: 130,
} as const;

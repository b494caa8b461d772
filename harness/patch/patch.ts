/** What a patch says, as values: files, hunks, lines, and what can be wrong with it (runtime.md, "apply_patch"). */

export type PatchErrorKind =
  /** The file, or the lines that a hunk changes, are not there. */
  | 'not_found'
  /** Several places fit, and no usable line number decides. */
  | 'ambiguous'
  /** A hunk ends before its counts are met (`counts: 'strict'`). */
  | 'truncated'
  /** What a patch creates, or renames to, is there already. */
  | 'exists'
  /** A deleted file holds more than the patch removes. */
  | 'stale_delete'
  /** A path that leaves the root, or is no regular file. */
  | 'outside_root'
  /** No hunk and no file operation; a hunk or a file entry that changes nothing. */
  | 'empty'
  | 'binary'
  /** No unified diff, or one that contradicts itself. */
  | 'malformed'
  /** The file system refused: no space, no permission, a file that changed meanwhile. */
  | 'io'
  /** Whoever asked for it took that back before it had landed. */
  | 'cancelled';

/** Why nothing was changed. The message says what to do, in words for the patch's author. */
export interface PatchError {
  readonly kind: PatchErrorKind;
  /** Path relative to the root, as the patch names it; null where no file is at fault. */
  readonly file: string | null;
  /** 1-based within the file; null where no hunk is at fault. */
  readonly hunk: number | null;
  readonly message: string;
}

/** `recount`: the patch ends where its author ended it. `strict`: it may have been cut. */
export const COUNTS_MODES = ['recount', 'strict'] as const;
export type CountsMode = (typeof COUNTS_MODES)[number];

export type LineEnd = '\n' | '\r\n' | '';

/** One line of a hunk. */
export interface HunkLine {
  readonly op: ' ' | '-' | '+';
  /** Latin-1: one UTF-16 unit a byte. Without its line end. */
  readonly text: string;
  /** Empty where `\ No newline at end of file` follows. */
  readonly end: LineEnd;
}

export interface Hunk {
  /** Line of the patch that holds its `@@`, from 1. */
  readonly patchLine: number;
  /** The old line number of the header, as it stands there; null for a bare `@@`. */
  readonly oldStart: number | null;
  /** Old lines that the header declares; null for a bare `@@`. */
  readonly declaredOld: number | null;
  readonly lines: readonly HunkLine[];
  /** What was wrong with the counts: `counts corrected to -2,3 +2,3`. */
  readonly correction: string | null;
}

/** `mode`: only the executable bit changes. */
export type PatchAction = 'edit' | 'create' | 'delete' | 'rename' | 'copy' | 'mode';

/** One entry of a patch. Paths are relative to the root, with `/`, and not yet checked. */
export interface PatchFile {
  readonly action: PatchAction;
  /** What is read; for `create` the path itself. */
  readonly from: string;
  /** What is written; for `delete` the path itself. */
  readonly to: string;
  /** The executable bit that the patch sets; null where it says nothing. */
  readonly executable: boolean | null;
  /** The patch's own lines end in CR LF, headers included: its line ends say nothing about the file's. */
  readonly crlfTransport: boolean;
  readonly hunks: readonly Hunk[];
}

export interface Patch {
  readonly files: readonly PatchFile[];
  /**
   * The other reading, where there are two: `--- x`, `+++ y`, `@@` inside the counts of a hunk are two edits in `files`
   * and the header of the next file here. Null for nearly every patch.
   */
  readonly otherwise: readonly PatchFile[] | PatchError | null;
}

/** Carries an error out of nested functions; it never leaves this folder. */
export class PatchFault extends Error {
  override readonly name = 'PatchFault';
  readonly error: PatchError;

  constructor(kind: PatchErrorKind, message: string, place: { file?: string; hunk?: number } = {}) {
    super(message);
    this.error = { kind, file: place.file ?? null, hunk: place.hunk ?? null, message };
  }
}

export function isPatchError(value: object): value is PatchError {
  return 'kind' in value && 'message' in value;
}

/** The error that a fault carries; anything else is thrown on. */
export function errorOf(fault: unknown): PatchError {
  if (fault instanceof PatchFault) return fault.error;
  throw fault;
}

/** Runs `run`; a fault in it that names no place gets this one. */
export function inPlace<T>(place: { file: string; hunk?: number }, run: () => T): T {
  try {
    return run();
  } catch (fault) {
    if (!(fault instanceof PatchFault) || fault.error.file !== null) throw fault;
    throw new PatchFault(fault.error.kind, fault.error.message, place);
  }
}

/** The old or the new side of a hunk. */
export function sideOf(hunk: Hunk, side: 'old' | 'new'): readonly HunkLine[] {
  const other = side === 'old' ? '+' : '-';
  return hunk.lines.filter(({ op }) => op !== other);
}

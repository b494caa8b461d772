/** A plan → the disk, whole or not at all: every temporary file first, then renames; what fails puts all back. */
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { type Attributes, type FileInfo, type FileOperations, hasCode, inWords } from './file-operations.ts';
import { errorOf, type PatchError, PatchFault } from './patch.ts';
import type { Plan, PlannedRemoval, PlannedWrite } from './plan.ts';

export interface Committed {
  /** Files set aside that could not be removed afterwards; absolute paths. The patch has landed all the same. */
  readonly leftovers: readonly string[];
}

/**
 * Writes a plan. On an error nothing has changed, unless its message says what could not be put back, and where it is.
 * Aborted before the last file is in place, it puts all back.
 * Folders are made as needed; those that the patch empties are removed, as git does.
 */
export async function commitPlan(
  plan: Plan,
  files: FileOperations,
  signal?: AbortSignal,
): Promise<Committed | PatchError> {
  const transaction = new Transaction(files, signal);
  try {
    const ready: ReadyWrite[] = [];
    for (const write of plan.writes) ready.push({ write, temporary: await transaction.prepare(write) });
    for (const removal of plan.removals) await transaction.setAside(removal);
    for (const { write, temporary } of ready) await transaction.replace(write, temporary);
    await transaction.sync();
  } catch (fault) {
    const lost = await transaction.rollBack();
    const state = lost.length === 0 ? 'nothing was changed' : `putting back failed: ${lost.join('; ')}`;
    const kind = fault instanceof PatchFault ? fault.error.kind : 'io';
    return { kind, file: transaction.working, hunk: null, message: `${reasonOf(fault)}; ${state}` };
  }
  const leftovers = await transaction.clear();
  for (const { path } of plan.removals) await removeEmptyFolders(dirname(path), plan.root, files);
  return { leftovers };
}

interface ReadyWrite {
  readonly write: PlannedWrite;
  readonly temporary: string;
}

function reasonOf(fault: unknown): string {
  return hasCode(fault) ? inWords(fault.code) : errorOf(fault).message;
}

interface Undo {
  /** What is not as it was if this fails. */
  readonly otherwise: string;
  run(): Promise<void>;
}

class Transaction {
  /** The file at work, as the patch names it. */
  working: string | null = null;
  private readonly files: FileOperations;
  private readonly signal: AbortSignal | undefined;
  /** In the order of what was done. */
  private readonly undos: Undo[] = [];
  private readonly setAsides: string[] = [];
  private readonly touchedFolders = new Set<string>();

  constructor(files: FileOperations, signal?: AbortSignal) {
    this.files = files;
    this.signal = signal;
  }

  /** Before each step: what is done is taken back, and nothing more is begun. */
  private begin(file: string): void {
    this.working = file;
    if (this.signal?.aborted === true) throw new PatchFault('cancelled', 'interrupted before all had landed');
  }

  /** Writes the new content beside its target. Returns its name. */
  async prepare(write: PlannedWrite): Promise<string> {
    this.begin(write.file);
    await this.makeFolders(dirname(write.path));
    const temporary = besideName(write.path);
    this.undo(`${temporary} is left over`, () => this.files.remove(temporary));
    await this.files.writeTemporary(temporary, write.bytes, attributesOf(write));
    return temporary;
  }

  private async makeFolders(folder: string): Promise<void> {
    if ((await this.files.look(folder)) !== null) return;
    await this.makeFolders(dirname(folder));
    await this.files.makeFolder(folder);
    this.touchedFolders.add(dirname(folder));
    this.undo(`the folder ${folder} is left over`, () => this.files.removeFolder(folder));
  }

  async setAside({ file, path, info }: PlannedRemoval): Promise<void> {
    this.begin(file);
    await this.refuseChanged(path, info);
    await this.moveAside(path);
  }

  async replace({ file, path, replaces }: PlannedWrite, temporary: string): Promise<void> {
    this.begin(file);
    await this.refuseChanged(path, replaces);
    if (replaces?.kind === 'link') await this.moveAside(path);
    else if (replaces !== null) await this.keepAside(path);
    await this.files.rename(temporary, path);
    if (replaces === null) this.undo(`${path} is left over`, () => this.files.remove(path));
    this.touchedFolders.add(dirname(path));
  }

  /** A second name keeps the old file while a rename puts the new one in its place: at no time is there none. */
  private async keepAside(path: string): Promise<void> {
    const aside = besideName(path);
    try {
      await this.files.link(path, aside);
    } catch (error) {
      if (!hasCode(error)) throw error;
      // Not every file system has second names.
      return this.moveAside(path);
    }
    this.setAsides.push(aside);
    this.undo(`the old ${path} is ${aside}`, async () => {
      await this.files.rename(aside, path);
      // A rename onto another name of the same file does nothing, and leaves both.
      await this.files.remove(aside);
    });
  }

  private async moveAside(path: string): Promise<void> {
    const aside = besideName(path);
    await this.files.rename(path, aside);
    this.setAsides.push(aside);
    this.touchedFolders.add(dirname(path));
    this.undo(`the old ${path} is ${aside}`, () => this.files.rename(aside, path));
  }

  /** Between plan and commit somebody else may have written. */
  private async refuseChanged(path: string, planned: FileInfo | null): Promise<void> {
    const now = await this.files.look(path);
    if ((now?.stamp ?? null) === (planned?.stamp ?? null)) return;
    throw new PatchFault('io', 'the file was changed by somebody else meanwhile');
  }

  async sync(): Promise<void> {
    for (const folder of this.touchedFolders) await this.files.syncFolder(folder);
  }

  private undo(otherwise: string, run: () => Promise<void>): void {
    this.undos.push({ otherwise, run });
  }

  /** Takes back all that was done, last things first; what cannot be is said, and the rest goes on. */
  async rollBack(): Promise<readonly string[]> {
    const lost: string[] = [];
    for (const { otherwise, run } of this.undos.reverse()) {
      try {
        await run();
      } catch (error) {
        if (!hasCode(error)) throw error;
        lost.push(otherwise);
      }
    }
    return lost;
  }

  /** Removes what was set aside. Returns what could not be. */
  async clear(): Promise<readonly string[]> {
    const leftovers: string[] = [];
    for (const path of this.setAsides) {
      try {
        await this.files.remove(path);
      } catch (error) {
        if (!hasCode(error)) throw error;
        leftovers.push(path);
      }
    }
    return leftovers;
  }
}

/** A name in the same folder, and so on the same file system, that no other file has. */
function besideName(path: string): string {
  return join(dirname(path), `.cst-patch-${randomUUID()}`);
}

const NEW_FILE = 0o666;
const READ_BITS = 0o444;
const EXECUTE_BITS = 0o111;

function attributesOf({ like, executable }: PlannedWrite): Attributes {
  if (like === null) return { mode: executable ? NEW_FILE | EXECUTE_BITS : NEW_FILE, isExact: false, owner: null };
  return { mode: withExecutable(like.mode, executable), isExact: true, owner: { uid: like.uid, gid: like.gid } };
}

/** Who may read may execute, as git has it. */
function withExecutable(mode: number, executable: boolean | null): number {
  if (executable === null) return mode;
  return executable ? mode | ((mode & READ_BITS) >> 2) : mode & ~EXECUTE_BITS;
}

async function removeEmptyFolders(start: string, root: string, files: FileOperations): Promise<void> {
  for (let folder = start; folder !== root && folder.length > root.length; folder = dirname(folder)) {
    try {
      await files.removeFolder(folder);
    } catch (error) {
      // Not empty, or not ours to remove: it stays.
      if (hasCode(error)) return;
      throw error;
    }
  }
}

/** Patch and tree → what would be written, all in memory. Nothing on disk is changed here. */
import { dirname } from 'node:path';
import { applyHunks } from './apply-hunks.ts';
import { type FileInfo, hasCode, inWords } from './file-operations.ts';
import { errorOf, type Patch, type PatchAction, type PatchError, PatchFault, type PatchFile, sideOf } from './patch.ts';
import { type PatchTree, type TreePath, treePath } from './tree-path.ts';

/** What a patch does to one file. */
export interface PlannedFile {
  /** Relative to the root; of a rename or copy the new path. */
  readonly path: string;
  /** The old path of a rename or copy. */
  readonly from?: string;
  readonly action: PatchAction;
  readonly hunks: number;
  /** Hunks that fit only with other blanks at line ends. */
  readonly fuzz: number;
  readonly corrections: readonly string[];
}

/** Paths are absolute. */
export interface PlannedWrite {
  /** As the patch names it. */
  readonly file: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  /** What stands there now; null for nothing. */
  readonly replaces: FileInfo | null;
  /** The file whose permissions and owner the new one takes; null for a new file. */
  readonly like: FileInfo | null;
  readonly executable: boolean | null;
}

export interface PlannedRemoval {
  readonly file: string;
  readonly path: string;
  readonly info: FileInfo;
}

export interface Plan {
  readonly root: string;
  readonly files: readonly PlannedFile[];
  readonly writes: readonly PlannedWrite[];
  readonly removals: readonly PlannedRemoval[];
}

/** The whole patch, or why it does not apply. Of two readings of the patch, the one that applies. */
export async function planPatch(patch: Patch, tree: PatchTree): Promise<Plan | PatchError> {
  const plan = await planFiles(patch.files, tree);
  if (!('kind' in plan) || patch.otherwise === null) return plan;
  return 'kind' in patch.otherwise ? patch.otherwise : planFiles(patch.otherwise, tree);
}

/** One entry of the patch, and where its paths are. */
interface Entry {
  readonly patchFile: PatchFile;
  readonly action: PatchAction;
  readonly from: TreePath;
  readonly to: TreePath;
}

async function planFiles(patchFiles: readonly PatchFile[], tree: PatchTree): Promise<Plan | PatchError> {
  let working: string | null = null;
  try {
    const entries: Entry[] = [];
    for (const patchFile of patchFiles) {
      working = patchFile.to;
      entries.push(await entryOf(patchFile, tree));
    }
    refuseDoubles(entries);
    const freed = new Set(entries.filter(({ action }) => frees(action)).map(({ from }) => from.entry));
    const files: PlannedFile[] = [];
    const writes: PlannedWrite[] = [];
    for (const entry of entries) {
      working = entry.to.path;
      refuseTakenTarget(entry, freed);
      const { file, write } = await planEntry(entry, tree);
      files.push(file);
      if (write !== null) writes.push(write);
    }
    return { root: await tree.files.realpath(tree.root), files, writes, removals: removalsOf(entries, writes) };
  } catch (fault) {
    if (!hasCode(fault)) return errorOf(fault);
    return { kind: 'io', file: working, hunk: null, message: `${inWords(fault.code)}; nothing was changed` };
  }
}

/** What is deleted or renamed away, and not written again. */
function removalsOf(entries: readonly Entry[], writes: readonly PlannedWrite[]): readonly PlannedRemoval[] {
  const written = new Set(writes.map(({ path }) => path));
  return entries
    .filter(({ action, from }) => frees(action) && !written.has(from.entry))
    .map(({ from }) => ({ file: from.path, path: from.entry, info: from.entryInfo! }));
}

function frees(action: PatchAction): boolean {
  return action === 'delete' || action === 'rename';
}

function reads(action: PatchAction): boolean {
  return action !== 'create';
}

async function entryOf(patchFile: PatchFile, tree: PatchTree): Promise<Entry> {
  const from = await treePath(tree, patchFile.from);
  const to = patchFile.to === patchFile.from ? from : await treePath(tree, patchFile.to);
  const action = from.info === null && createsByLineZero(patchFile) ? 'create' : patchFile.action;
  const place = { file: from.path };
  if (reads(action) && from.info === null) throw new PatchFault('not_found', notThere(patchFile), place);
  if (reads(action) && from.info?.kind !== 'file') {
    const what = from.info?.kind === 'folder' ? 'a folder' : 'no regular file';
    throw new PatchFault('outside_root', `the path is ${what}; only regular files can be patched`, place);
  }
  return { patchFile, action, from, to };
}

/** `--- a/x` where there is no x, and `@@ -0,0 +1,n @@`: git takes it as a new file, and so do we. */
function createsByLineZero({ action, hunks }: PatchFile): boolean {
  const [hunk] = hunks;
  if (action !== 'edit' || hunks.length !== 1 || hunk === undefined) return false;
  return hunk.oldStart === 0 && hunk.declaredOld === 0 && sideOf(hunk, 'old').length === 0;
}

function notThere({ action }: PatchFile): string {
  const advice = action === 'edit' ? '; to create it, write --- /dev/null and @@ -0,0 +1,n @@' : '';
  return `there is no such file${advice}`;
}

/** A path may be left by one entry and taken by another (a swap, a chain of renames), and no more. */
function refuseDoubles(entries: readonly Entry[]): void {
  const sources = new Set<string>();
  const targets = new Set<string>();
  const deleted = new Set<string>();
  const take = (taken: Set<string>, path: TreePath) => {
    for (const key of new Set([path.entry, path.real, path.info?.identity ?? path.entry])) {
      if (taken.has(key))
        throw new PatchFault('malformed', 'two entries of the patch are about this file; merge them into one', {
          file: path.path,
        });
      taken.add(key);
    }
  };
  for (const { action, from, to } of entries) {
    if (reads(action) && action !== 'copy') take(sources, from);
    if (action === 'delete') deleted.add(from.entry);
    else take(targets, to);
  }
  for (const { action, to } of entries) {
    if (action === 'create' && deleted.has(to.entry)) {
      throw new PatchFault('malformed', 'the patch deletes and creates this file; write it as one edit', {
        file: to.path,
      });
    }
    for (let folder = dirname(to.entry); folder !== dirname(folder); folder = dirname(folder)) {
      if (!targets.has(folder)) continue;
      throw new PatchFault('malformed', 'the patch makes a part of this path a file', { file: to.path });
    }
  }
}

const TARGETS: { readonly [action in PatchAction]?: string } = {
  create: 'the patch creates this file',
  rename: 'the patch renames a file to this name',
  copy: 'the patch copies a file to this name',
};

function refuseTakenTarget({ action, to }: Entry, freed: ReadonlySet<string>): void {
  const what = TARGETS[action];
  if (what === undefined || to.entryInfo === null || freed.has(to.entry)) return;
  throw new PatchFault('exists', `${what}, but it is there already`, { file: to.path });
}

interface PlannedEntry {
  readonly file: PlannedFile;
  /** Null for a deleted file and for one that stays as it is. */
  readonly write: PlannedWrite | null;
}

async function planEntry({ patchFile, action, from, to }: Entry, { files }: PatchTree): Promise<PlannedEntry> {
  const before = reads(action) ? await files.read(from.real) : new Uint8Array();
  const { bytes, fuzz, corrections } = applyHunks(before, patchFile);
  const isMoved = action === 'rename' || action === 'copy';
  const source = isMoved ? { from: from.path } : {};
  const file = { path: to.path, ...source, action, hunks: patchFile.hunks.length, fuzz, corrections };
  if (action === 'delete') {
    if (bytes.length === 0) return { file, write: null };
    const left = `${bytes.length} of its ${before.length} bytes are not among the removed lines`;
    throw new PatchFault('stale_delete', `the patch deletes the file, but ${left}; read the file again`, {
      file: to.path,
    });
  }
  const isKept = action === 'edit' || action === 'mode';
  const { executable } = patchFile;
  const isSame = isKept && executable === null && Buffer.compare(before, bytes) === 0;
  if (isSame) {
    throw new PatchFault('empty', 'its hunks would change nothing: the file has the new lines already', {
      file: to.path,
    });
  }
  const write = {
    file: to.path,
    path: isKept ? to.real : to.entry,
    bytes,
    replaces: isKept ? to.info : to.entryInfo,
    like: action === 'create' ? null : from.info,
    executable,
  };
  return { file, write };
}

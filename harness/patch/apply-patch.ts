/** Bytes of a patch → a folder with the patch in it, or an error and the folder as it was. */
import { commitPlan } from './commit.ts';
import { type FileOperations, REAL_FILES } from './file-operations.ts';
import { parsePatch } from './parse.ts';
import { type CountsMode, isPatchError, type PatchError } from './patch.ts';
import { type PlannedFile, planPatch } from './plan.ts';

export interface ApplyOptions {
  /** The folder that the patch may change. */
  readonly root: string;
  /** Default `recount`. */
  readonly counts?: CountsMode;
  /** Says what would happen, and changes nothing. */
  readonly dryRun?: boolean;
  readonly files?: FileOperations;
  /** Aborted before all has landed, nothing lands. */
  readonly signal?: AbortSignal;
}

export type PatchAnswer =
  | {
      readonly ok: true;
      readonly files: readonly PlannedFile[];
      readonly error: null;
      readonly leftovers?: readonly string[];
    }
  | { readonly ok: false; readonly files: readonly never[]; readonly error: PatchError };

/** Parses, plans and commits. Whatever is wrong with patch or tree is a value; only a bug throws. */
export async function applyPatch(bytes: Uint8Array, options: ApplyOptions): Promise<PatchAnswer> {
  const { root, counts = 'recount', dryRun = false, files = REAL_FILES } = options;
  const patch = parsePatch(bytes, counts);
  if (isPatchError(patch)) return refused(patch);
  const plan = await planPatch(patch, { root, files });
  if (isPatchError(plan)) return refused(plan);
  if (dryRun) return { ok: true, files: plan.files, error: null };
  const committed = await commitPlan(plan, files, options.signal);
  if (isPatchError(committed)) return refused(committed);
  const leftovers = committed.leftovers.length === 0 ? {} : { leftovers: committed.leftovers };
  return { ok: true, files: plan.files, error: null, ...leftovers };
}

function refused(error: PatchError): PatchAnswer {
  return { ok: false, files: [], error };
}

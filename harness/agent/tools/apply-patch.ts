/** `apply_patch`: the whole patch, or nothing of it (runtime.md "apply_patch"). */
import { relative } from 'node:path';
import * as z from 'zod';
import { applyPatch as apply } from '../../patch/apply-patch.ts';
import type { PatchError } from '../../patch/patch.ts';
import type { PlannedFile } from '../../patch/plan.ts';
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts';
import { heldFiles } from './held-files.ts';
import { done, failed, settled, TOOL_EXIT } from './outcome.ts';

const schema = z.strictObject({ patch: z.string() });
type ApplyPatchArguments = z.infer<typeof schema>;

export const applyPatch: Tool<ApplyPatchArguments> = {
  name: 'apply_patch',
  description:
    'apply a unified diff; it may touch several files (`--- a/x`, `+++ b/x`, `/dev/null` for a new or deleted file).',
  schema,
  effect: 'writes',
  run: ({ patch }, context) => settled('patch', context, () => runPatch(patch, context)),
};

/** One line a file. The call that carried the patch is complete, so its wrong counts are slips and no cut (`recount`). */
async function runPatch(patch: string, context: ToolContext): Promise<ToolOutcome> {
  const { root, signal } = context;
  const options = { root, counts: 'recount', files: heldFiles(context), signal } as const;
  const answer = await apply(Buffer.from(patch, 'utf8'), options);
  if (!answer.ok) {
    const outcome = failed({ problem: describeError(answer.error) });
    return answer.error.kind === 'cancelled' ? { ...outcome, exit: TOOL_EXIT.cancelled } : outcome;
  }
  const lines = answer.files.map(describeFile);
  for (const path of answer.leftovers ?? []) lines.push(`[could not remove ${relative(root, path)}]`);
  return done(lines.map((line) => `${line}\n`).join(''));
}

function describeFile({ action, from, path, hunks, fuzz, corrections }: PlannedFile): string {
  const paths = from === undefined ? path : `${from} -> ${path}`;
  const fits = `${hunks} ${hunks === 1 ? 'hunk' : 'hunks'}${fuzz > 0 ? `, fuzz ${fuzz}` : ''}`;
  return [`${action} ${paths}: ${fits}`, ...corrections].join('; ');
}

function describeError({ kind, file, hunk, message }: PatchError): string {
  const place = [file, hunk === null ? null : `hunk ${hunk}`].filter((part) => part !== null).join(', ');
  return `the patch was not applied: ${kind}${place === '' ? '' : ` (${place})`}: ${message}`;
}

/** `write_file`: the file has exactly the content, or is as it was. */
import * as z from 'zod';
import { resolveProjectPath } from '../project-path.ts';
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts';
import { replaceFile } from './atomic-write.ts';
import { done, failed, settled } from './outcome.ts';

const schema = z.strictObject({ path: z.string(), content: z.string() });
type WriteFileArguments = z.infer<typeof schema>;

export const writeFile: Tool<WriteFileArguments> = {
  name: 'write_file',
  description: 'create or overwrite a text file with exactly `content`.',
  schema,
  effect: 'writes',
  run: (args, context) => settled(args.path, context, () => write(args, context)),
};

const WRITABLE = 0o222;

/** A link is written through to its target (inside the project folder), missing parent folders are made. */
async function write({ path, content }: WriteFileArguments, context: ToolContext): Promise<ToolOutcome> {
  const found = await resolveProjectPath(context, path);
  if ('problem' in found) return failed(found);
  const { real, stats } = found;
  const shown = JSON.stringify(path);
  if (stats?.isDirectory()) return failed({ problem: `${shown}: is a folder, and stays one` });
  if (stats !== null && !stats.isFile()) return failed({ problem: `${shown}: is no regular file, and stays as it is` });
  // A rename would replace it all the same: whoever took the write permission away meant it.
  if (stats !== null && (stats.mode & WRITABLE) === 0) return failed({ problem: `${shown}: is read-only` });
  const bytes = Buffer.from(content, 'utf8');
  await replaceFile(real, bytes, stats);
  const size = bytes.length === 1 ? '1 byte' : `${bytes.length} bytes`;
  return done(`${stats === null ? 'created' : 'replaced'} ${found.shown}: ${size}\n`);
}

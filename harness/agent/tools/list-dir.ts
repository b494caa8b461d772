/** `list_dir`: one name a line, in the order of their bytes. */
import type { Dirent } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import * as z from 'zod';
import { resolveProjectPath } from '../project-path.ts';
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts';
import { readableText } from '../utf8.ts';
import { inFolder } from './held-folder.ts';
import { done, failed, settled } from './outcome.ts';

const schema = z.strictObject({ path: z.string() });
type ListDirArguments = z.infer<typeof schema>;

/** More are counted, not listed. */
export const MOST_ENTRIES = 1000;

export const listDir: Tool<ListDirArguments> = {
  name: 'list_dir',
  description: 'list a folder.',
  schema,
  effect: 'reads',
  run: ({ path }, context) => settled(path, context, () => list(path, context)),
};

/** Folders end with `/`, links are shown with their target; a last line says how many entries were left out. */
async function list(path: string, context: ToolContext): Promise<ToolOutcome> {
  const found = await resolveProjectPath(context, path);
  if ('problem' in found) return failed(found);
  const { real, stats } = found;
  if (stats === null) return failed({ problem: `${JSON.stringify(path)}: no such folder` });
  if (!stats.isDirectory()) return failed({ problem: `${JSON.stringify(path)}: is no folder` });
  return done((await inFolder(real, (folder) => entryLines(folder.at('.')))).map((line) => `${line}\n`).join(''));
}

async function entryLines(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  entries.sort((a, b) => Buffer.compare(a.name, b.name));
  const lines = await Promise.all(entries.slice(0, MOST_ENTRIES).map((entry) => entryLine(folder, entry)));
  const more = entries.length - lines.length;
  if (more > 0) lines.push(`[${more} more ${more === 1 ? 'entry' : 'entries'} left out]`);
  return lines;
}

async function entryLine(folder: string, entry: Dirent<Buffer>): Promise<string> {
  const name = printable(entry.name);
  if (entry.isDirectory()) return `${name}/`;
  if (!entry.isSymbolicLink()) return name;
  const target = await readlink(Buffer.concat([Buffer.from(`${folder}/`), entry.name]), { encoding: 'buffer' });
  return `${name} -> ${printable(target)}`;
}

/** A name with a line feed must not look like two. */
function printable(name: Uint8Array): string {
  const text = readableText(name);
  return /\p{Control}/u.test(text) ? JSON.stringify(text) : text;
}

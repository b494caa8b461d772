/** `read_file`: the whole of a file, byte for byte. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import * as z from 'zod';
import { resolveProjectPath } from '../project-path.ts';
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts';
import { inFolder } from './held-folder.ts';
import { done, failed, settled } from './outcome.ts';

const schema = z.strictObject({ path: z.string() });
type ReadFileArguments = z.infer<typeof schema>;

/** Bytes; the same as the longest argument (`CTL_MAX_ARG`), so that what was written can be read. */
export const READ_LIMIT = 1024 * 1024;

export const readFile: Tool<ReadFileArguments> = {
  name: 'read_file',
  description: 'read a text file.',
  schema,
  effect: 'reads',
  run: ({ path }, context) => settled(path, context, () => read(path, context)),
};

async function read(path: string, context: ToolContext): Promise<ToolOutcome> {
  const found = await resolveProjectPath(context, path);
  if ('problem' in found) return failed(found);
  const shown = JSON.stringify(path);
  if (found.stats === null) return failed({ problem: `${shown}: no such file` });
  if (found.stats.isDirectory()) return failed({ problem: `${shown}: is a folder (list_dir lists it)` });
  // Opening a device may already do something, so it is not even tried.
  if (!found.stats.isFile()) return failed({ problem: `${shown}: ${NO_REGULAR_FILE}` });
  const { real } = found;
  return inFolder(dirname(real), async (folder) => {
    const handle = await open(folder.at(basename(real)), READ_FLAGS);
    try {
      return await readOpened(handle, shown);
    } finally {
      await handle.close();
    }
  });
}

async function readOpened(handle: FileHandle, shown: string): Promise<ToolOutcome> {
  if (!(await handle.stat()).isFile()) return failed({ problem: `${shown}: ${NO_REGULAR_FILE}` });
  const bytes = await readAtMost(handle, READ_LIMIT + 1);
  if (bytes.length <= READ_LIMIT) return done(bytes);
  const { size } = await handle.stat();
  return failed({
    problem: `${shown}: ${size} bytes, and read_file reads at most ${READ_LIMIT} (look at a part of it with shell: head, tail, sed -n)`,
  });
}

const NO_REGULAR_FILE = 'is no regular file but a FIFO, a socket or a device';

/** A FIFO put there since the check would else block until somebody writes. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const READ_AT_ONCE = 64 * 1024;

/** Stops at `most` bytes whatever the size that the file has: it may grow meanwhile. */
async function readAtMost(handle: FileHandle, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let left = most; left > 0; ) {
    const piece = new Uint8Array(Math.min(left, READ_AT_ONCE));
    const { bytesRead } = await handle.read(piece, 0, piece.length);
    if (bytesRead === 0) break;
    pieces.push(piece.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(pieces);
}

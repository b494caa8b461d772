/** A path of a patch → a place below the root. Symbolic links are followed, and must stay inside. */
import { isAbsolute, join, relative, sep } from 'node:path';
import { type FileInfo, type FileOperations, hasCode } from './file-operations.ts';
import { PatchFault } from './patch.ts';

/** The folder that a patch may change, and how it is reached. */
export interface PatchTree {
  readonly root: string;
  readonly files: FileOperations;
}

export interface TreePath {
  /** Relative to the root, with `/`, without `.`. */
  readonly path: string;
  /** The directory entry itself: absolute, links resolved in all but the last name. */
  readonly entry: string;
  /** What stands at `entry`; null for nothing. */
  readonly entryInfo: FileInfo | null;
  /** The file that is meant: `entry`, or what it links to. */
  readonly real: string;
  readonly info: FileInfo | null;
}

/** Throws `outside_root`, or `exists` where a file stands in the place of a folder. */
export async function treePath(tree: PatchTree, asked: string): Promise<TreePath> {
  const names = namesOf(asked);
  const path = names.join('/');
  const root = await tree.files.realpath(tree.root);
  let folder = root;
  for (const [i, name] of names.slice(0, -1).entries()) {
    const step = await follow(tree, { root, entry: join(folder, name), path });
    if (step.info === null) {
      const entry = join(folder, ...names.slice(i));
      return { path, entry, entryInfo: null, real: entry, info: null };
    }
    if (step.info.kind !== 'folder') {
      throw new PatchFault('exists', `${names.slice(0, i + 1).join('/')} is a file, the path needs a folder there`, {
        file: path,
      });
    }
    folder = step.real;
  }
  const entry = join(folder, names.at(-1)!);
  return { path, entry, ...(await follow(tree, { root, entry, path })) };
}

function namesOf(path: string): readonly string[] {
  if (path.includes('\0')) throw new PatchFault('malformed', 'a file name holds a NUL byte');
  const outside = (why: string) =>
    new PatchFault('outside_root', `${why}; paths are relative to the project's folder`, { file: path });
  if (path.startsWith('/') || isAbsolute(path)) throw outside('the path is absolute');
  // On Windows `\` parts names too.
  const names = path.split(sep === '\\' ? /[\\/]/ : '/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw outside('the path holds ".."');
  if (names.length === 0) throw new PatchFault('malformed', 'a file name is empty');
  return names;
}

interface Followed {
  readonly entryInfo: FileInfo | null;
  readonly real: string;
  readonly info: FileInfo | null;
}

async function follow(
  { files }: PatchTree,
  { root, entry, path }: { root: string; entry: string; path: string },
): Promise<Followed> {
  const entryInfo = await files.look(entry);
  if (entryInfo?.kind !== 'link') return { entryInfo, real: entry, info: entryInfo };
  const place = { file: path };
  const real = await files.realpath(entry).catch((error: unknown) => {
    if (!hasCode(error, ['ENOENT', 'ELOOP', 'ENOTDIR'])) throw error;
    throw new PatchFault('outside_root', 'the path goes through a symbolic link that leads nowhere', place);
  });
  if (!isInside(root, real)) {
    throw new PatchFault('outside_root', "a symbolic link leads out of the project's folder", place);
  }
  return { entryInfo, real, info: await files.look(real) };
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

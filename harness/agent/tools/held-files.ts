/** The file system as `apply_patch` sees it: what is done to a file is done in the folder that was looked at (`held-folder.ts`). */
import { basename, dirname, relative } from 'node:path';
import { type FileOperations, REAL_FILES } from '../../patch/file-operations.ts';
import { PatchFault } from '../../patch/patch.ts';
import { isOfSession, OF_SESSION, type ProjectFolder } from '../project-path.ts';
import { inFolder } from './held-folder.ts';

/** Paths are those of a plan: absolute, without links in all but the last name. */
export function heldFiles({ root, session }: ProjectFolder): FileOperations {
  return {
    ...REAL_FILES,
    look: async (path) => {
      if (!isOfSession(session, path)) return REAL_FILES.look(path);
      throw new PatchFault('outside_root', OF_SESSION, { file: relative(root, path) });
    },
    read: (path) => held(path, REAL_FILES.read),
    writeTemporary: (path, bytes, attributes) =>
      held(path, (inside) => REAL_FILES.writeTemporary(inside, bytes, attributes)),
    rename: (from, to) => heldBoth(from, to, REAL_FILES.rename),
    link: (from, to) => heldBoth(from, to, REAL_FILES.link),
    remove: (path) => held(path, REAL_FILES.remove),
    makeFolder: (path) => held(path, REAL_FILES.makeFolder),
    removeFolder: (path) => held(path, REAL_FILES.removeFolder),
  };
}

function held<T>(path: string, act: (inside: string) => Promise<T>): Promise<T> {
  return inFolder(dirname(path), (folder) => act(folder.at(basename(path))));
}

function heldBoth(from: string, to: string, act: (from: string, to: string) => Promise<void>): Promise<void> {
  return held(from, (insideFrom) => held(to, (insideTo) => act(insideFrom, insideTo)));
}

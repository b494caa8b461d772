/** The header of one file of a patch: git's extended lines, `---` and `+++`. */
import { bareName, DEV_NULL, gitPath, type HeaderName, headerName, loneName, withoutPrefixes } from './header-name.ts';
import { isFilePair } from './hunk-lines.ts';
import { type PatchAction, PatchFault } from './patch.ts';
import { type PatchLine, quote } from './patch-text.ts';

/** What the lines before the first hunk say. */
export interface FileHeader {
  readonly action: PatchAction;
  readonly from: string;
  readonly to: string;
  readonly executable: boolean | null;
  readonly crlfTransport: boolean;
  /** By its own words no hunk follows: an empty file, or a rename of 100 %. */
  readonly saysNoHunk: boolean;
  /** Index of the line after the header. */
  readonly end: number;
}

const GIT = 'diff --git ';

export function isFileStart(lines: readonly PatchLine[], at: number): boolean {
  return lines[at]?.text.startsWith(GIT) === true || isFilePair(lines, at);
}

export function readFileHeader(lines: readonly PatchLine[], at: number): FileHeader {
  return lines[at]!.text.startsWith(GIT) ? gitHeader(lines, at) : plainHeader(lines, at);
}

interface Names {
  readonly from: HeaderName;
  readonly to: HeaderName;
}

function namesAt(lines: readonly PatchLine[], at: number): Names | null {
  if (!isFilePair(lines, at)) return null;
  return { from: headerName(lines[at]!.text.slice(4)), to: headerName(lines[at + 1]!.text.slice(4)) };
}

function plainHeader(lines: readonly PatchLine[], at: number): FileHeader {
  const { from, to } = namesAt(lines, at)!;
  const rest = { executable: null, crlfTransport: lines[at + 1]!.cr, saysNoHunk: false, end: at + 2 };
  const isCreated = from.name === DEV_NULL || from.epoch;
  const isDeleted = to.name === DEV_NULL || to.epoch;
  if (isCreated && isDeleted)
    throw new PatchFault('malformed', 'a file is both created and deleted: both names are /dev/null');
  const paths = plainPaths(from.name, to.name);
  if (paths.from === '' || paths.to === '')
    throw new PatchFault('malformed', `line ${at + 1} of the patch names no file`);
  if (isCreated) return { action: 'create', from: paths.to, to: paths.to, ...rest };
  if (isDeleted) return { action: 'delete', from: paths.from, to: paths.from, ...rest };
  if (paths.from === paths.to) return { action: 'edit', ...paths, ...rest };
  const advice = 'to rename, begin with "diff --git", "rename from" and "rename to"';
  throw new PatchFault('malformed', `--- names ${quoteName(paths.from)}, +++ names ${quoteName(paths.to)}; ${advice}`, {
    file: paths.to,
  });
}

function plainPaths(from: string, to: string): { from: string; to: string } {
  if (from === DEV_NULL) {
    const path = loneName(to, 'b/');
    return { from: path, to: path };
  }
  if (to === DEV_NULL) {
    const path = loneName(from, 'a/');
    return { from: path, to: path };
  }
  return withoutPrefixes(from, to);
}

/** git's lines between `diff --git` and `---`, by what they begin with. */
interface GitLines {
  readonly [start: string]: string | undefined;
}

const EXTENDED = [
  'old mode ',
  'new mode ',
  'deleted file mode ',
  'new file mode ',
  'copy from ',
  'copy to ',
  'rename from ',
  'rename to ',
  'similarity index ',
  'dissimilarity index ',
  'index ',
] as const;

function gitHeader(lines: readonly PatchLine[], start: number): FileHeader {
  const said: { [start: string]: string } = {};
  let at = start + 1;
  for (; at < lines.length; at += 1) {
    const line = lines[at]!.text;
    const known = EXTENDED.find((begin) => line.startsWith(begin));
    if (known === undefined) break;
    said[known] = line.slice(known.length);
  }
  const git = gitPath(lines[start]!.text.slice(GIT.length));
  const named = ownNames(said, namesAt(lines, at), git);
  const paths = gitPaths(said, named, git);
  if (paths === null) {
    throw new PatchFault(
      'malformed',
      `line ${start + 1} of the patch, ${quote(lines[start]!.text)}, does not say which file it is about`,
    );
  }
  refuseSpecialFiles(said, paths.to);
  return {
    ...paths,
    executable: executableOf(said),
    crlfTransport: lines[start]!.cr,
    saysNoHunk: named === null && noHunkFollows(said, paths.action),
    end: named === null ? at : at + 2,
  };
}

/** git's hash of no content. */
const EMPTY_BLOB = 'e69de29';

function noHunkFollows(said: GitLines, action: PatchAction): boolean {
  if (action === 'rename' || action === 'copy') return said['similarity index ']?.trim() === '100%';
  return action === 'mode' || said['index ']?.includes(EMPTY_BLOB) === true;
}

interface GitPaths {
  readonly action: PatchAction;
  readonly from: string;
  readonly to: string;
}

function gitPaths(said: GitLines, named: Names | null, git: string | null): GitPaths | null {
  for (const action of ['rename', 'copy'] as const) {
    const [from, to] = [said[`${action} from `], said[`${action} to `]];
    if (from === undefined && to === undefined) continue;
    if (from === undefined || to === undefined) {
      throw new PatchFault('malformed', `"${action} from" and "${action} to" belong together, one is missing`);
    }
    return { action, from: bareName(from), to: bareName(to) };
  }
  const path = git ?? pathOfNames(named);
  if (path === null) return null;
  if (named !== null && !isOf(named, path, path)) throw otherName(named, path);
  const isCreated = said['new file mode '] !== undefined || named?.from.name === DEV_NULL;
  const isDeleted = said['deleted file mode '] !== undefined || named?.to.name === DEV_NULL;
  if (isCreated && isDeleted) throw new PatchFault('malformed', 'a file is both created and deleted', { file: path });
  const isMode = said['new mode '] !== undefined && named === null;
  const action = isCreated ? 'create' : isDeleted ? 'delete' : isMode ? 'mode' : 'edit';
  return { action, from: path, to: path };
}

function pathOfNames(named: Names | null): string | null {
  if (named === null) return null;
  const { from, to } = plainPaths(named.from.name, named.to.name);
  return from === to && from !== DEV_NULL ? from : null;
}

/** An entry that needs no --- and +++, followed by those of another file: they begin the next entry. */
function ownNames(said: GitLines, named: Names | null, git: string | null): Names | null {
  if (named === null) return null;
  const [from, to] = [said['rename from '] ?? said['copy from '], said['rename to '] ?? said['copy to ']];
  if (from !== undefined && to !== undefined) return isOf(named, bareName(from), bareName(to)) ? named : null;
  return said['new mode '] === undefined || git === null || isOf(named, git, git) ? named : null;
}

/** Are --- and +++ these two paths, with a prefix or without? */
function isOf({ from, to }: Names, oldPath: string, newPath: string): boolean {
  const isName = (name: string, path: string) =>
    name === DEV_NULL || name === path || name.slice(name.indexOf('/') + 1) === path;
  return isName(from.name, oldPath) && isName(to.name, newPath);
}

/** `diff --git` about one file and `+++` about another: which one is meant cannot be told. */
function otherName({ from, to }: Names, path: string): PatchFault {
  const names = `${quoteName(from.name)} and ${quoteName(to.name)}`;
  return new PatchFault('malformed', `"diff --git" names ${quoteName(path)}, its --- and +++ lines ${names}`, {
    file: path,
  });
}

function refuseSpecialFiles(said: GitLines, file: string): void {
  const modes = [said['old mode '], said['new mode '], said['new file mode '], said['deleted file mode ']];
  for (const mode of [...modes, / (\d{6})$/.exec(said['index '] ?? '')?.[1]]) {
    if (mode === undefined || /^100[0-7]{3}\s*$/.test(mode)) continue;
    const what = mode.startsWith('120')
      ? 'a symbolic link'
      : mode.startsWith('160')
        ? 'a submodule'
        : `mode ${mode.trim()}`;
    throw new PatchFault('malformed', `the patch is about ${what}; only regular files can be patched`, { file });
  }
}

function executableOf(said: GitLines): boolean | null {
  const mode = said['new file mode '] ?? said['new mode '];
  return mode === undefined ? null : (Number.parseInt(mode, 8) & 0o111) !== 0;
}

function quoteName(path: string): string {
  return JSON.stringify(path);
}

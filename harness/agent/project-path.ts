/**
 * Where a path of the model leads, and whether that is inside the project folder.
 *
 * Every component is looked at as the kernel would take it: a symbolic link is followed, `..` is the real parent (also
 * behind a link), and what counts is the real path at the end. So a link that leads out, a link in the middle and a
 * dangling link are all judged by their target. A path that does not exist (yet) is resolved as far as it does.
 *
 * Guaranteed: at the time of the check, the returned path was inside the root and no component of it was a link. What is
 * done there is done in the folder as it was then (`tools/held-folder.ts`, on Linux), and a link put in the last place since
 * is not followed.
 * Not guaranteed: elsewhere than on Linux, that no other process swaps a folder in the middle for a link between check and
 * use. Hard links cannot be told from files, and `shell` is not contained at all.
 */
import type { Stats } from 'node:fs';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { systemCode } from '../replay/system-code.ts';
import { systemProblem } from './system-problem.ts';

export interface ProjectPath {
  /** Absolute, without links. */
  readonly real: string;
  /** From the root, for messages; `.` is the root. */
  readonly shown: string;
  /** What is there; null for nothing, and then some of its parents may be missing, too. */
  readonly stats: Stats | null;
}

/** A path that leads nowhere or out of the project folder; `problem` begins with the path as it was given. */
export interface PathProblem {
  readonly problem: string;
}

/** As Linux: `ELOOP` after so many links. */
const MOST_LINKS = 40;

/** The real path of the project folder, or why it is none. */
export async function projectRoot(folder: string): Promise<{ readonly root: string } | PathProblem> {
  try {
    if (!(await stat(folder)).isDirectory()) return { problem: `${folder}: is no folder` };
    return { root: await realpath(folder) };
  } catch (error) {
    const problem = systemProblem(error);
    if (problem === null) throw error;
    return { problem: `${folder}: ${problem}` };
  }
}

/** The folder of a run, and what in it is not the model's. */
export interface ProjectFolder {
  /** Its real path. */
  readonly root: string;
  /** Real path of the session, if there is one: it and its lock are touched by no tool that takes paths. */
  readonly session?: string | undefined;
}

/**
 * Resolves a path inside the project folder.
 * @param path relative to the root, or absolute
 */
export async function resolveProjectPath(
  { root, session }: ProjectFolder,
  path: string,
): Promise<ProjectPath | PathProblem> {
  const shown = JSON.stringify(path);
  if (path === '') return { problem: 'the path is empty ("." is the project folder)' };
  if (path.includes('\0')) return { problem: `${shown}: a path cannot hold a NUL byte` };
  try {
    const end = await walk(root, path);
    if ('problem' in end) return { problem: `${shown}: ${end.problem}` };
    if (!isInside(root, end.at)) return { problem: `${shown}: leads out of the project folder` };
    if (isOfSession(session, end.at)) return { problem: `${shown}: ${OF_SESSION}` };
    return { real: end.at, shown: relative(root, end.at) || '.', stats: end.stats };
  } catch (error) {
    const problem = systemProblem(error);
    if (problem === null) throw error;
    return { problem: `${shown}: ${problem}` };
  }
}

export const OF_SESSION = 'is the session of this run, which no tool touches';

/** The session itself, its lock, and what its lock is made of for a moment. */
export function isOfSession(session: string | undefined, real: string): boolean {
  if (session === undefined) return false;
  return real === session || real === `${session}.lock` || real.startsWith(`${session}.lock.`);
}

interface Place {
  readonly at: string;
  readonly stats: Stats | null;
}

/** Follows a path, component by component, to the place that it names. */
async function walk(root: string, path: string): Promise<Place | PathProblem> {
  let place: Place = { at: path.startsWith(sep) ? sep : root, stats: null };
  const ahead = components(path);
  let links = 0;
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === '..') {
      place = { at: dirname(place.at), stats: null };
      continue;
    }
    const at = name === '.' ? place.at : join(place.at, name);
    const stats = await lstatOrNull(at);
    if (stats?.isSymbolicLink()) {
      if (++links > MOST_LINKS) return { problem: 'too many symbolic links, or a loop of them' };
      const target = await readlink(at);
      ahead.unshift(...components(target));
      if (target.startsWith(sep)) place = { at: sep, stats: null };
      continue;
    }
    if (ahead.length > 0 && stats !== null && !stats.isDirectory()) return { problem: NO_FOLDER };
    if (stats === null && ahead.some((later) => later === '.' || later === '..')) return { problem: MISSING };
    place = { at, stats };
  }
  return { at: place.at, stats: place.stats ?? (await lstatOrNull(place.at)) };
}

const NO_FOLDER = 'a part of it is a file, no folder';
const MISSING = 'no such file or directory';

/** The names in a path. A slash at the end asks for a folder, as `/.` does. */
function components(path: string): string[] {
  const names = path.split(sep).filter((name) => name !== '');
  return path.endsWith(sep) ? [...names, '.'] : names;
}

/** What is there itself, links included; null for nothing. */
async function lstatOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

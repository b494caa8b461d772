/**
 * The files of one experiment's results: collected in memory, then written to a folder, or compared with it.
 *
 * `manifest.json` names every file, and that list is the only licence to remove or replace one: a file in the folder
 * that no results manifest lists is somebody else's. It gives the SHA-256 of each but pictures of pixels, so that who
 * publishes the results can tell that nothing was edited, and that no run was ended between two files.
 */
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { sha256 } from '../replay/stored-recording.ts';
import { readIfPresent, systemCode } from '../replay/system-code.ts';
import { type Difference, firstDifference } from './difference.ts';

type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** What the manifest says beside `files`: recordings with their SHA-256, options, version. No time stamps, no absolute paths. */
export interface ManifestContent {
  /** Whose results these are (`c`, `d`): results of one experiment never replace those of another. */
  readonly experiment: string;
  readonly [key: string]: JsonValue;
}

/** A file as the manifest lists it; `sha256` of its bytes, not of pixels. */
export interface ListedFile {
  readonly path: string;
  readonly sha256?: string;
}

/** The folder holds something that is not this experiment's, in the way of its results. Nothing has been changed. */
export class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError';
}

const MANIFEST = 'manifest.json';
/** Pixels may depend on the platform: of these, only existence is checked (the SVG beside them is compared). */
const PIXELS = '.png';

export class ResultFiles {
  readonly #files = new Map<string, Uint8Array>();

  /** `path` is relative to the folder of results, with `/`. Text is written as UTF-8. A path is added once. */
  add(path: string, content: string | Uint8Array): void {
    if (!isInside(path) || path === MANIFEST) throw new RangeError(`no path of a result: ${JSON.stringify(path)}`);
    if (this.#files.has(path)) throw new RangeError(`two results have the path ${path}`);
    this.#files.set(path, typeof content === 'string' ? Buffer.from(content) : content);
  }

  /**
   * Makes `dir` hold these files: each appears whole or not at all, and what the former manifest lists and is no longer
   * produced is removed. Throws {@link ForeignFileError} before the first change.
   */
  async write(dir: string, manifest: ManifestContent): Promise<void> {
    const former = await formerFiles(dir, manifest.experiment);
    await this.#refuseForeign(dir, former);
    for (const path of former) if (!this.#files.has(path)) await removeFile(dir, path);
    // The manifest comes first: a run that is killed here leaves only files that the next run knows for its own.
    await writeWhole(dir, MANIFEST, this.#manifestBytes(manifest));
    for (const [path, bytes] of this.#sorted()) await writeWhole(dir, path, bytes);
  }

  /**
   * What `dir` holds otherwise than these files, by path; empty if the results are up to date. Every file there that is
   * not produced is `extra`, but for names that begin with a dot.
   */
  async check(dir: string, manifest: ManifestContent): Promise<Difference[]> {
    const produced = new Map([...this.#files, [MANIFEST, this.#manifestBytes(manifest)]]);
    const present = new Set(await listFiles(dir));
    const differences: Difference[] = [];
    for (const path of [...new Set([...produced.keys(), ...present])].sort()) {
      const bytes = produced.get(path);
      if (bytes === undefined) differences.push({ kind: 'extra', path });
      else if (!present.has(path)) differences.push({ kind: 'missing', path });
      else if (extname(path) !== PIXELS) {
        const difference = firstDifference(path, await readFile(join(dir, path)), bytes);
        if (difference !== null) differences.push(difference);
      }
    }
    return differences;
  }

  #sorted(): [string, Uint8Array][] {
    return [...this.#files].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #manifestBytes(manifest: ManifestContent): Uint8Array {
    const files = this.#sorted().map(([path, bytes]): ListedFile => {
      return extname(path) === PIXELS ? { path } : { path, sha256: sha256(bytes) };
    });
    return Buffer.from(`${JSON.stringify({ ...manifest, files }, null, 2)}\n`);
  }

  async #refuseForeign(dir: string, former: ReadonlySet<string>): Promise<void> {
    const present = new Set(await listFiles(dir));
    for (const [path] of this.#sorted()) {
      if (present.has(path) && !former.has(path)) {
        throw new ForeignFileError(
          `${path} is in the way: no results manifest lists it; move it, or choose another folder`,
        );
      }
    }
  }
}

/** The files that the manifest in `dir` lists; none if there is no manifest. */
async function formerFiles(dir: string, experiment: string): Promise<Set<string>> {
  const text = await readIfPresent(join(dir, MANIFEST));
  if (text === null) return new Set();
  const former = parseManifest(text);
  if (former === null) throw new ForeignFileError(`${MANIFEST} there is no manifest of results; choose another folder`);
  if (former.experiment !== experiment) {
    throw new ForeignFileError(
      `${MANIFEST} there is of experiment ${JSON.stringify(former.experiment)}, not ${JSON.stringify(experiment)}; choose another folder`,
    );
  }
  return new Set(former.files.map(({ path }) => path));
}

function parseManifest(text: string): { experiment: string; files: ListedFile[] } | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('experiment' in value && 'files' in value)) return null;
  const { experiment, files } = value;
  if (typeof experiment !== 'string' || !Array.isArray(files)) return null;
  // A list that leaves the folder was not written here: nothing of it is believed.
  return files.every(isListed) ? { experiment, files } : null;
}

function isListed(file: unknown): file is ListedFile {
  return typeof file === 'object' && file !== null && 'path' in file && isInside(file.path);
}

/** Relative, with `/`, every part a plain name that does not begin with a dot. */
function isInside(path: unknown): path is string {
  return typeof path === 'string' && path.split('/').every((part) => /^[\w-][\w.-]*$/.test(part));
}

async function writeWhole(dir: string, path: string, bytes: Uint8Array): Promise<void> {
  const target = join(dir, path);
  await mkdir(dirname(target), { recursive: true });
  const temporary = join(dirname(target), `.${process.pid}.writing`);
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes the file, and the folders that it leaves empty. */
async function removeFile(dir: string, path: string): Promise<void> {
  await rm(join(dir, path), { force: true });
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      await rmdir(join(dir, folder));
    } catch {
      return;
    }
  }
}

/** Every file under `dir`, as relative paths with `/`; dot files and folders left out; none if there is no `dir`. */
async function listFiles(dir: string, under = ''): Promise<string[]> {
  const found: string[] = [];
  try {
    for (const entry of await readdir(join(dir, under), { withFileTypes: true })) {
      const path = under === '' ? entry.name : `${under}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) found.push(...(await listFiles(dir, path)));
      else found.push(path);
    }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  return found;
}

/** Files and folders of other tools become recordings of a suite, one exchange after the other. */
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { compareNames } from '../replay/manifest.ts';
import { RecordingError } from '../replay/recording-error.ts';
import { sha256 } from '../replay/stored-recording.ts';
import type { NewRecording } from '../replay/suite-writer.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import type { Found } from './exchange.ts';
import { type FormatName, UnknownFormat } from './format.ts';
import { type FileExchanges, IMPORTED_NAMES, readExchanges } from './read-file.ts';
import { recordingOf } from './recording-of.ts';
import { taskName } from './task-name.ts';

/** Where recordings go: a suite, or nowhere. */
export interface ImportTarget {
  /** The name of the recording with these bytes, or null. */
  holds(hash: string): string | null;
  /** @returns the name of its file */
  add(recording: NewRecording): Promise<string>;
}

export interface ImportOptions {
  readonly format: FormatName | 'auto';
  readonly wire: WireFormat | null;
  readonly redact: boolean;
}

export interface InputFile {
  /** To open it. */
  readonly path: string;
  /** Relative to the folder that was asked for, with `/`. */
  readonly name: string;
  /** It was asked for itself, and not found in a folder. */
  readonly named: boolean;
}

/**
 * What became of one exchange, or of a file. `other`: nothing to import; `duplicate`: its bytes are there already;
 * `refused`: it must not, or cannot, be written; `unreadable`: it is broken.
 */
export type Outcome =
  | ({
      readonly outcome: 'imported';
      readonly recording: string;
      readonly bytes: number;
      readonly masked: number;
    } & Place)
  | ({ readonly outcome: 'other' | 'duplicate' | 'refused' | 'unreadable'; readonly reason: string } & Place);

export interface Place {
  readonly file: string;
  /** Null: the whole file. */
  readonly place: string | null;
  readonly format: FormatName | null;
}

/** The files to read, in order of their names. Folders of tools (`node_modules`, `.git`) are passed over. */
export async function inputFiles(paths: readonly string[]): Promise<readonly InputFile[]> {
  const files: InputFile[] = [];
  for (const path of paths) {
    if ((await stat(path)).isDirectory()) files.push(...(await walk(path, '')));
    else files.push({ path, name: basename(path), named: true });
  }
  return files;
}

export async function* importFiles(
  files: readonly InputFile[],
  target: ImportTarget,
  options: ImportOptions,
): AsyncGenerator<Outcome> {
  for (const file of files) yield* importFile(file, target, options);
}

async function* importFile(file: InputFile, target: ImportTarget, options: ImportOptions): AsyncGenerator<Outcome> {
  let place: Place = { file: file.path, place: null, format: null };
  try {
    const exchanges = readExchanges(await fileBytes(file.path), file.path, options.format);
    place = { ...place, format: exchanges.format };
    yield* importExchanges(exchanges, file, { target, options });
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    const isOther = error instanceof UnknownFormat && !file.named;
    yield { outcome: isOther ? 'other' : 'unreadable', reason: error.message, ...place };
  }
}

/** A file that the system does not give is one file that cannot be read, and not the end of all. */
async function fileBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new RecordingError({
      file: path,
      what: `cannot be opened (${code})`,
      advice: 'Is it there, and yours to read?',
    });
  }
}

interface Importer {
  readonly target: ImportTarget;
  readonly options: ImportOptions;
}

async function* importExchanges(
  { format, of, found }: FileExchanges,
  file: InputFile,
  importer: Importer,
): AsyncGenerator<Outcome> {
  let number = 0;
  let waiting: Found | null = null;
  // One behind: only the second exchange tells that the first is not the only one.
  for (const next of found) {
    if (waiting !== null) yield await importOne(waiting, { file, format, of, number: ++number }, importer);
    waiting = next;
  }
  if (waiting === null) yield { outcome: 'other', reason: 'holds no exchange', file: file.path, place: null, format };
  else yield await importOne(waiting, { file, format, of, number: number === 0 ? null : number + 1 }, importer);
}

interface Standing {
  readonly file: InputFile;
  readonly format: FormatName;
  readonly of: string;
  readonly number: number | null;
}

async function importOne(found: Found, { file, format, of, number }: Standing, importer: Importer): Promise<Outcome> {
  const place: Place = { file: file.path, place: found.place, format };
  if ('malformed' in found) return { outcome: 'unreadable', reason: found.malformed, ...place };
  const { wire, redact } = importer.options;
  const task = taskName(file.name, number);
  const from = `${of} (${file.name}, ${found.place})`;
  const result = recordingOf(found, { task, from, wire, redact });
  if ('reason' in result) return { outcome: result.why, reason: result.reason, ...place };
  const { recording, masked } = result;
  const twin = importer.target.holds(sha256(recording.bytes));
  if (twin !== null) return { outcome: 'duplicate', reason: `the same bytes as ${twin}`, ...place };
  const name = await importer.target.add(recording);
  return { outcome: 'imported', recording: name, bytes: recording.bytes.length, masked, ...place };
}

async function walk(dir: string, inner: string): Promise<InputFile[]> {
  const entries: Dirent[] = await readdir(join(dir, inner), { withFileTypes: true });
  const files: InputFile[] = [];
  for (const entry of entries.sort((a, b) => compareNames(a.name, b.name))) {
    const name = inner === '' ? entry.name : `${inner}/${entry.name}`;
    if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) {
      files.push(...(await walk(dir, name)));
    } else if (entry.isFile() && IMPORTED_NAMES.test(entry.name)) {
      files.push({ path: join(dir, name), name, named: false });
    }
  }
  return files;
}

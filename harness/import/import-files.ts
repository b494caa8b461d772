/** Files and folders of other tools become recordings of a suite, one exchange after the other. */
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { compareNames, entryFault } from '../replay/manifest.ts';
import { RecordingError } from '../replay/recording-error.ts';
import { sha256 } from '../replay/stored-recording.ts';
import { type NewRecording, streamName } from '../replay/suite-writer.ts';
import { systemCode } from '../replay/system-code.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import type { Exchange, Found } from './exchange.ts';
import { type FormatName, UnknownFormat } from './format.ts';
import { type FileExchanges, IMPORTED_NAMES, readExchanges } from './read-file.ts';
import { type ImportedExchange, recordingOf } from './recording-of.ts';
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

export interface Input {
  readonly files: readonly InputFile[];
  /** What a folder holds and is not read: links, and what is no file. */
  readonly passed: readonly Outcome[];
}

/**
 * The files to read, in order of their names. Folders of tools (`node_modules`, `.git`) are passed over.
 * @throws RecordingError that names every path which is not there, or is neither a file nor a folder
 */
export async function inputFiles(paths: readonly string[]): Promise<Input> {
  const kinds = await Promise.all(paths.map(async (path) => ({ path, kind: await kindOf(path) })));
  const [wrong, ...others] = kinds.filter(({ kind }) => kind !== 'file' && kind !== 'folder');
  if (wrong !== undefined) {
    const more = others.map(({ path, kind }) => `; ${path}: ${kind}`).join('');
    throw new RecordingError({ file: wrong.path, what: `${wrong.kind}${more}`, advice: 'Nothing was imported' });
  }
  const files: InputFile[] = [];
  const passed: Outcome[] = [];
  for (const { path, kind } of kinds) {
    if (kind === 'file') files.push({ path, name: basename(path), named: true });
    else await walk(path, { files, passed });
  }
  return { files, passed };
}

/** What is wrong with a path, if it is neither. */
async function kindOf(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'is neither a file nor a folder';
  } catch (error) {
    const code = systemCode(error);
    if (code === null) throw error;
    return code === 'ENOENT' ? 'no such file or folder' : `cannot be opened (${code})`;
  }
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
    if (error instanceof RangeError) {
      yield { outcome: 'unreadable', reason: `${file.path}: ${TOO_DEEP}`, ...place };
      return;
    }
    if (!(error instanceof RecordingError)) throw error;
    const isOther = error instanceof UnknownFormat && !file.named;
    yield { outcome: isOther ? 'other' : 'unreadable', reason: error.message, ...place };
  }
}

/** All walks over JSON are recursive; nobody nests an answer thousands of levels deep. */
const TOO_DEEP = 'is nested too deeply, or too long, to be read';

/** A file that the system does not give is one file that cannot be read, and not the end of all. */
async function fileBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = systemCode(error) ?? String(error);
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

async function importOne(found: Found, standing: Standing, importer: Importer): Promise<Outcome> {
  const place: Place = { file: standing.file.path, place: found.place, format: standing.format };
  if ('malformed' in found) return { outcome: 'unreadable', reason: found.malformed, ...place };
  const result = recorded(found, standing, importer.options);
  if ('reason' in result) return { outcome: result.why, reason: result.reason, ...place };
  const { recording, masked } = result;
  const twin = importer.target.holds(sha256(recording.bytes));
  if (twin !== null) return { outcome: 'duplicate', reason: `the same bytes as ${twin}`, ...place };
  const fault = faultOf(recording, standing.file.path);
  if (fault !== null) return { outcome: 'refused', reason: fault, ...place };
  const name = await importer.target.add(recording);
  return { outcome: 'imported', recording: name, bytes: recording.bytes.length, masked, ...place };
}

/** It is the source that has what no manifest may hold, and not the suite. */
function faultOf({ entry, bytes }: NewRecording, source: string): string | null {
  const file = streamName(`${entry.task}.${entry.protocol}`, 1);
  const fault = entryFault({ file, sha256: sha256(bytes), bytes: bytes.length, ...entry }, source);
  return fault === null ? null : `what it says of its ${fault.field ?? 'recording'} cannot stand in a manifest`;
}

function recorded(found: Exchange, { file, of, number }: Standing, options: ImportOptions): ImportedExchange {
  const task = taskName(file.name, number);
  const from = `${of} (${file.name}, ${found.place})`;
  try {
    return recordingOf(found, { task, from, wire: options.wire, redact: options.redact });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { why: 'refused', reason: TOO_DEEP };
  }
}

interface Walked {
  readonly files: InputFile[];
  readonly passed: Outcome[];
}

async function walk(dir: string, walked: Walked, inner = ''): Promise<void> {
  const entries = await entriesOf(join(dir, inner), walked);
  for (const entry of entries.sort((a, b) => compareNames(a.name, b.name))) {
    const name = inner === '' ? entry.name : `${inner}/${entry.name}`;
    const path = join(dir, name);
    const isOfTool = entry.name === 'node_modules' || entry.name.startsWith('.');
    if (entry.isDirectory()) {
      if (!isOfTool) await walk(dir, walked, name);
    } else if (entry.isSymbolicLink()) {
      if (!isOfTool) walked.passed.push(passedOver(path, 'is a symbolic link, which is not followed: name it itself'));
    } else if (IMPORTED_NAMES.test(entry.name)) {
      if (entry.isFile()) walked.files.push({ path, name, named: false });
      else walked.passed.push(passedOver(path, 'is no file (a pipe, a socket or a device)'));
    }
  }
}

/** A folder that cannot be read is no reason to leave the others. */
async function entriesOf(dir: string, { passed }: Walked): Promise<Dirent[]> {
  try {
    return await readdir(dir, { withFileTypes: true });
  } catch (error) {
    const code = systemCode(error);
    if (code === null) throw error;
    passed.push({ ...passedOver(dir, `the folder cannot be read (${code})`), outcome: 'unreadable' });
    return [];
  }
}

function passedOver(file: string, what: string): Extract<Outcome, { reason: string }> {
  return { outcome: 'other', reason: `${file}: ${what}`, file, place: null, format: null };
}

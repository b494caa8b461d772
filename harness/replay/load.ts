/**
 * Suites of recordings on disk (recordings.md). Loading reads manifests and file sizes; the bytes of a recording are
 * read when they are asked for, so that thousands of recordings need little memory. Every refusal is a
 * `RecordingError`.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { detectWireFormat } from '../stream/dialect.ts';
import { readStream } from '../stream/reader.ts';
import { guessFramingOf } from './guess.ts';
import {
  compareNames,
  MANIFEST_FILE,
  type Manifest,
  type ManifestEntry,
  readManifest,
  STREAM_SUFFIX,
  timesFile,
} from './manifest.ts';
import type { Recording } from './recording.ts';
import { RecordingError } from './recording-error.ts';
import { changed, checkedBytes, readRecording, sha256, storedRecording } from './stored-recording.ts';
import { findSuites, liesInside, listSuiteFiles, type SuiteFiles, type SuiteFolder } from './suite-folder.ts';
import { parseTimes } from './times.ts';

export interface LoadOptions {
  /** Names of suites; all of them if absent. */
  readonly suites?: readonly string[];
}

export interface Verification {
  /** Recordings that were looked at. */
  readonly recordings: number;
  /** Everything that is wrong, in order of suites and files. */
  readonly problems: readonly RecordingError[];
}

interface Inspection {
  readonly recordings: readonly Recording[];
  readonly problems: readonly RecordingError[];
}

/** All recordings below `dir`, in order of suite and file. Throws `RecordingError` at the first that must be refused. */
export async function loadSuites(dir: string, options: LoadOptions = {}): Promise<readonly Recording[]> {
  const recordings: Recording[] = [];
  for (const folder of await chosenSuites(dir, options.suites)) {
    const inspection = await inspectSuite(folder);
    const [problem] = inspection.problems;
    if (problem !== undefined) throw problem;
    recordings.push(...inspection.recordings);
  }
  return recordings;
}

/** Reads every recording below `dir` and reports all that is wrong, not just the first. */
export async function verifySuites(dir: string): Promise<Verification> {
  const problems: RecordingError[] = [];
  let recordings = 0;
  try {
    for (const folder of await findSuites(dir)) {
      const inspection = await inspectSuite(folder);
      problems.push(...inspection.problems);
      for (const recording of inspection.recordings) {
        recordings += 1;
        problems.push(...(await problemsOf(() => recording.bytes())));
      }
    }
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    problems.push(error);
  }
  return { recordings, problems };
}

async function chosenSuites(dir: string, wanted: readonly string[] | undefined): Promise<readonly SuiteFolder[]> {
  const folders = await findSuites(dir);
  if (wanted === undefined) return folders;
  const names = await Promise.all(folders.map(suiteName));
  const missing = wanted.find((name) => !names.includes(name));
  if (missing === undefined) return folders.filter((_, at) => wanted.includes(names[at] ?? ''));
  const advice = `There ${names.length === 1 ? 'is' : 'are'}: ${names.join(', ')}`;
  throw new RecordingError({ file: dir, what: `no suite is called ${missing}`, advice });
}

async function suiteName(folder: SuiteFolder): Promise<string> {
  if (!folder.alone || !folder.hasManifest) return folder.name;
  return (await manifestOf(folder)).manifest?.suite ?? folder.name;
}

async function manifestOf(folder: SuiteFolder): Promise<ReturnType<typeof readManifest>> {
  const file = join(folder.dir, MANIFEST_FILE);
  return readManifest(Buffer.from(await readRecording(file)).toString('utf8'), file);
}

async function inspectSuite(folder: SuiteFolder): Promise<Inspection> {
  const files = await listSuiteFiles(folder.dir);
  if (!folder.hasManifest) return inspectBare(folder, files);
  const { manifest, errors } = await manifestOf(folder);
  return manifest === null ? { recordings: [], problems: errors } : inspectListed(folder, manifest, files);
}

async function inspectListed(folder: SuiteFolder, manifest: Manifest, files: SuiteFiles): Promise<Inspection> {
  const problems: RecordingError[] = [];
  const recordings: Recording[] = [];
  if (!folder.alone && manifest.suite !== folder.name) {
    const what = `the suite is called ${manifest.suite}, its folder ${folder.name}`;
    const file = join(folder.dir, MANIFEST_FILE);
    problems.push(new RecordingError({ file, field: 'suite', what, advice: 'Give both the same name' }));
  }
  for (const entry of [...manifest.recordings].sort((a, b) => compareNames(a.file, b.file))) {
    const found = [...(await fileProblems(folder.dir, entry)), ...(await timesProblems(folder.dir, entry, files))];
    problems.push(...found);
    if (found.length === 0) recordings.push(storedRecording({ name: manifest.suite, dir: folder.dir }, entry));
  }
  problems.push(...(await referenceProblems(folder.dir, manifest)), ...orphans(folder.dir, manifest, files));
  return { recordings, problems };
}

/** What can be told of a listed file without reading it. */
async function fileProblems(dir: string, entry: ManifestEntry): Promise<readonly RecordingError[]> {
  const file = join(dir, entry.file);
  const inside = await liesInside(dir, entry.file);
  if (inside === null) {
    const advice = 'Restore the file, or remove its entry from the manifest';
    return [new RecordingError({ file, what: 'the manifest lists it, but there is no such file', advice })];
  }
  if (!inside) return [outside(file)];
  const { size } = await stat(file);
  return size === entry.bytes ? [] : [changed(file, 'bytes', `${size} bytes, not ${entry.bytes}`)];
}

async function timesProblems(
  dir: string,
  recording: { readonly file: string; readonly bytes: number },
  files: SuiteFiles,
): Promise<readonly RecordingError[]> {
  const name = timesFile(recording.file);
  if (!files.times.has(name)) return [];
  const file = join(dir, name);
  if ((await liesInside(dir, name)) !== true) return [outside(file)];
  return problemsOf(async () => parseTimes(await readFile(file, 'utf8'), { file, size: recording.bytes }));
}

/** Prompts and tasks that a request refers to. */
async function referenceProblems(dir: string, manifest: Manifest): Promise<readonly RecordingError[]> {
  const named = new Map<string, string>();
  for (const [at, { request }] of manifest.recordings.entries()) {
    if (request === null || !('system' in request)) continue;
    for (const file of [...request.system, request.tasks]) named.set(file, `recordings[${at}].request`);
  }
  const problems: RecordingError[] = [];
  for (const [file, field] of named) {
    if ((await liesInside(dir, file)) === true) continue;
    const what = `the request refers to ${file}, which is not in the suite`;
    problems.push(
      new RecordingError({ file: join(dir, MANIFEST_FILE), field, what, advice: 'Restore the file that it names' }),
    );
  }
  return problems;
}

function orphans(dir: string, manifest: Manifest, files: SuiteFiles): readonly RecordingError[] {
  const listed = new Set(manifest.recordings.flatMap(({ file }) => [file, timesFile(file)]));
  const advice = 'List it in the manifest, or remove it';
  return [...files.streams, ...files.times]
    .filter((file) => !listed.has(file))
    .map((file) => new RecordingError({ file: join(dir, file), what: 'the manifest does not list it', advice }));
}

async function inspectBare(folder: SuiteFolder, files: SuiteFiles): Promise<Inspection> {
  const problems: RecordingError[] = [];
  const recordings: Recording[] = [];
  if (files.streams.length === 0) {
    const what = `no manifest and no ${STREAM_SUFFIX} files here`;
    const advice = `Name a folder of ${STREAM_SUFFIX} files, of suites, or a suite`;
    problems.push(new RecordingError({ file: folder.dir, what, advice }));
  }
  for (const file of files.streams) {
    if ((await liesInside(folder.dir, file)) !== true) problems.push(outside(join(folder.dir, file)));
    else {
      const recording = await bareRecording(folder, file);
      recordings.push(recording);
      problems.push(...(await timesProblems(folder.dir, { file, bytes: recording.size }, files)));
    }
  }
  return { recordings, problems };
}

async function bareRecording(folder: SuiteFolder, file: string): Promise<Recording> {
  const path = join(folder.dir, file);
  const bytes = await readRecording(path);
  const noted = { sha256: sha256(bytes), size: bytes.length };
  const wire = detectWireFormat(bytes) ?? 'openai-chat';
  return {
    suite: folder.name,
    file,
    task: file.slice(0, -STREAM_SUFFIX.length),
    framing: guessFramingOf(file, readStream(bytes, wire).events),
    guessed: true,
    wire,
    ...noted,
    source: 'unknown',
    expectations: [],
    bytes: () => checkedBytes(path, noted),
  };
}

function outside(file: string): RecordingError {
  const what = 'the file lies outside its suite';
  return new RecordingError({ file, what, advice: 'Copy it into the suite instead of linking to it' });
}

async function problemsOf(look: () => Promise<unknown>): Promise<readonly RecordingError[]> {
  try {
    await look();
    return [];
  } catch (error) {
    if (error instanceof RecordingError) return [error];
    throw error;
  }
}

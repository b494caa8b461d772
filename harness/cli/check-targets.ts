/** The streams that a check is about: files and folders as the user typed them. */
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { guessFramingOf } from '../replay/guess.ts';
import { loadSuites } from '../replay/load.ts';
import { MANIFEST_FILE, readManifest, STREAM_SUFFIX } from '../replay/manifest.ts';
import type { Recording } from '../replay/recording.ts';
import { checkedBytes, readRecording, sha256, storedRecording } from '../replay/stored-recording.ts';
import { findSuites } from '../replay/suite-folder.ts';
import { readIfPresent } from '../replay/system-code.ts';
import { detectWireFormat } from '../stream/dialect.ts';
import { readStream } from '../stream/reader.ts';
import { DataLineWatch } from './data-line.ts';
import { InputError } from './run-command.ts';
import { STDIN } from './source.ts';
import { notSse } from './stream-events.ts';

export interface Target {
  readonly recording: Recording;
  /** Path of the stream, as the user would type it. */
  readonly path: string;
  /** The file itself was named, not its folder. */
  readonly named: boolean;
}

/** The streams of one path: a folder's, or the file itself. Throws what `failureOf` can tell. */
export async function findTargets(path: string): Promise<readonly Target[]> {
  if (path === STDIN) throw new InputError('-: standard input is for cst parse; a check reads a stream more than once');
  if ((await stat(path)).isDirectory()) return folderTargets(path);
  return [await fileTarget(path)];
}

/** A file that its folder's manifest lists is read by that manifest, any other by its content. */
export async function fileTarget(path: string): Promise<Target> {
  if (!(await stat(path)).isFile()) throw new InputError(`${path}: is no file`);
  return { recording: (await listedRecording(path)) ?? (await bareFile(path)), path, named: true };
}

/** Throws if the bytes are no SSE; a recording that a manifest lists is taken at its word. */
export function refuseOtherThanSse(target: Target, bytes: Uint8Array): void {
  if (!target.recording.guessed) return;
  const lines = new DataLineWatch();
  lines.push(bytes);
  if (!lines.seen) throw notSse(target.path, bytes);
}

async function folderTargets(dir: string): Promise<readonly Target[]> {
  const alone = (await findSuites(dir)).every((suite) => suite.alone);
  const recordings = await loadSuites(dir);
  return recordings.map((recording) => {
    const { suite, file } = recording;
    return { recording, path: alone ? join(dir, file) : join(dir, suite, file), named: false };
  });
}

async function listedRecording(path: string): Promise<Recording | null> {
  const dir = dirname(path);
  const file = join(dir, MANIFEST_FILE);
  const text = await readIfPresent(file);
  if (text === null) return null;
  const { manifest, errors } = readManifest(text, file);
  if (manifest === null) throw errors[0];
  const entry = manifest.recordings.find((recording) => recording.file === basename(path));
  return entry === undefined ? null : storedRecording({ name: manifest.suite, dir }, entry);
}

async function bareFile(path: string): Promise<Recording> {
  const bytes = await readRecording(path);
  const noted = { sha256: sha256(bytes), size: bytes.length };
  const wire = detectWireFormat(bytes) ?? 'openai-chat';
  const file = basename(path);
  return {
    suite: basename(dirname(path)),
    file,
    task: file.endsWith(STREAM_SUFFIX) ? file.slice(0, -STREAM_SUFFIX.length) : file,
    framing: guessFramingOf(file, readStream(bytes, wire).events),
    guessed: true,
    wire,
    ...noted,
    source: 'unknown',
    expectations: [],
    bytes: () => checkedBytes(path, noted),
  };
}

/** A recording on disk: its bytes are read when they are asked for, and checked every time. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ManifestEntry, timesFile } from './manifest.ts';
import type { Recording } from './recording.ts';
import { RecordingError } from './recording-error.ts';
import { readIfPresent } from './system-code.ts';
import { type Arrival, parseTimes } from './times.ts';

export interface StoredSuite {
  readonly name: string;
  readonly dir: string;
}

export function storedRecording(suite: StoredSuite, entry: ManifestEntry): Recording {
  return {
    suite: suite.name,
    file: entry.file,
    task: entry.task,
    framing: entry.protocol,
    guessed: false,
    wire: entry.wire,
    sha256: entry.sha256,
    size: entry.bytes,
    source: entry.source,
    ...(entry.model !== null && { model: entry.model }),
    ...(entry.run !== undefined && { run: entry.run }),
    ...(entry.rule !== undefined && { rule: entry.rule }),
    ...(entry.note !== undefined && { note: entry.note }),
    ...(entry.limits !== undefined && { limits: entry.limits }),
    expectations: entry.expect ?? [],
    bytes: () => checkedBytes(join(suite.dir, entry.file), { sha256: entry.sha256, size: entry.bytes }),
    arrivals: () => storedTimes(join(suite.dir, timesFile(entry.file)), entry.bytes),
  };
}

async function storedTimes(file: string, size: number): Promise<readonly Arrival[] | null> {
  const text = await readIfPresent(file);
  return text === null ? null : parseTimes(text, { file, size });
}

/** Reads a file and refuses it if its size or hash is another than was noted. */
export async function checkedBytes(
  file: string,
  noted: { readonly sha256: string; readonly size: number },
): Promise<Uint8Array> {
  const bytes = await readRecording(file);
  const hash = sha256(bytes);
  if (bytes.length !== noted.size) throw changed(file, 'bytes', `${bytes.length} bytes, not ${noted.size}`);
  if (hash !== noted.sha256) throw changed(file, 'sha256', `the hash is ${hash}, not ${noted.sha256}`);
  return bytes;
}

export async function readRecording(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const what = `the recording cannot be read (${code})`;
    throw new RecordingError({ file, what, advice: 'Restore the file, or remove it from the suite' });
  }
}

/** SHA-256 in lower-case hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function changed(file: string, field: string, what: string): RecordingError {
  const advice = 'The recording changed after it was noted: restore it, or record it again';
  return new RecordingError({ file, field, what, advice });
}

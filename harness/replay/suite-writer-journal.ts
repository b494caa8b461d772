/**
 * `.writing/` in the folder of a suite: recordings that are written and not yet in their places. From the moment at which
 * its list (`entries.json`) is there they count, and whoever opens the suite next puts them in their places.
 */
import { existsSync, renameSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { syncFolder, writeDurably } from './durable-file.ts';
import { entryFault, type ManifestEntry, timesFile } from './manifest.ts';
import { RecordingError } from './recording-error.ts';
import { checkedBytes } from './stored-recording.ts';
import { type Arrival, formatTimes, parseTimes } from './times.ts';

const WRITING = '.writing';
const LIST = 'entries.json';
/** Earlier writers sealed one recording at a time: its entry, its stream, its arrival times. */
const OLD = { entry: 'entry.json', stream: 'stream', times: 'times' } as const;
/** Files that are forced to the disk at a time: it takes most of them in one go. */
const SYNCED_AT_ONCE = 16;

interface StagedFiles {
  readonly bytes: Uint8Array;
  readonly times?: readonly Arrival[];
}

export class SuiteJournal {
  readonly #suite: string;
  readonly #folder: string;

  /** @param suite the folder of the suite */
  constructor(suite: string) {
    this.#suite = suite;
    this.#folder = join(suite, WRITING);
  }

  /** Puts the files of a recording down. They need not be on the disk yet. @throws RecordingError if its times are wrong */
  async stage(entry: ManifestEntry, { bytes, times }: StagedFiles): Promise<void> {
    const text = times === undefined ? null : checkedTimes(times, entry);
    await mkdir(this.#folder, { recursive: true });
    await writeFile(join(this.#folder, stagedName(entry.file)), bytes);
    if (text !== null) await writeFile(join(this.#folder, stagedName(timesFile(entry.file))), text);
  }

  /** From its end on the recordings count, whatever happens. */
  async seal(entries: readonly ManifestEntry[]): Promise<void> {
    const limit = pLimit(SYNCED_AT_ONCE);
    const staged = this.#filesOf(entries)
      .map(([from]) => from)
      .filter(existsSync);
    await Promise.all(staged.map((path) => limit(syncFile, path)));
    await writeDurably(join(this.#folder, `${LIST}.new`), JSON.stringify(entries));
    renameSync(join(this.#folder, `${LIST}.new`), join(this.#folder, LIST));
    await syncFolder(this.#folder);
  }

  /**
   * What counts; null if nothing does. A recording that an older writer sealed is renamed to what it is called now; its
   * stream may be in its place already. @throws RecordingError if the list is not in order.
   */
  async sealed(): Promise<readonly ManifestEntry[] | null> {
    const list = join(this.#folder, LIST);
    if (existsSync(list)) return readEntries(list, await readJson(list));
    const old = join(this.#folder, OLD.entry);
    if (!existsSync(old)) return null;
    const entries = readEntries(old, [await readJson(old)]);
    for (const { file } of entries) {
      this.#rename(OLD.stream, stagedName(file));
      this.#rename(OLD.times, stagedName(timesFile(file)));
    }
    return entries;
  }

  #rename(from: string, to: string): void {
    if (existsSync(join(this.#folder, from))) renameSync(join(this.#folder, from), join(this.#folder, to));
  }

  /** Checks that every stream is there, staged or in its place already. */
  async check(entries: readonly ManifestEntry[]): Promise<void> {
    for (const { file, sha256, bytes } of entries) {
      const staged = join(this.#folder, stagedName(file));
      await checkedBytes(existsSync(staged) ? staged : join(this.#suite, file), { sha256, size: bytes });
    }
  }

  /** Moves what is not in its place yet, then the manifest: between them the suite is not in order. */
  async place(entries: readonly ManifestEntry[], manifestFile: string, manifest: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const written = join(this.#folder, manifestFile);
    await writeDurably(written, manifest);
    for (const [from, to] of this.#filesOf(entries)) if (existsSync(from)) renameSync(from, to);
    renameSync(written, join(this.#suite, manifestFile));
    await syncFolder(this.#suite);
  }

  async clear(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #filesOf(entries: readonly ManifestEntry[]): readonly (readonly [from: string, to: string])[] {
    return entries
      .flatMap(({ file }) => [file, timesFile(file)])
      .map((file) => [join(this.#folder, stagedName(file)), join(this.#suite, file)]);
  }
}

/** Apart from the names of the journal's own files. */
function stagedName(file: string): string {
  return `${file}.part`;
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** It may come from elsewhere: a suite is a folder that people pass on. */
async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw badList(file, 'not JSON');
    throw error;
  }
}

function readEntries(file: string, list: unknown): readonly ManifestEntry[] {
  if (!Array.isArray(list)) throw badList(file, 'no list of entries');
  const entries = list as readonly ManifestEntry[];
  for (const entry of entries) {
    const fault = entryFault(entry, file);
    if (fault !== null) throw badList(file, fault.message);
  }
  return entries;
}

function badList(file: string, what: string): RecordingError {
  const advice = `Remove the folder ${WRITING}: what an interrupted run was writing is lost`;
  return new RecordingError({ file, what, advice });
}

/** Times that could not be read back would make the whole suite unreadable. */
function checkedTimes(times: readonly Arrival[], entry: ManifestEntry): string {
  const text = formatTimes(times);
  parseTimes(text, { file: timesFile(entry.file), size: entry.bytes });
  return text;
}

/**
 * Writes a suite, one whole recording after the other. What is killed at any point loses at most the recording that was
 * being written: a recording is first put down beside the suite (`.writing/`) and counts from the moment at which
 * `.writing/entry.json` is there. What comes after that (stream, arrival times and manifest take their places) is done
 * again by the next who opens the suite; what came before is thrown away.
 *
 * Every refusal is a `RecordingError`; a full disk and the like are the system's own errors, and leave the suite as it was.
 */
import { existsSync, renameSync } from 'node:fs';
import { mkdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeDurably } from './durable-file.ts';
import {
  entryFault,
  formatManifest,
  MANIFEST_FILE,
  MANIFEST_FORMAT,
  type Manifest,
  type ManifestEntry,
  readManifest,
  STREAM_SUFFIX,
  timesFile,
} from './manifest.ts';
import { type ProcessLock, takeLock } from './process-lock.ts';
import { RecordingError } from './recording-error.ts';
import { checkedBytes, sha256 } from './stored-recording.ts';
import { listSuiteFiles } from './suite-folder.ts';
import { readIfPresent } from './system-code.ts';
import { type Arrival, formatTimes, parseTimes } from './times.ts';

const WRITING = '.writing';
const JOURNAL = 'entry.json';
const LOCK = '.lock';
/** What names a file on every system. */
const TASK_NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/i;
const SUITE_NAME = /^[a-z0-9][a-z0-9._-]*$/i;

export interface SuiteHead {
  readonly suite: string;
  /** A sentence or two; that of a suite which is there already stands. */
  readonly about: string;
}

export interface NewRecording {
  readonly entry: Omit<ManifestEntry, 'file' | 'sha256' | 'bytes'>;
  readonly bytes: Uint8Array;
  readonly times?: readonly Arrival[];
  /** Which recording of its task and protocol it is, from 1; the next free number if absent. */
  readonly number?: number;
}

/** What tells one request of a plan from another. */
export interface RecordingKey {
  readonly task: string;
  readonly protocol: string;
  readonly model: string | null;
  readonly run: string;
}

export class SuiteWriter {
  readonly #folder: string;
  readonly #lock: ProcessLock;
  #manifest: Manifest;
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, lock: ProcessLock, manifest: Manifest) {
    this.#folder = folder;
    this.#lock = lock;
    this.#manifest = manifest;
  }

  /**
   * Opens the suite `dir/<suite>`, which is made if it is not there. Refuses a suite that another process writes to, and
   * a folder of streams without a manifest. {@link close} it in the end.
   */
  static async open(dir: string, head: SuiteHead): Promise<SuiteWriter> {
    const folder = suiteFolder(dir, head.suite);
    await mkdir(folder, { recursive: true });
    const lock = await takeLock(join(folder, LOCK));
    if ('heldBy' in lock) throw inUse(folder, lock.heldBy);
    try {
      const manifest = (await readSuite(dir, head.suite)) ?? (await newManifest(folder, head));
      const writer = new SuiteWriter(folder, lock, manifest);
      await writer.#settle();
      return writer;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** What the suite holds. */
  get recordings(): readonly ManifestEntry[] {
    return this.#manifest.recordings;
  }

  has(key: RecordingKey): boolean {
    return this.recordings.some((entry) => isOfKey(entry, key));
  }

  /**
   * Writes stream, arrival times and manifest, one recording at a time however often it is called at once.
   * @returns the name of the stream's file in the suite
   */
  add(recording: NewRecording): Promise<string> {
    const written = this.#tail.then(() => this.#store(recording));
    this.#tail = written.catch(() => {});
    return written;
  }

  /** Waits for what is being written and gives the suite free. A folder in which nothing was written is taken away. */
  async close(): Promise<void> {
    await this.#tail;
    // What cannot be ended now is ended by the next writer.
    await this.#settle().catch(() => {});
    await this.#lock.release();
    await rmdir(this.#folder).catch(() => {});
  }

  async #store(recording: NewRecording): Promise<string> {
    await this.#settle();
    const entry = this.#entryOf(recording);
    const times = recording.times === undefined ? null : checkedTimes(recording.times, entry);
    const writing = join(this.#folder, WRITING);
    await mkdir(writing, { recursive: true });
    await writeDurably(join(writing, 'stream'), recording.bytes);
    if (times !== null) await writeDurably(join(writing, 'times'), times);
    // Without a manifest a folder of streams is somebody's own.
    if (!existsSync(join(this.#folder, MANIFEST_FILE))) await this.#writeManifest([]);
    await writeDurably(join(writing, `${JOURNAL}.new`), JSON.stringify(entry));
    renameSync(join(writing, `${JOURNAL}.new`), join(writing, JOURNAL));
    await syncFolder(writing);
    await this.#commit(entry);
    return entry.file;
  }

  /** Ends what a former writer, or a former try, has begun. */
  async #settle(): Promise<void> {
    const journal = join(this.#folder, WRITING, JOURNAL);
    if (existsSync(journal)) await this.#commit(await readJournal(journal));
    else await rm(join(this.#folder, WRITING), { recursive: true, force: true });
  }

  /** Can be done again from any point at which it was ended. */
  async #commit(entry: ManifestEntry): Promise<void> {
    const writing = join(this.#folder, WRITING);
    if (!this.recordings.some(({ file }) => file === entry.file)) {
      const written = existsSync(join(writing, 'stream')) ? join(writing, 'stream') : join(this.#folder, entry.file);
      await checkedBytes(written, { sha256: entry.sha256, size: entry.bytes });
      await this.#writeManifest(
        [...this.recordings, entry],
        [
          ['stream', entry.file],
          ['times', timesFile(entry.file)],
        ],
      );
    }
    await rm(writing, { recursive: true, force: true });
  }

  /** The manifest takes its place right after the files that it lists newly: between them the suite is not in order. */
  async #writeManifest(
    recordings: readonly ManifestEntry[],
    files: readonly (readonly [from: string, to: string])[] = [],
  ): Promise<void> {
    const manifest = { ...this.#manifest, recordings };
    const writing = join(this.#folder, WRITING);
    await writeDurably(join(writing, MANIFEST_FILE), formatManifest(manifest));
    for (const [from, to] of [...files, [MANIFEST_FILE, MANIFEST_FILE] as const]) {
      if (existsSync(join(writing, from))) renameSync(join(writing, from), join(this.#folder, to));
    }
    this.#manifest = manifest;
    await syncFolder(this.#folder);
  }

  #entryOf({ entry, bytes, number }: NewRecording): ManifestEntry {
    const { task, protocol } = entry;
    if (!TASK_NAME.test(task)) {
      const what = `the task ${JSON.stringify(task)} cannot name a file`;
      const advice = 'A task is up to 100 letters, digits, ".", "_" and "-", the first one a letter or a digit';
      throw new RecordingError({ file: this.#folder, what, advice });
    }
    const stem = `${task}.${protocol}`;
    const file = number === undefined ? this.#freeName(stem) : streamName(stem, number);
    if (number !== undefined && this.#isTaken(file)) {
      const advice = 'Take it away, or give another number';
      throw new RecordingError({ file: join(this.#folder, file), what: 'there is such a file already', advice });
    }
    const whole: ManifestEntry = { file, sha256: sha256(bytes), bytes: bytes.length, ...entry };
    const fault = entryFault(whole, join(this.#folder, file));
    if (fault !== null) throw fault;
    return whole;
  }

  #freeName(stem: string): string {
    for (let number = 1; ; number++) {
      const name = streamName(stem, number);
      if (!this.#isTaken(name)) return name;
    }
  }

  /** Some file systems do not tell `T01` from `t01`. */
  #isTaken(file: string): boolean {
    const name = file.toLowerCase();
    return existsSync(join(this.#folder, file)) || this.recordings.some((entry) => entry.file.toLowerCase() === name);
  }
}

/** The manifest of the suite `dir/<suite>` as it stands, or null if there is none. Takes no lock and writes nothing. */
export async function readSuite(dir: string, suite: string): Promise<Manifest | null> {
  const file = join(suiteFolder(dir, suite), MANIFEST_FILE);
  const text = await readIfPresent(file);
  if (text === null) return null;
  const { manifest, errors } = readManifest(text, file);
  if (manifest === null) throw errors[0] ?? new Error(`${file}: no manifest`);
  if (manifest.suite === suite) return manifest;
  const what = `the suite is called ${manifest.suite}, its folder ${suite}`;
  throw new RecordingError({ file, field: 'suite', what, advice: 'Give both the same name' });
}

/** `<task>.<protocol>.sse` for the first, `<task>.<protocol>.<n>.sse` from the second on. */
export function streamName(stem: string, number: number): string {
  return `${stem}${number === 1 ? '' : `.${number}`}${STREAM_SUFFIX}`;
}

/** Whether a recording is the one that a request of a plan asks for. */
export function isOfKey(entry: ManifestEntry, key: RecordingKey): boolean {
  const { task, protocol, model, run } = key;
  return entry.task === task && entry.protocol === protocol && entry.model === model && entry.run === run;
}

export function isSuiteName(name: string): boolean {
  return SUITE_NAME.test(name);
}

function suiteFolder(dir: string, suite: string): string {
  if (isSuiteName(suite)) return join(dir, suite);
  const advice = 'Use letters, digits, ".", "_" and "-", the first one a letter or a digit';
  throw new RecordingError({ file: dir, what: `${JSON.stringify(suite)} is no name of a suite`, advice });
}

async function newManifest(folder: string, { suite, about }: SuiteHead): Promise<Manifest> {
  const [stray] = (await listSuiteFiles(folder)).streams;
  if (stray === undefined) return { format: MANIFEST_FORMAT, suite, about, recordings: [] };
  throw new RecordingError({
    file: join(folder, stray),
    what: `the folder holds streams and no ${MANIFEST_FILE}, so it is not a suite that can be continued`,
    advice: 'Choose another --suite or --out',
  });
}

/** It may come from elsewhere: a suite is a folder that people pass on. */
async function readJournal(file: string): Promise<ManifestEntry> {
  let entry: ManifestEntry | null = null;
  try {
    entry = JSON.parse(await readFile(file, 'utf8')) as ManifestEntry;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const what = entry === null ? 'not JSON' : entryFault(entry, file)?.message;
  if (entry !== null && what === undefined) return entry;
  const advice = `Remove the folder ${WRITING}: what an interrupted run was writing is lost`;
  throw new RecordingError({ file, what: what ?? 'no entry', advice });
}

function inUse(folder: string, pid: number | null): RecordingError {
  const what = `${pid === null ? 'another process' : `process ${pid}`} is writing to this suite`;
  const advice = `Wait for it to end, or remove ${join(folder, LOCK)} if that is no writer`;
  return new RecordingError({ file: folder, what, advice });
}

/** Times that could not be read back would make the whole suite unreadable. */
function checkedTimes(times: readonly Arrival[], entry: ManifestEntry): string {
  const text = formatTimes(times);
  parseTimes(text, { file: timesFile(entry.file), size: entry.bytes });
  return text;
}

/**
 * Writes a suite in whole recordings. What is killed at any point loses at most what was being written: recordings are
 * first put down beside the suite (`suite-writer-journal.ts`) and count from one moment on. What comes after that (streams,
 * arrival times and manifest take their places) is done again by the next who opens the suite; what came before is thrown
 * away. The manifest is written whole each time, so that who writes many recordings writes them in batches.
 *
 * Every refusal is a `RecordingError`; a full disk and the like are the system's own errors, and leave the suite as it was.
 */
import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { refuseSecrets } from './entry-secrets.ts';
import { makeFolder } from './make-folder.ts';
import {
  entryFault,
  formatManifest,
  MANIFEST_FILE,
  MANIFEST_FORMAT,
  type Manifest,
  type ManifestEntry,
  readManifest,
  STREAM_SUFFIX,
} from './manifest.ts';
import { type ProcessLock, takeLock } from './process-lock.ts';
import { RecordingError } from './recording-error.ts';
import { sha256 } from './stored-recording.ts';
import { listSuiteFiles } from './suite-folder.ts';
import { SuiteJournal } from './suite-writer-journal.ts';
import { readIfPresent, systemCode } from './system-code.ts';
import type { Arrival } from './times.ts';

const LOCK = '.lock';
/** What names a file on every system. */
export const TASK_NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/i;
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

export interface WriterOptions {
  /**
   * Recordings that are staged before they take their places together; each is safe when {@link SuiteWriter.add} resolves
   * if it is 1, the default. Of a large suite it is a part, so that the time to write all is linear in their number.
   */
  readonly batch?: number;
}

/** A batch is at least this part of what the suite holds. */
const LEAST_PART = 1 / 4;

export class SuiteWriter {
  readonly #folder: string;
  readonly #lock: ProcessLock;
  readonly #journal: SuiteJournal;
  readonly #batch: number;
  #manifest: Manifest;
  #staged: ManifestEntry[] = [];
  /** Names in lower case: some file systems do not tell `T01` from `t01`. */
  #taken: Set<string>;
  /** By task and protocol: no number below is free. */
  readonly #free = new Map<string, number>();
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(
    folder: string,
    lock: ProcessLock,
    opened: { readonly manifest: Manifest; readonly batch: number },
  ) {
    this.#folder = folder;
    this.#lock = lock;
    this.#journal = new SuiteJournal(folder);
    this.#manifest = opened.manifest;
    this.#batch = opened.batch;
    this.#taken = namesOf(opened.manifest.recordings);
  }

  /**
   * Opens the suite `dir/<suite>`, which is made if it is not there. Refuses a suite that another process writes to, and
   * a folder of streams without a manifest. {@link close} it in the end.
   */
  static async open(dir: string, head: SuiteHead, { batch = 1 }: WriterOptions = {}): Promise<SuiteWriter> {
    const folder = suiteFolder(dir, head.suite);
    refuseSecrets(head, folder);
    await makeFolder(folder);
    const lock = await takeLock(join(folder, LOCK));
    if ('heldBy' in lock) throw inUse(folder, lock.heldBy);
    try {
      const manifest = (await readSuite(dir, head.suite)) ?? (await newManifest(folder, head));
      const writer = new SuiteWriter(folder, lock, { manifest, batch });
      await writer.#settle();
      return writer;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** What the suite holds, without what is only staged. */
  get recordings(): readonly ManifestEntry[] {
    return this.#manifest.recordings;
  }

  /** How many recordings are not in their places yet. */
  get staged(): number {
    return this.#staged.length;
  }

  has(key: RecordingKey): boolean {
    return this.recordings.some((entry) => isOfKey(entry, key));
  }

  /**
   * Writes stream, arrival times and manifest, one recording at a time however often it is called at once.
   * @returns the name of the stream's file in the suite
   */
  add(recording: NewRecording): Promise<string> {
    return this.#next(() => this.#store(recording));
  }

  /** Gives what is staged its places. If it fails, none of it counts before another writer has ended it. */
  flush(): Promise<void> {
    return this.#next(() => this.#flush());
  }

  /**
   * Waits for what is being written and gives the suite free. A folder in which nothing was written is taken away. What
   * is staged takes its places as {@link flush} does, which says so if it fails: here it is too late for that.
   */
  async close(): Promise<void> {
    await this.flush().catch(() => {});
    // What cannot be ended now is ended by the next writer.
    await this.#settle().catch(() => {});
    await this.#lock.release();
    await rmdir(this.#folder).catch(() => {});
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work).catch((error: unknown) => {
      throw withPath(error, this.#folder);
    });
    this.#tail = done.catch(() => {});
    return done;
  }

  async #store(recording: NewRecording): Promise<string> {
    if (this.#staged.length === 0) await this.#settle();
    const entry = this.#entryOf(recording);
    await this.#journal.stage(entry, recording);
    this.#staged.push(entry);
    this.#taken.add(entry.file.toLowerCase());
    const wanted = this.#batch === 1 ? 1 : Math.max(this.#batch, this.recordings.length * LEAST_PART);
    if (this.#staged.length >= wanted) await this.#flush();
    return entry.file;
  }

  async #flush(): Promise<void> {
    if (this.#staged.length === 0) return;
    const entries = this.#staged.splice(0);
    try {
      // Without a manifest a folder of streams is somebody's own.
      if (!existsSync(join(this.#folder, MANIFEST_FILE))) await this.#writeManifest([]);
      await this.#journal.seal(entries);
      await this.#commit(entries);
    } catch (error) {
      this.#taken = namesOf(this.recordings);
      this.#free.clear();
      throw error;
    }
  }

  /** Ends what a former writer, or a former try, has begun. */
  async #settle(): Promise<void> {
    const entries = await this.#journal.sealed();
    if (entries === null) await this.#journal.clear();
    else await this.#commit(entries);
  }

  /** Can be done again from any point at which it was ended. */
  async #commit(entries: readonly ManifestEntry[]): Promise<void> {
    const held = new Set(this.recordings.map(({ file }) => file));
    const added = entries.filter(({ file }) => !held.has(file));
    if (added.length > 0) {
      await this.#journal.check(added);
      await this.#writeManifest(added);
    }
    await this.#journal.clear();
  }

  async #writeManifest(added: readonly ManifestEntry[]): Promise<void> {
    const manifest = { ...this.#manifest, recordings: [...this.recordings, ...added] };
    await this.#journal.place(added, MANIFEST_FILE, formatManifest(manifest));
    this.#manifest = manifest;
    for (const { file } of added) this.#taken.add(file.toLowerCase());
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
    refuseSecrets(entry, this.#folder);
    return whole;
  }

  #freeName(stem: string): string {
    const { name, number } = nextFreeName(stem, this.#free.get(stem) ?? 1, (file) => this.#isTaken(file));
    this.#free.set(stem, number);
    return name;
  }

  #isTaken(file: string): boolean {
    return this.#taken.has(file.toLowerCase()) || existsSync(join(this.#folder, file));
  }
}

/** In lower case: see `#taken`. */
export function namesOf(entries: readonly ManifestEntry[]): Set<string> {
  return new Set(entries.map(({ file }) => file.toLowerCase()));
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

/** A write that fails (a full disk) does not say where. */
function withPath(error: unknown, path: string): unknown {
  return systemCode(error) === null || 'path' in (error as Error) ? error : Object.assign(error as Error, { path });
}

/** The first {@link streamName} from a number on that is not taken. */
export function nextFreeName(stem: string, from: number, isTaken: (file: string) => boolean) {
  for (let number = from; ; number++) {
    const name = streamName(stem, number);
    if (!isTaken(name)) return { name, number };
  }
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

function inUse(folder: string, pid: number | null): RecordingError {
  const what = `${pid === null ? 'another process' : `process ${pid}`} is writing to this suite`;
  const advice = `Wait for it to end, or remove ${join(folder, LOCK)} if that is no writer`;
  return new RecordingError({ file: folder, what, advice });
}

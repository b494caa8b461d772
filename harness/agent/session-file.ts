/**
 * A session on disk: JSON lines, only ever appended to, each flushed to the device before `append` resolves. After a
 * crash it is readable up to its last whole line; what stands behind that is cut off when the session is resumed.
 */
import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ProcessLock } from '../replay/process-lock.ts';
import { systemCode } from '../replay/system-code.ts';
import { SessionError } from './session-error.ts';
import { lockSession } from './session-lock.ts';
import { readHeader, readRecord, recordLine, type SessionHeader, type SessionRecord } from './session-record.ts';
import { systemProblem } from './system-problem.ts';
import type { SessionLog } from './transcript.ts';

/** What a session may hold is the user's alone. */
const MODE = 0o600;
const LF = 0x0a;

export interface ResumedSession {
  readonly file: SessionFile;
  readonly header: SessionHeader;
  readonly records: readonly SessionRecord[];
  /** Bytes of a last line that was not whole, and was cut off. */
  readonly torn: number;
}

export class SessionFile implements SessionLog {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #lock: ProcessLock;
  /** Bytes that it holds. */
  #size: number;

  private constructor(path: string, { handle, lock, size }: { handle: FileHandle; lock: ProcessLock; size: number }) {
    this.#path = path;
    this.#handle = handle;
    this.#lock = lock;
    this.#size = size;
  }

  /** @throws SessionError if there is such a file already */
  static async create(path: string, header: SessionHeader): Promise<SessionFile> {
    return locked(path, async (lock) => {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
      const handle = await open(path, flags, MODE);
      try {
        const file = new SessionFile(path, { handle, lock, size: 0 });
        await file.#write(recordLine(header));
        await flushFolder(dirname(path));
        return file;
      } catch (error) {
        await handle.close();
        await rm(path, { force: true });
        throw error;
      }
    });
  }

  /** @throws SessionError if it cannot be read, holds a line that is no record, or is written to by another process */
  static async resume(path: string): Promise<ResumedSession> {
    return locked(path, async (lock) => {
      await refuseSpecial(path);
      const handle = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_NONBLOCK);
      try {
        const bytes = await readFile(handle);
        const whole = bytes.lastIndexOf(LF) + 1;
        const { header, records } = readSession(bytes.subarray(0, whole), path);
        if (whole < bytes.length) await handle.truncate(whole);
        return {
          file: new SessionFile(path, { handle, lock, size: whole }),
          header,
          records,
          torn: bytes.length - whole,
        };
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  async append(record: SessionRecord): Promise<void> {
    await this.#write(recordLine(record));
  }

  async close(): Promise<void> {
    await this.#handle.close();
    await this.#lock.release();
  }

  /** A tool or somebody else may have put another file in its place, or written to it: then no record would be kept. */
  async #refuseChanged(): Promise<void> {
    const [ours, there] = await Promise.all([this.#handle.stat(), stat(this.#path).catch(() => null)]);
    const isOurs = there !== null && there.ino === ours.ino && there.dev === ours.dev;
    if (isOurs && ours.size === this.#size) return;
    const how = isOurs ? 'written to by somebody else' : 'removed or replaced';
    throw new SessionError(`${this.#path}: the session file was ${how} while the agent ran; nothing more is recorded`);
  }

  async #write(line: string): Promise<void> {
    try {
      await this.#refuseChanged();
      await this.#handle.appendFile(line);
      await this.#handle.datasync();
      this.#size += Buffer.byteLength(line);
    } catch (error) {
      throw asSessionError(error, this.#path);
    }
  }
}

/** A pipe would be waited for without end; of a second name a second agent would not know. */
async function refuseSpecial(path: string): Promise<void> {
  const found = await stat(path);
  if (!found.isFile()) throw new SessionError(`${path}: is no regular file, and so no session`);
  if (found.nlink > 1) throw new SessionError(`${path}: has ${found.nlink} names (hard links): a session has one`);
}

/** @param lines whole lines */
function readSession(
  lines: Buffer,
  path: string,
): { readonly header: SessionHeader; readonly records: readonly SessionRecord[] } {
  if (!isUtf8(lines)) throw new SessionError(`${path}: is no session: it holds bytes that are no UTF-8`);
  const [first, ...rest] = lines.toString('utf8').split('\n').slice(0, -1);
  if (first === undefined) {
    throw new SessionError(`${path}: holds no whole line, so there is nothing to resume; remove it and begin again`);
  }
  const header = readHeader(first);
  if ('problem' in header) throw new SessionError(`${path}, line 1: ${header.problem}`);
  const records = rest.map((line, at) => {
    const record = readRecord(line);
    if ('problem' in record) throw new SessionError(`${path}, line ${at + 2}: ${record.problem}`);
    return record;
  });
  return { header, records };
}

/** Holds the lock for a session file that opens, and gives it back for one that does not. */
async function locked<T>(path: string, begin: (lock: ProcessLock) => Promise<T>): Promise<T> {
  let lock: ProcessLock | null = null;
  try {
    lock = await lockSession(path);
    return await begin(lock);
  } catch (error) {
    await lock?.release();
    throw asSessionError(error, path);
  }
}

/** The name of a new file is on the device, too. Not every file system can do that, and none needs it to go on. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    if (systemProblem(error) === null) throw error;
  } finally {
    await handle.close();
  }
}

/** A system error with the file and in words; anything else as it is. */
function asSessionError(error: unknown, path: string): unknown {
  if (systemCode(error) === 'EEXIST') {
    return new SessionError(`${path}: there is such a file already; resume it with --resume, or name another`);
  }
  const problem = systemProblem(error);
  return problem === null ? error : new SessionError(`${path}: the session cannot be read or written (${problem})`);
}

/** The session of a run of `cst agent`: begun, gone on with, or none; refused where it is that of another run. */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import type { AgentEvent } from '../agent/agent-event.ts';
import type { KeyMask } from '../agent/key-mask.ts';
import { SessionFile } from '../agent/session-file.ts';
import { SESSION_VERSION, type SessionHeader } from '../agent/session-record.ts';
import { NO_LOG, Transcript } from '../agent/transcript.ts';
import type { AgentSettings } from './agent-options.ts';
import { replayTask } from './agent-replay.ts';
import { UsageError } from './run-command.ts';

export interface OpenSession {
  readonly transcript: Transcript;
  /** Real path of its file, if there is one. */
  readonly file?: string;
  close(): Promise<void>;
}

export interface SessionOpening {
  /** Real path of the project folder. */
  readonly root: string;
  readonly emit: (event: AgentEvent) => void;
  /** Of the keys that no record may hold. */
  readonly mask: KeyMask;
}

/** @throws SessionError, UsageError */
export async function openSession(settings: AgentSettings, opening: SessionOpening): Promise<OpenSession> {
  const { session, resume } = settings;
  if (session !== null && resume) return resumeSession(settings, session, opening);
  const task = settings.task ?? (await taskOfReplay(settings));
  if (task === null) throw new UsageError('a task is missing: say what is to be done');
  const { mask } = opening;
  if (session === null) {
    const transcript = new Transcript(NO_LOG, [], mask);
    await transcript.append({ type: 'user', text: task });
    return { transcript, close: async () => undefined };
  }
  if (existsSync(session)) {
    throw new UsageError(`${session}: there is such a file already; go on with it by --resume, or name another`);
  }
  const { protocol, model } = settings;
  const header: SessionHeader = { type: 'session', version: SESSION_VERSION, protocol, model, cwd: opening.root };
  const file = await SessionFile.create(session, header);
  return opened(file, session, async () => {
    const transcript = new Transcript(file, [], mask);
    await transcript.append({ type: 'user', text: task });
    return transcript;
  });
}

async function resumeSession(
  settings: AgentSettings,
  session: string,
  { root, emit, mask }: SessionOpening,
): Promise<OpenSession> {
  const { file, header, records, torn } = await SessionFile.resume(session);
  return opened(file, session, async () => {
    checkHeader(settings, header, session);
    const moved = movedFolder(header, { root, session });
    const transcript = new Transcript(file, records, mask);
    const unknown = await transcript.closeInterrupted();
    const ids = (unknown ?? []).map(({ id }) => id);
    const interrupted = unknown !== null;
    emit({ type: 'resumed', records: records.length, torn, interrupted, unknown: ids, ...moved });
    const task = settings.task ?? (records.length === 0 ? await taskOfReplay(settings) : null);
    if (task !== null) await transcript.append({ type: 'user', text: task });
    else if (transcript.isFinished) throw new UsageError(`${session}: is finished; give a task to go on with`);
    return transcript;
  });
}

/** Closes the file again if `begin` fails. */
async function opened(file: SessionFile, path: string, begin: () => Promise<Transcript>): Promise<OpenSession> {
  try {
    return { transcript: await begin(), file: await realpath(path), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** What an answer means depends on the protocol, and a session is of one model. */
function checkHeader({ protocol, model }: AgentSettings, header: SessionHeader, session: string): void {
  const differs = (['protocol', 'model'] as const).find((field) => ({ protocol, model })[field] !== header[field]);
  if (differs === undefined) return;
  const given = { protocol, model }[differs];
  throw new UsageError(
    `${session}: is a session with ${differs} ${header[differs]}, not ${given}; resume it as it was`,
  );
}

/** What the model knows of the files is of one folder. One that is gone has been moved, and nobody can resume it there. */
function movedFolder({ cwd }: SessionHeader, { root, session }: { root: string; session: string }): { cwd?: string } {
  if (cwd === undefined || cwd === root) return {};
  if (!existsSync(cwd)) return { cwd };
  throw new UsageError(`${session}: is a session in the folder ${cwd}, not ${root}; resume it with --cwd ${cwd}`);
}

async function taskOfReplay({ replay }: AgentSettings): Promise<string | null> {
  return replay === null ? null : ((await replayTask(replay)) ?? `(The task of ${replay.name} is not recorded.)`);
}

/** `--replay SUITE/TASK`: a recording answers in place of a model, and the suite's tasks say what was asked. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { loadSuites } from '../replay/load.ts';
import { FRAMINGS, type Framing } from '../replay/recording.ts';
import { REFRAMED_SUITE } from '../replay/reframe.ts';
import { DEFAULT_SEED } from '../replay/seeded.ts';
import { Catalogue } from '../serve/catalogue.ts';
import { ServeError } from '../serve/serve-error.ts';
import { type RunningServer, startServer } from '../serve/server.ts';
import { shippedRecordings } from '../serve/shipped.ts';
import { InputError, UsageError } from './run-command.ts';

const SHIPPED = fileURLToPath(new URL('../../recordings', import.meta.url));
const HAS_FRAMING = new RegExp(`\\.(?:${FRAMINGS.join('|')})(?:\\.\\d+)?$`);

const taskList = z.array(z.looseObject({ id: z.string(), user: z.string() }));

export interface Replay {
  /** As the user gave it: `SUITE/TASK`, or `SUITE/FILE`. */
  readonly name: string;
  readonly framing: Framing;
  /** The folder of suites; the shipped ones if absent. */
  readonly recordings?: string | undefined;
}

/** The name that a server of recordings knows it by: `replies/t14.ctl`. */
export function replayModel({ name, framing }: Replay): string {
  const bare = name.replace(/\.sse$/, '');
  if (!bare.includes('/')) throw new UsageError(`--replay takes SUITE/TASK (replies/t14, say), not ${name}`);
  if (!HAS_FRAMING.test(bare)) return `${bare}.${framing}`;
  if (bare.replace(/\.\d+$/, '').endsWith(`.${framing}`)) return bare;
  throw new UsageError(`${name} is no ${framing} recording, and --protocol wants one; leave the framing out`);
}

/** Serves it on a free port of this machine, without waiting between its bytes. */
export async function startReplay(replay: Replay): Promise<RunningServer> {
  const model = replayModel(replay);
  try {
    const { recordings: folder } = replay;
    const recordings = folder === undefined ? await shippedRecordings(DEFAULT_SEED) : await loadSuites(folder);
    const catalogue = new Catalogue(recordings);
    if (!catalogue.has(model)) throw new UsageError(`--replay ${replay.name}: ${catalogue.missing(model)}`);
    return await startServer({ recordings, speed: 0 });
  } catch (error) {
    if (error instanceof ServeError) throw new UsageError(error.message);
    throw error;
  }
}

/** What was asked in the task, from `tasks.json` of its suite; null where nothing says it. */
export async function replayTask({ name, recordings = SHIPPED }: Replay): Promise<string | null> {
  const [suite = '', ...file] = name.split('/');
  const task = file
    .join('/')
    .replace(/\.sse$/, '')
    .replace(HAS_FRAMING, '');
  // The reframed suite is made of the replies, and has no folder; a folder may be a suite itself.
  const folders = [join(recordings, suite === REFRAMED_SUITE ? 'replies' : suite), recordings];
  const path = folders.map((folder) => join(folder, 'tasks.json')).find(existsSync);
  if (path === undefined) return null;
  const tasks = taskList.safeParse(parsed(await readFile(path, 'utf8'), path));
  if (!tasks.success) throw new InputError(`${path}: is no list of tasks: wanted is [{"id": …, "user": …}]`);
  return tasks.data.find(({ id }) => id === task)?.user ?? null;
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${path}: is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

/** What is to be recorded: tasks × protocols × models × runs, less what the suite holds. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../parsers/parser.ts';
import { entryFault, type ManifestEntry } from '../replay/manifest.ts';
import type { Framing } from '../replay/recording.ts';
import { RecordingError } from '../replay/recording-error.ts';
import { isOfKey, type RecordingKey, streamName } from '../replay/suite-writer.ts';
import { type RequestSettings, requestBody, storedRequest } from './endpoint.ts';
import type { RecordTask } from './task-file.ts';

export interface PlanOptions {
  readonly tasks: readonly RecordTask[];
  readonly protocols: readonly Framing[];
  readonly models: readonly string[];
  readonly runs: number;
  /** The n-th run is called `<label><n>`. */
  readonly label: string;
  readonly provider: string | null;
  readonly settings: RequestSettings;
}

/** One answer that is wanted. */
export interface Job extends RecordingKey {
  readonly protocol: Framing;
  readonly model: string;
  /** Of its file, among those of its task and protocol: by the place in the plan, not by which answer comes first. */
  readonly number: number;
  readonly file: string;
  /** The body of its request. */
  readonly body: JsonObject;
  readonly request: { readonly messages: JsonObject[]; readonly parameters: JsonObject };
  readonly provider: string | null;
}

export interface Plan {
  readonly todo: readonly Job[];
  /** Files that are there already, in order of the plan. */
  readonly done: readonly string[];
}

/** How the request of a job stands in the manifest. */
export type KeptRequest = (job: Job) => Job['request'];

/**
 * Whole runs come one after the other, so that what is interrupted has every task equally often. Throws `RecordingError`
 * if the suite holds an answer to another request under the same name, or if a request cannot be stored.
 */
export function planJobs(options: PlanOptions, held: readonly ManifestEntry[], kept: KeptRequest): Plan {
  const taken = new Set(held.map(({ file }) => file.toLowerCase()));
  const todo: Job[] = [];
  const done: string[] = [];
  for (const wanted of wantedAnswers(options)) {
    const { key, body } = wanted;
    const former = held.find((entry) => isOfKey(entry, key));
    const number = former === undefined ? firstFree(key, taken) : 0;
    const file = former?.file ?? streamName(`${key.task}.${key.protocol}`, number);
    const job: Job = { ...key, number, file, body, request: storedRequest(body), provider: options.provider };
    const request = kept(job);
    if (former === undefined) {
      checkStorable(job, request);
      todo.push({ ...job, request });
    } else {
      if (!isDeepStrictEqual(plain(former.request), plain(request))) throw otherRequest(former.file);
      done.push(former.file);
    }
  }
  return { todo, done };
}

interface Wanted {
  readonly key: Pick<Job, 'task' | 'protocol' | 'model' | 'run'>;
  readonly body: JsonObject;
}

function* wantedAnswers({ tasks, protocols, models, runs, label, settings }: PlanOptions): Generator<Wanted> {
  for (let round = 1; round <= runs; round++) {
    for (const model of models) {
      for (const task of tasks) {
        for (const protocol of protocols) {
          const key = { task: task.name, protocol, model, run: `${label}${round}` };
          yield { key, body: requestBody({ task, protocol, model, round }, settings) };
        }
      }
    }
  }
}

function firstFree({ task, protocol }: Pick<Job, 'task' | 'protocol'>, taken: Set<string>): number {
  for (let number = 1; ; number++) {
    const name = streamName(`${task}.${protocol}`, number).toLowerCase();
    if (taken.has(name)) continue;
    taken.add(name);
    return number;
  }
}

/** What cannot be stored is better known before it is paid for. */
function checkStorable({ file, task, protocol, model, run, provider }: Job, request: Job['request']): void {
  const fault = entryFault(
    {
      ...{ file, sha256: '0'.repeat(64), bytes: 0, task, protocol, wire: 'openai-chat', provider, model },
      ...{ recordedAt: null, request, source: 'recorded', run },
    },
    file,
  );
  if (fault !== null) throw fault;
}

/** As it comes back from a file: what is `undefined` is not there. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function otherRequest(file: string): RecordingError {
  return new RecordingError({
    file,
    what: 'the suite holds it as the answer to another request (other messages or parameters)',
    advice: 'Choose another --suite, or another --run-label to keep both',
  });
}

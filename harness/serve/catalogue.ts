/** Recordings by the names that a request's `model` can give. */
import { compareNames, STREAM_SUFFIX } from '../replay/manifest.ts';
import type { Framing, Recording } from '../replay/recording.ts';

/** A recording, or a sentence why there is none. */
export type Finding = { readonly recording: Recording } | { readonly missing: string };

/** The name of a recording as a model: `replies/t14.ctl`. */
export function modelName({ suite, file }: Pick<Recording, 'suite' | 'file'>): string {
  return `${suite}/${withoutSuffix(file)}`;
}

export class Catalogue {
  /** Every recording's name, in code unit order. */
  readonly names: readonly string[];
  /** Recordings that are no OpenAI-chat streams: this server has no endpoint for them. */
  readonly leftOut: number;
  readonly #byName = new Map<string, Recording>();
  readonly #byTask = new Map<string, Recording[]>();

  constructor(recordings: readonly Recording[]) {
    const served = recordings.filter(({ wire }) => wire === 'openai-chat');
    this.leftOut = recordings.length - served.length;
    for (const recording of served.toSorted((a, b) => compareNames(modelName(a), modelName(b)))) {
      this.#byName.set(modelName(recording), recording);
      const task = `${recording.suite}/${recording.task}`;
      this.#byTask.set(task, [...(this.#byTask.get(task) ?? []), recording]);
    }
    this.names = [...this.#byName.keys()];
  }

  /** Whether this names a recording, or a task that has some. */
  has(name: string): boolean {
    return this.#byName.has(withoutSuffix(name)) || this.#byTask.has(name);
  }

  /**
   * @param name `SUITE/FILE`, with or without `.sse`, or `SUITE/TASK`
   * @param framing which of a task's recordings is meant, where it has several; of several runs the first
   */
  find(name: string, framing: Framing): Finding {
    const exact = this.#byName.get(withoutSuffix(name));
    if (exact !== undefined) return { recording: exact };
    const ofTask = this.#byTask.get(name) ?? [];
    const framings = [...new Set(ofTask.map((recording) => recording.framing))];
    const chosen = framings.length === 1 ? ofTask[0] : ofTask.find((recording) => recording.framing === framing);
    if (chosen !== undefined) return { recording: chosen };
    if (ofTask.length === 0) return { missing: this.missing(name) };
    return { missing: `${name} has no ${framing} recording; it has ${ofTask.map(modelName).join(', ')}` };
  }

  /** Says that there is no such recording, and what there is instead. */
  missing(name: string): string {
    const suite = name.slice(0, name.indexOf('/') + 1);
    const inSuite = suite === '' ? [] : this.names.filter((known) => known.startsWith(suite));
    const suites = [...new Set(this.names.map((known) => known.slice(0, known.indexOf('/'))))];
    const shown = inSuite.slice(0, MOST_SHOWN).join(', ');
    const more = inSuite.length > MOST_SHOWN ? `, … (${inSuite.length})` : '';
    const known = inSuite.length > 0 ? `recordings ${shown}${more}` : `suites ${suites.join(', ')}`;
    return `there is no recording ${name}; there are the ${known}`;
  }
}

/** Names in a message. */
const MOST_SHOWN = 5;

function withoutSuffix(file: string): string {
  return file.endsWith(STREAM_SUFFIX) ? file.slice(0, -STREAM_SUFFIX.length) : file;
}

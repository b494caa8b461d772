/** One stream put to a parser that is asked by lines: run, ask what was not known, run again (`transcript.ts`). */
import { DEFAULT_OPTIONS, type ParserOptions } from '../parsers/parser.ts';
import type { CheckScope, Reports } from '../properties/check.ts';
import type { CheckedRecording } from '../properties/recording-check.ts';
import { contentSize } from '../replay/replay.ts';
import type { Fault, ForeignParser, Granularity } from './judged-parser.ts';
import { Transcript, type TranscriptNode } from './transcript.ts';

/** A shrinking counterexample asks a little more in each run of the check. */
const MOST_RUNS = 60;

const WALKS: CheckScope = { beyondTheRecording: false };

/** What a parser is asked at most. */
export interface Effort {
  /** Content bytes fed again, for splits and continuations each. */
  readonly byteBudget: number;
  /** Streams with more content bytes are judged at each delta. */
  readonly oneByOne: number;
}

/** A stream of which everything is known. */
export interface AskedStream {
  readonly transcript: Transcript;
  readonly options: ParserOptions;
}

/** Whom a trial asks. */
export interface Asked {
  readonly granularity: Granularity;
  readonly reports: Reports;
  readonly effort: Effort;
  /** Enters frontiers on the way to `node`. @returns the fault, if there was one */
  ask(node: TranscriptNode, root: TranscriptNode, options: ParserOptions): Promise<Fault | null>;
  /** Feeds the stream alternately with others. @returns where it was another than alone */
  interleave(stream: AskedStream): Promise<Fault | null>;
}

/** The check of one stream. */
export class Trial<T extends CheckedRecording> {
  fault: Fault | null = null;
  granularity: Granularity;
  readonly #check: (foreign: ForeignParser) => T;
  readonly #parser: Asked;
  #transcript: Transcript;
  #options = DEFAULT_OPTIONS;

  constructor(check: (foreign: ForeignParser) => T, parser: Asked) {
    this.#check = check;
    this.#parser = parser;
    this.granularity = parser.granularity;
    this.#transcript = new Transcript(parser.granularity);
  }

  /** First the prefixes of the recording; then, if the command has kept up, what is beyond it. */
  async judge(): Promise<T> {
    const sketch = this.run(WALKS);
    if (contentSize(sketch.checked.stream.events) > this.#parser.effort.oneByOne) this.granularity = 'delta';
    this.#transcript = new Transcript(this.granularity);
    const walked = await this.#settle(WALKS, MOST_RUNS);
    if (this.fault !== null) return walked;
    const { byteBudget } = this.#parser.effort;
    const whole = await this.#settle({ beyondTheRecording: true, byteBudget }, MOST_RUNS);
    this.fault ??= await this.#parser.interleave({ transcript: this.#transcript, options: this.#options });
    return this.fault === null ? whole : walked;
  }

  /** One run of the check with what is known. */
  run(scope: CheckScope): T {
    return this.#check({
      parser: (options) => {
        this.#options = options;
        return this.#transcript.create();
      },
      reports: this.#parser.reports,
      scope,
    });
  }

  async #settle(scope: CheckScope, runs: number): Promise<T> {
    let checked = this.run(scope);
    for (let i = 1; i < runs; i++) {
      const wanted = this.#transcript.takeWanted();
      if (wanted.length === 0 || (this.fault !== null && scope.beyondTheRecording)) break;
      for (const node of wanted) await this.#ask(node, scope);
      checked = this.run(scope);
    }
    return checked;
  }

  async #ask(node: TranscriptNode, scope: CheckScope): Promise<void> {
    if (this.fault !== null && scope.beyondTheRecording) return;
    const fault = await this.#parser.ask(node, this.#transcript.root, this.#options);
    if (fault === null || (this.fault !== null && this.fault.delivered <= fault.delivered)) return;
    const what = scope.beyondTheRecording ? `of the stream re-chunked or continued: ${fault.what}` : fault.what;
    this.fault = { ...fault, what };
  }
}

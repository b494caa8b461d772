/** A parser that is a command: any language, any runtime (docs/own-parser.md "A command"). */
import { callDifference } from '../parsers/call.ts';
import { DEFAULT_OPTIONS, type Frontier, type ParserOptions } from '../parsers/parser.ts';
import type { Protocol } from '../parsers/protocols.ts';
import type { CheckScope, Reports } from '../properties/check.ts';
import type { CheckedRecording } from '../properties/recording-check.ts';
import { contentSize } from '../replay/replay.ts';
import {
  type Fault,
  type ForeignParser,
  type Granularity,
  type Judged,
  type JudgedParser,
  ParserUnusable,
  withAnswers,
} from './judged-parser.ts';
import { LineProcess, ProcessFailure } from './line-process.ts';
import { helloMessage, type Ready, readAnswer, readReady, startMessage } from './messages.ts';
import { BadAnswer } from './reported.ts';
import { branchTo, EMPTY_FRONTIER, Transcript, type TranscriptNode } from './transcript.ts';

export interface CommandOptions {
  /** Goes before what the command says. */
  readonly protocol: Protocol | undefined;
  /** For one answer, in ms. */
  readonly timeout: number;
  readonly onStderr: (text: string) => void;
}

/** Content bytes fed again to a command, for splits and continuations each. */
const BYTE_BUDGET = 16 * 1024;
/** Streams with more content bytes are judged at each delta: a million questions take minutes. */
const MOST_BYTES_ONE_BY_ONE = 64 * 1024;
/** A shrinking counterexample asks a little more in each run of the check. */
const MOST_RUNS = 60;
/** After so many streams in a row on which the command failed, the others are not asked. */
const MOST_FAILURES = 5;

const WALKS: CheckScope = { beyondTheRecording: false };
const EVERYTHING: CheckScope = { beyondTheRecording: true, byteBudget: BYTE_BUDGET };

/** @throws ParserUnusable if the command does not start, or does not say that it is ready. */
export async function openCommand(command: string, options: CommandOptions): Promise<JudgedParser> {
  const first = new LineProcess(command, options.timeout, options.onStderr);
  try {
    const ready = await greet(first);
    const protocol = options.protocol ?? ready.protocol ?? 'json-object';
    const reports = await probe(first, protocol);
    return new CommandParser(first, { command, ...options, protocol, reports, ready });
  } catch (error) {
    await first.close();
    if (!(error instanceof ProcessFailure || error instanceof BadAnswer)) throw error;
    throw new ParserUnusable(
      `${command}: ${error.message} (wanted: a line {"type":"ready","version":1,…}, then answers)`,
    );
  }
}

async function greet(child: LineProcess): Promise<Ready> {
  let ready: Ready | null = null;
  await child.ask([helloMessage()], (line) => {
    ready = readReady(line);
  });
  return ready!;
}

/** What the answer to `start` tells, the parser reports; nothing else is asked of it. */
async function probe(child: LineProcess, protocol: Protocol): Promise<Reports> {
  let reports: Reports = { pending: false, error: false };
  await child.ask([startMessage(0, protocol, DEFAULT_OPTIONS)], (line) => {
    reports = readAnswer(line, EMPTY_FRONTIER).tells;
  });
  return reports;
}

interface Opened extends CommandOptions {
  readonly command: string;
  readonly protocol: Protocol;
  readonly reports: Reports;
  readonly ready: Ready;
}

class CommandParser implements JudgedParser {
  readonly name: string;
  readonly protocol: Protocol;
  readonly reports: Reports;
  readonly granularity: Granularity;
  readonly #opened: Opened;
  #child: LineProcess | null;
  #streams = 0;
  #failures = 0;

  constructor(child: LineProcess, opened: Opened) {
    this.#child = child;
    this.#opened = opened;
    this.name = opened.ready.name ?? opened.command;
    this.protocol = opened.protocol;
    this.reports = opened.reports;
    this.granularity = opened.ready.granularity ?? 'byte';
  }

  async check<T extends CheckedRecording>(check: (foreign: ForeignParser) => T): Promise<Judged<T>> {
    const trial = new Trial(check, this);
    if (this.#failures >= MOST_FAILURES) {
      const what = `not asked: the command failed on the ${MOST_FAILURES} streams before`;
      const fault = { what, delivered: 0 };
      return withAnswers({ ...trial.run(WALKS), outcomes: [] }, { fault, judgedAt: trial.granularity });
    }
    const checked = await trial.judge();
    this.#failures = trial.fault === null ? 0 : this.#failures + 1;
    return withAnswers(checked, { fault: trial.fault, judgedAt: trial.granularity });
  }

  async close(): Promise<void> {
    await this.#child?.close();
    this.#child = null;
  }

  /**
   * Feeds the branch to a fresh stream and enters the frontiers. A fault leaves everything behind it as it was before.
   * @returns the fault, if there was one.
   */
  async ask(node: TranscriptNode, root: TranscriptNode, options: ParserOptions): Promise<Fault | null> {
    const branch = [root, ...branchTo(node)];
    const lines = [startMessage(++this.#streams, this.protocol, options), ...branch.slice(1).map((at) => at.message)];
    let before = EMPTY_FRONTIER;
    let known = 0;
    try {
      const child = await this.#ready();
      await child.ask(lines, (line, index) => {
        const at = branch[index]!;
        const { frontier } = readAnswer(line, before);
        if (at.frontier !== null) refuseOther(at.frontier, frontier);
        else at.frontier = frontier;
        before = at.frontier ?? frontier;
        known = index + 1;
      });
      return null;
    } catch (error) {
      if (!(error instanceof ProcessFailure || error instanceof BadAnswer)) throw error;
      await this.#drop();
      for (const at of branch.slice(known)) at.frontier ??= before;
      const what = error instanceof ProcessFailure ? `the command ${error.message}` : error.message;
      return { what: `${what} (asked: ${shorten(lines[known] ?? '')})`, delivered: branch[known]?.delivered ?? 0 };
    }
  }

  async #ready(): Promise<LineProcess> {
    if (this.#child !== null) return this.#child;
    const { command, timeout, onStderr } = this.#opened;
    this.#child = new LineProcess(command, timeout, onStderr);
    await greet(this.#child);
    return this.#child;
  }

  /** A command that has failed is not trusted any further: the next question starts it anew. */
  async #drop(): Promise<void> {
    this.#child?.kill();
    await this.close();
  }
}

/** The check of one stream. */
class Trial<T extends CheckedRecording> {
  fault: Fault | null = null;
  granularity: Granularity;
  readonly #check: (foreign: ForeignParser) => T;
  readonly #parser: CommandParser;
  #transcript: Transcript;
  #options = DEFAULT_OPTIONS;

  constructor(check: (foreign: ForeignParser) => T, parser: CommandParser) {
    this.#check = check;
    this.#parser = parser;
    this.granularity = parser.granularity;
    this.#transcript = new Transcript(parser.granularity);
  }

  /** First the prefixes of the recording; then, if the command has kept up, what is beyond it. */
  async judge(): Promise<T> {
    const sketch = this.run(WALKS);
    if (contentSize(sketch.checked.stream.events) > MOST_BYTES_ONE_BY_ONE) this.granularity = 'delta';
    this.#transcript = new Transcript(this.granularity);
    const walked = await this.#settle(WALKS, MOST_RUNS);
    if (this.fault !== null) return walked;
    const whole = await this.#settle(EVERYTHING, MOST_RUNS);
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

/** The same messages must lead to the same frontier: else nothing that was seen at a prefix means anything. */
function refuseOther(known: Frontier, now: Frontier): void {
  const same =
    known.calls.length === now.calls.length &&
    known.calls.every((call, i) => callDifference(call, now.calls[i]!) === null) &&
    (known.error?.kind ?? null) === (now.error?.kind ?? null) &&
    known.pending === now.pending;
  if (!same) throw new BadAnswer('the parser answered otherwise when it was fed the same stream before');
}

function shorten(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

const MOST_SHOWN = 80;

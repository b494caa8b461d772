/** A parser behind lines of JSON, whoever speaks them: a command of the user's, or the host of a module. */
import { callDifference } from '../parsers/call.ts';
import { DEFAULT_OPTIONS, type Frontier, type ParserOptions } from '../parsers/parser.ts';
import type { Protocol } from '../parsers/protocols.ts';
import type { Reports } from '../properties/check.ts';
import type { CheckedRecording } from '../properties/recording-check.ts';
import { InterleavedFrontiers, interleaved, type KnownStream } from './interleaving.ts';
import { oracleOfJsonValues, parserOfJsonValues } from './json-values.ts';
import {
  type Fault,
  type ForeignParser,
  type Granularity,
  type Judged,
  type JudgedParser,
  withAnswers,
} from './judged-parser.ts';
import { LineProcess, type LineProgram, ProcessFailure } from './line-process.ts';
import { type Asked, type AskedStream, type Effort, Trial } from './line-trial.ts';
import { helloMessage, type Ready, readAnswer, readReady, SaidFault, startMessage } from './messages.ts';
import { BadAnswer } from './reported.ts';
import { branchTo, EMPTY_FRONTIER, type TranscriptNode } from './transcript.ts';

export interface LineParserOptions {
  readonly program: LineProgram;
  /** What it is in messages: `the command`. */
  readonly what: string;
  /** Before the words of its own. */
  readonly saying: string;
  /** Its name, if it says none. */
  readonly name: string;
  /** Goes before what the parser says. */
  readonly protocol: Protocol | undefined;
  /** For one answer, in ms. */
  readonly timeout: number;
  /** For the answer to `hello`, which comes once it has started, in ms. */
  readonly startTimeout: number;
  readonly effort: Effort;
  readonly onStderr: (text: string) => void;
}

/** After so many streams in a row on which the process failed, the others are not asked. */
const MOST_FAILURES = 5;

/** @throws ProcessFailure, BadAnswer (SaidFault) if the parser does not start, or does not say that it is ready. */
export async function openLineParser(options: LineParserOptions): Promise<JudgedParser> {
  const first = new LineProcess(options.program, options.timeout, options.onStderr);
  try {
    const ready = await greet(first, options.startTimeout);
    const protocol = options.protocol ?? ready.protocol ?? 'json-object';
    const reports = await probe(first, protocol);
    return new LineParser(first, { ...options, protocol, reports, ready });
  } catch (error) {
    await first.close();
    throw error;
  }
}

async function greet(child: LineProcess, timeout: number): Promise<Ready> {
  let ready: Ready | null = null;
  const read = (line: string): void => {
    ready = readReady(line);
  };
  await child.ask([helloMessage()], read, timeout);
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

interface Opened extends LineParserOptions {
  readonly protocol: Protocol;
  readonly reports: Reports;
  readonly ready: Ready;
}

/** Takes an answer and says what is wrong with it. */
type Take = (line: string, index: number) => void;

function ofJsonValues(foreign: ForeignParser): ForeignParser {
  return { ...foreign, parser: parserOfJsonValues(foreign.parser), ofOracle: oracleOfJsonValues };
}

class LineParser implements JudgedParser, Asked {
  readonly name: string;
  readonly protocol: Protocol;
  readonly reports: Reports;
  readonly granularity: Granularity;
  readonly effort: Effort;
  readonly #opened: Opened;
  #child: LineProcess | null;
  #streams = 0;
  #failures = 0;
  #failed = false;
  /** The stream before, to be fed alternately with the next. */
  #former: KnownStream | null = null;

  constructor(child: LineProcess, opened: Opened) {
    this.#child = child;
    this.#opened = opened;
    this.name = opened.ready.name ?? opened.name;
    this.protocol = opened.protocol;
    this.reports = opened.reports;
    this.effort = opened.effort;
    this.granularity = opened.ready.granularity ?? 'byte';
  }

  async check<T extends CheckedRecording>(check: (foreign: ForeignParser) => T): Promise<Judged<T>> {
    const isJson = this.#opened.ready.arguments === 'json';
    const trial = new Trial(isJson ? (foreign) => check(ofJsonValues(foreign)) : check, this);
    if (this.#failures >= MOST_FAILURES) {
      const what = `not asked: ${this.#opened.what} failed on the ${MOST_FAILURES} streams before`;
      const silent = trial.run({ beyondTheRecording: false });
      return withAnswers({ ...silent, outcomes: [] }, { fault: { what, delivered: 0 }, judgedAt: trial.granularity });
    }
    this.#failed = false;
    const checked = await trial.judge();
    this.#failures = this.#failed ? this.#failures + 1 : 0;
    return withAnswers(checked, { fault: trial.fault, judgedAt: trial.granularity });
  }

  async close(): Promise<void> {
    await this.#child?.close();
    this.#child = null;
  }

  /** A fault leaves everything behind it as it was before. */
  async ask(node: TranscriptNode, root: TranscriptNode, options: ParserOptions): Promise<Fault | null> {
    const branch = [root, ...branchTo(node)];
    const lines = [startMessage(++this.#streams, this.protocol, options), ...branch.slice(1).map((at) => at.message)];
    let before = EMPTY_FRONTIER;
    const { what, answered } = await this.#exchange(lines, (line, index) => {
      const at = branch[index]!;
      const { frontier } = readAnswer(line, before);
      if (at.frontier !== null) refuseOther(at.frontier, frontier, 'when it was fed the same stream before');
      else at.frontier = frontier;
      before = at.frontier ?? frontier;
    });
    if (what === null) return null;
    for (const at of branch.slice(answered)) at.frontier ??= before;
    return { what, delivered: branch[answered]?.delivered ?? 0 };
  }

  /** With itself, one message behind, and with the stream before. */
  async interleave({ transcript, options }: AskedStream): Promise<Fault | null> {
    if (this.#opened.ready.interleaved !== true) return null;
    const start = (id: number): string => startMessage(id, this.protocol, options);
    const known: KnownStream = { start, nodes: [...recorded(transcript.root)] };
    const fault = (await this.#alternate(known, known)) ?? (await this.#alternate(known, this.#former));
    this.#former = known;
    return fault;
  }

  async #alternate(stream: KnownStream, other: KnownStream | null): Promise<Fault | null> {
    if (other === null) return null;
    const order = interleaved([stream, other], this.#streams + 1);
    this.#streams += 2;
    const frontiers = new InterleavedFrontiers();
    const lines = order.map(({ line }) => line);
    const { what, answered } = await this.#exchange(lines, (line, index) => {
      const { stream: of, node } = order[index]!;
      const { frontier } = readAnswer(line, frontiers.before(of));
      if (node.frontier !== null) refuseOther(node.frontier, frontier, 'when it was fed alone');
      frontiers.take(of, frontier);
    });
    if (what === null) return null;
    const { stream: of, node } = order[answered] ?? { stream: 1 };
    const delivered = of === 0 ? (node?.delivered ?? 0) : 0;
    return { what: `fed alternately with ${stream === other ? 'itself' : 'the stream before'}: ${what}`, delivered };
  }

  /**
   * Sends lines; `take` reads the answers, up to the first fault. A process that has failed, or said what is no answer, is
   * not trusted any further: the next question starts it anew.
   */
  async #exchange(lines: readonly string[], take: Take): Promise<{ readonly what: string | null; answered: number }> {
    let answered = 0;
    let fault: SaidFault | OtherAnswer | null = null;
    try {
      const child = await this.#ready();
      await child.ask(lines, (line, index) => {
        if (fault !== null) return;
        try {
          take(line, index);
          answered = index + 1;
        } catch (error) {
          if (!(error instanceof SaidFault || error instanceof OtherAnswer)) throw error;
          fault = error;
        }
      });
    } catch (error) {
      if (!(error instanceof ProcessFailure || error instanceof BadAnswer)) throw error;
      this.#failed = true;
      await this.#drop();
      const what = error instanceof ProcessFailure ? `${this.#opened.what} ${error.message}` : error.message;
      return { what: `${what} (asked: ${shorten(lines[answered] ?? '')})`, answered };
    }
    if (fault === null) return { what: null, answered };
    const { message } = fault as Error;
    const words = (fault as Error) instanceof SaidFault ? `${this.#opened.saying}${message}` : message;
    return { what: `${words} (asked: ${shorten(lines[answered] ?? '')})`, answered };
  }

  async #ready(): Promise<LineProcess> {
    if (this.#child !== null) return this.#child;
    const { program, timeout, startTimeout, onStderr } = this.#opened;
    this.#child = new LineProcess(program, timeout, onStderr);
    await greet(this.#child, startTimeout);
    return this.#child;
  }

  async #drop(): Promise<void> {
    this.#child?.kill();
    await this.close();
  }
}

/** The stream as it was recorded: what the first parser of a check was fed. */
function* recorded(root: TranscriptNode): Generator<TranscriptNode> {
  for (let node: TranscriptNode | null = root; node !== null; node = node.first) yield node;
}

/** The same messages must lead to the same frontier: else nothing that was seen at a prefix means anything. */
class OtherAnswer extends Error {}

function refuseOther(known: Frontier, now: Frontier, when: string): void {
  const same =
    known.calls.length === now.calls.length &&
    known.calls.every((call, i) => callDifference(call, now.calls[i]!) === null) &&
    (known.error?.kind ?? null) === (now.error?.kind ?? null) &&
    known.pending === now.pending;
  if (!same) throw new OtherAnswer(`the parser answered otherwise ${when}`);
}

function shorten(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

const MOST_SHOWN = 80;

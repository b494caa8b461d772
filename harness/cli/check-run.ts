/** One run of `cst check` over all streams. */
import type { Protocol } from '../parsers/protocols.ts';
import { formatExpectedFindings } from '../properties/expected-findings.ts';
import { isViolated, violations } from '../properties/recording-check.ts';
import { programName } from './called-as.ts';
import type { KnownFindings } from './check-known.ts';
import { foreignHeading, parserFlags, type UnderTest } from './check-parser.ts';
import { findTargets, refuseOtherThanSse, type Target } from './check-targets.ts';
import { CheckSummary, checkJson, checkLine } from './check-view.ts';
import { checkCommand, distinctViolations, violationLines } from './counterexample.ts';
import { EXIT } from './exit-code.ts';
import { plural, visible } from './glyphs.ts';
import { JUnitReport } from './junit.ts';
import { startProgress } from './progress.ts';
import { failureOf, UsageError } from './run-command.ts';
import { type CheckOptions, checkTarget, protocolsFor, type StreamCheck } from './stream-check.ts';
import type { Terminal } from './terminal.ts';
import { writeFileWhole } from './write-file.ts';

/** Limits of a protocol that are written out in full before the rest is only counted. */
const MOST_LIMITS_SHOWN = 1;

export interface CheckShown {
  /** One JSON line a stream and protocol. */
  readonly json: boolean;
  /** A line for every stream of a folder, too. */
  readonly verbose: boolean;
  readonly known: KnownFindings | null;
  /** A parser that is not ours. */
  readonly judged: UnderTest | null;
}

/** Each stream is read, checked, shown and forgotten. */
export class CheckRun {
  readonly junit = new JUnitReport();
  readonly #summary = new CheckSummary();
  readonly #options: CheckOptions;
  readonly #shown: CheckShown;
  readonly #terminal: Terminal;
  #otherFraming = 0;
  #unreadable = 0;
  #limitsShown = 0;
  #vanished = 0;
  /** All streams of all folders, in every protocol: nothing was left out. */
  #isWhole = true;

  constructor(options: CheckOptions, shown: CheckShown, terminal: Terminal) {
    this.#options = options;
    this.#shown = shown;
    this.#terminal = terminal;
  }

  /** The streams of all paths; what cannot be read is reported, and the rest goes on. */
  async find(paths: readonly string[], filter: string | undefined): Promise<readonly Target[]> {
    const targets: Target[] = [];
    for (const path of paths) {
      await this.#attempt(path, async () => {
        targets.push(...(await findTargets(path)));
      });
    }
    this.#isWhole = filter === undefined && this.#options.protocol === 'auto' && targets.every(({ named }) => !named);
    if (filter === undefined) return targets;
    const chosen = targets.filter(({ path }) => path.includes(filter));
    if (chosen.length === 0 && targets.length > 0) throw new UsageError(`no stream's path contains ${filter}`);
    return chosen;
  }

  async check(targets: readonly Target[]): Promise<void> {
    const { judged } = this.#shown;
    if (judged !== null) this.#say(foreignHeading(judged));
    const progress = startProgress('streams', targets.length);
    try {
      for (const [i, target] of targets.entries()) {
        await this.#attempt(target.path, () => this.#checkOne(target));
        progress.update(i + 1);
      }
    } finally {
      progress.stop();
    }
  }

  /** After the last stream: judges by the list of expected findings, or writes it. */
  async settleKnown(): Promise<void> {
    const { known } = this.#shown;
    if (known === null) return;
    if (known.mode === 'judge') {
      const gone = known.vanished(this.#isWhole);
      this.#vanished = gone.length;
      this.junit.addFailures(known.file, 'expected finding', gone);
      for (const what of gone) {
        this.#say(`GONE expected finding: ${visible(what)}\n  take it off the list: ${visible(known.file)}\n\n`);
      }
    } else if (this.#unreadable === 0) {
      const list = known.renewed(this.#isWhole);
      await writeFileWhole(known.file, formatExpectedFindings(list));
    }
  }

  finish(): number {
    const summary = [this.#summary.text()];
    if (this.#otherFraming > 0) {
      summary.push(
        `not asked: ${plural(this.#otherFraming, 'stream')} in a framing that ${this.#options.protocol} does not read\n`,
      );
    }
    if (this.#unreadable > 0)
      summary.push(`unreadable: ${plural(this.#unreadable, 'file or folder', 'files or folders')}, see above\n`);
    summary.push(...this.#knownLines());
    this.#say(summary.join(''));
    if (this.#unreadable > 0) return EXIT.unreadable;
    const isWritten = this.#shown.known?.mode === 'write';
    if (!isWritten && this.#summary.violated + this.#vanished > 0) return EXIT.violations;
    return EXIT.ok;
  }

  #knownLines(): string[] {
    const { known } = this.#shown;
    if (known?.mode === 'write') {
      const file = visible(known.file);
      if (this.#unreadable > 0) return [`${file} is not written: there is something that could not be read\n`];
      if (this.#summary.violated === 0) return [`${file} is an empty list: there is nothing to expect\n`];
      return [`${file} has the expected findings: say in each why it is one, and check with --known ${file}\n`];
    }
    return this.#vanished === 0 ? [] : [`${plural(this.#vanished, 'expected finding')} gone, see above\n`];
  }

  async #checkOne(target: Target): Promise<void> {
    const protocols = protocolsFor(target, this.#options.protocol);
    if (protocols.length === 0) this.#otherFraming++;
    if (protocols.length === 0) return;
    const bytes = await target.recording.bytes();
    refuseOtherThanSse(target, bytes);
    for (const protocol of protocols) {
      const check = await this.#judge(target, bytes, protocol);
      this.#show(this.#shown.known?.accept(check) ?? check);
    }
  }

  async #judge(target: Target, bytes: Uint8Array, protocol: Protocol): Promise<StreamCheck> {
    const { judged } = this.#shown;
    if (judged === null) return checkTarget(target, bytes, protocol, this.#options);
    const { parser } = judged;
    return parser.check((foreign) => {
      const check = { ...checkTarget(target, bytes, protocol, { ...this.#options, foreign }), parser: parser.name };
      // A command is asked while the check runs: what the view will want to know of its parser is wanted here.
      for (const violated of check.outcomes.filter(isViolated)) violationLines(check, violated, programName());
      return check;
    });
  }

  #show(check: StreamCheck): void {
    this.#summary.add(check);
    this.junit.add(check);
    if (this.#shown.json) {
      this.#terminal.out(`${checkJson(check)}\n`);
      return;
    }
    const found = violations(check);
    if (check.target.named || this.#shown.verbose) this.#terminal.out(checkLine(check));
    const limits = check.outcomes
      .filter(isViolated)
      .filter(({ accepted }) => accepted?.as === 'limit of the protocol')
      .slice(0, Math.max(0, MOST_LIMITS_SHOWN - this.#limitsShown));
    this.#limitsShown += limits.length;
    const shown = distinctViolations([...found, ...limits]);
    for (const violated of shown) {
      const lines = violationLines(check, violated, programName()).map(this.#ofOurs);
      this.#terminal.out(`${lines.join('\n')}\n\n`);
    }
    const flags = parserFlags(this.#shown.judged);
    if (shown.length > 0) this.#terminal.out(`  check it again: ${checkCommand(check, programName())}${flags}\n\n`);
  }

  /** `cst parse` has our parsers alone. */
  readonly #ofOurs = (line: string): string =>
    this.#shown.judged === null ? line : line.replace(/^ {2}to see it: /, "  the protocol's own parser there: ");

  /** Where the readable view goes; with `--json`, stdout holds JSON lines alone. */
  #say(text: string): void {
    if (this.#shown.json) this.#terminal.err(text);
    else this.#terminal.out(text);
  }

  async #attempt(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const failure = failureOf(error, path);
      if (failure === null || failure.exitCode === EXIT.usage) throw error;
      this.#unreadable++;
      this.junit.addUnread(path, failure.message, 'error');
      this.#terminal.err(`${failure.message}\n`);
    }
  }
}

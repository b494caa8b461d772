/** `cst check`: S1, S2, S3, K and what goes with them, of each stream. */
import type { Argv } from 'yargs';
import { unsupportedWireFormat } from '../stream/wire-readers.ts';
import { findTargets, refuseOtherThanSse, type Target } from './check-targets.ts';
import { CheckSummary, checkJson, checkLine } from './check-view.ts';
import type { Choose } from './command.ts';
import { checkCommand, distinctViolations, programName, violationLines } from './counterexample.ts';
import { EXIT } from './exit-code.ts';
import { plural, visible } from './glyphs.ts';
import { JUnitReport } from './junit.ts';
import {
  CHECK_EXIT_CODES,
  DEFAULT_SEED,
  LIMIT_OPTIONS,
  optionalText,
  protocolOption,
  readProtocol,
  SMALLEST_LINE_LIMIT,
  wholeNumber,
} from './options.ts';
import { startProgress } from './progress.ts';
import { failureOf, UsageError } from './run-command.ts';
import { typedPaths } from './source.ts';
import {
  type CheckOptions,
  checkTarget,
  knownLimits,
  protocolsFor,
  type StreamCheck,
  violations,
} from './stream-check.ts';
import type { Terminal } from './terminal.ts';
import { writeFileWhole } from './write-file.ts';

/** Known limits of a protocol that are written out in full before the rest is only counted. */
const MOST_LIMITS_SHOWN = 1;

export function addCheck(program: Argv, choose: Choose): Argv {
  return program.command(
    'check <path..>',
    'Is what runs safe at every prefix of these streams?',
    (command) =>
      command
        .usage(
          '$0 check FILE|DIR...\n\nFeeds every byte prefix of each stream to its parsers and compares with the oracle: S1 (nothing incomplete runs), S2 (what ran stays as it was), S3 (nothing is taken back), K (pending is bounded), agreement with oracle and manifest, splits, continuations; pending and lag are measured. A violation is shown with its smallest prefix and a command that shows it again.',
        )
        .positional('path', { type: 'string', demandOption: true, describe: 'Streams (.sse), or folders of them' })
        .option('protocol', protocolOption('as the manifest says, else guessed; both JSON protocols for native'))
        .option('json', {
          type: 'boolean',
          default: false,
          describe: 'One JSON line a stream and protocol; the summary goes to stderr',
        })
        .option('junit', { type: 'string', describe: 'Write JUnit XML to this file', requiresArg: true })
        .option('filter', { type: 'string', describe: 'Only streams whose path contains this', requiresArg: true })
        .option('strict', {
          type: 'boolean',
          default: false,
          describe: 'Count known limits of a protocol as violations',
        })
        .option('verbose', { type: 'boolean', default: false, describe: 'A line for every stream of a folder, too' })
        .option('l-line', LIMIT_OPTIONS['l-line'])
        .option('seed', {
          type: 'string',
          describe: 'Seed of splits and continuations',
          defaultDescription: String(DEFAULT_SEED),
        })
        .example('$0 check recordings/replies', 'A suite')
        .example('$0 check my/streams --junit report.xml', 'Your own streams, in CI')
        .example('$0 check answer.sse --protocol json-object', 'One stream, one protocol')
        .epilogue(CHECK_EXIT_CODES),
    (args) => choose((terminal) => runCheck(args as unknown as CheckArguments, terminal)),
  );
}

interface CheckArguments {
  readonly path: readonly string[];
  readonly json: boolean;
  readonly strict: boolean;
  readonly verbose: boolean;
  readonly [option: string]: unknown;
}

async function runCheck(args: CheckArguments, terminal: Terminal): Promise<number> {
  const options: CheckOptions = {
    protocol: readProtocol(args['protocol']),
    lineLimit: wholeNumber('--l-line', args['l-line'], SMALLEST_LINE_LIMIT),
    seed: wholeNumber('--seed', args['seed'], 0) ?? DEFAULT_SEED,
    strict: args.strict,
  };
  const filter = optionalText('--filter', args['filter']);
  const junitFile = optionalText('--junit', args['junit']);
  const run = new CheckRun(options, args, terminal);
  await run.check(await run.find(typedPaths(args.path), filter));
  if (junitFile !== undefined) await writeFileWhole(junitFile, run.junit.text());
  return run.finish();
}

/** One run over all streams: each is read, checked, shown and forgotten. */
class CheckRun {
  readonly junit = new JUnitReport();
  readonly #summary = new CheckSummary();
  readonly #options: CheckOptions;
  readonly #args: CheckArguments;
  readonly #terminal: Terminal;
  /** Streams not read, by reason. */
  readonly #unsupported = new Map<string, number>();
  #otherFraming = 0;
  #unreadable = 0;
  #limitsShown = 0;

  constructor(options: CheckOptions, args: CheckArguments, terminal: Terminal) {
    this.#options = options;
    this.#args = args;
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
    if (filter === undefined) return targets;
    const chosen = targets.filter(({ path }) => path.includes(filter));
    if (chosen.length === 0 && targets.length > 0) throw new UsageError(`no stream's path contains ${filter}`);
    return chosen;
  }

  async check(targets: readonly Target[]): Promise<void> {
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

  finish(): number {
    const summary = [this.#summary.text()];
    for (const [why, count] of this.#unsupported) summary.push(`not read: ${plural(count, 'stream')}, ${why}\n`);
    if (this.#otherFraming > 0) {
      summary.push(
        `not asked: ${plural(this.#otherFraming, 'stream')} in a framing that ${this.#options.protocol} does not read\n`,
      );
    }
    if (this.#unreadable > 0)
      summary.push(`unreadable: ${plural(this.#unreadable, 'file or folder', 'files or folders')}, see above\n`);
    this.#say(summary.join(''));
    if (this.#unreadable > 0) return EXIT.unreadable;
    if (this.#summary.violated > 0) return EXIT.violations;
    return this.#summary.streams > 0 || this.#unsupported.size === 0 ? EXIT.ok : EXIT.unreadable;
  }

  async #checkOne(target: Target): Promise<void> {
    const unsupported = unsupportedWireFormat(target.recording.wire);
    if (unsupported !== null) {
      this.#unsupported.set(unsupported.detail, (this.#unsupported.get(unsupported.detail) ?? 0) + 1);
      this.junit.addUnread(target.path, unsupported.detail, 'skipped');
      if (target.named) this.#terminal.err(`${visible(target.path)}: ${unsupported.detail}\n`);
      return;
    }
    const protocols = protocolsFor(target, this.#options.protocol);
    if (protocols.length === 0) this.#otherFraming++;
    if (protocols.length === 0) return;
    const bytes = await target.recording.bytes();
    refuseOtherThanSse(target, bytes);
    for (const protocol of protocols) this.#show(checkTarget(target, bytes, protocol, this.#options));
  }

  #show(check: StreamCheck): void {
    this.#summary.add(check);
    this.junit.add(check);
    if (this.#args.json) {
      this.#terminal.out(`${checkJson(check)}\n`);
      return;
    }
    const found = violations(check);
    if (check.target.named || this.#args.verbose) this.#terminal.out(checkLine(check));
    const limits = knownLimits(check).slice(0, Math.max(0, MOST_LIMITS_SHOWN - this.#limitsShown));
    this.#limitsShown += limits.length;
    const shown = distinctViolations([...found, ...limits]);
    for (const violated of shown) {
      this.#terminal.out(`${violationLines(check, violated, programName()).join('\n')}\n\n`);
    }
    if (shown.length > 0) this.#terminal.out(`  check it again: ${checkCommand(check, programName())}\n\n`);
  }

  /** Where the readable view goes; with `--json`, stdout holds JSON lines alone. */
  #say(text: string): void {
    if (this.#args.json) this.#terminal.err(text);
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

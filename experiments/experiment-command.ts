/** What every experiment's command has in common: options, the recordings that it is about, and where its results go. */
import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import yargs from 'yargs';
import { UsageError } from '../harness/cli/run-command.ts';
import { DEFAULT_OPTIONS } from '../harness/parsers/parser.ts';
import { loadSuites } from '../harness/replay/load.ts';
import type { Recording } from '../harness/replay/recording.ts';
import { DEFAULT_SEED } from '../harness/replay/seeded.ts';
import { shippedSuites } from '../harness/replay/shipped.ts';
import { describeDifference } from '../harness/report/difference.ts';
import type { ResultFiles } from '../harness/report/files.ts';
import packageJson from '../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SMALLEST_LINE_LIMIT = 16;

export interface Experiment {
  /** The letter of its command and of its folder under `results/`. */
  readonly letter: 'c' | 'd' | 'e' | 'peers';
  /** One sentence for the help. */
  readonly about: string;
  /** What `--seed` and `--concurrency` are of. */
  readonly seedOf: string;
  readonly concurrencyOf: string;
  /** A `--filter` that makes a good example. */
  readonly filterExample: string;
  readonly exitCodes: string;
}

export interface ExperimentOptions {
  readonly check: boolean;
  readonly recordings: string | undefined;
  readonly out: string | undefined;
  readonly lineLimit: number;
  readonly seed: number;
  readonly filter: string | undefined;
  readonly concurrency: number;
}

/** `null`: help was asked for, and printed. */
export async function parseOptions(experiment: Experiment, argv: readonly string[]): Promise<ExperimentOptions | null> {
  let failure: string | null = null;
  const command = `npm run exp:${experiment.letter} --`;
  const args = await describeOptions(experiment, argv, command)
    .fail((message, error) => {
      failure ??= message ?? error.message;
    })
    .parse();
  if (failure !== null) throw new UsageError(`${failure}\nSee ${command} --help`);
  if ((args as { help?: boolean }).help === true) return null;
  const { check, recordings, out, lLine, seed, filter, concurrency } = args;
  for (const [option, value] of Object.entries({ '--out': out, '--recordings': recordings, '--filter': filter })) {
    if (Array.isArray(value)) throw new UsageError(`${option} is given more than once`);
    if (value === '') throw new UsageError(`${option} needs a value: it is empty`);
  }
  wholeNumber('--l-line', lLine, SMALLEST_LINE_LIMIT);
  wholeNumber('--seed', seed, 0);
  wholeNumber('--concurrency', concurrency, 0);
  return { check, recordings, out, lineLimit: lLine, seed, filter, concurrency };
}

function describeOptions(experiment: Experiment, argv: readonly string[], command: string) {
  const { letter, about, seedOf, concurrencyOf, filterExample, exitCodes } = experiment;
  return yargs([...argv])
    .scriptName(command)
    .usage(`$0 [options]\n\n${about}`)
    .option('check', { type: 'boolean', default: false, describe: 'Write nothing; fail if the results are stale' })
    .option('recordings', {
      type: 'string',
      describe: 'Folder of recordings of your own (with manifests, or bare .sse)',
    })
    .option('out', {
      type: 'string',
      describe: `Folder for tables and charts [results/${letter} for the shipped suites]`,
    })
    .option('l-line', { type: 'number', default: DEFAULT_OPTIONS.lineLimit, describe: 'L_line and so K, in bytes' })
    .option('seed', { type: 'number', default: DEFAULT_SEED, describe: `Seed of ${seedOf}` })
    .option('filter', { type: 'string', describe: 'Only recordings whose suite/file contains this' })
    .option('concurrency', { type: 'number', default: 0, describe: concurrencyOf })
    .example('$0', `All shipped suites into results/${letter}`)
    .example('$0 --check', 'Are the committed results up to date?')
    .example(`$0 --recordings my/streams --out /tmp/${letter}`, 'Your own streams')
    .example(`$0 --filter ${filterExample}`, 'One recording, no files')
    .epilogue(`Exit codes: ${exitCodes}`)
    .strict()
    .version(false)
    .exitProcess(false);
}

function wholeNumber(option: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new UsageError(`${option} takes a whole number from ${least}, not ${value}`);
}

/** What a run is about, and where its files go: `dir` is `null` if it writes none. */
export interface Plan {
  readonly experiment: Experiment;
  readonly options: ExperimentOptions;
  readonly recordings: readonly Recording[];
  /** The shipped suites, all of them. */
  readonly isWhole: boolean;
  readonly dir: string | null;
}

/** Throws {@link UsageError} where there is nothing to run on, or nothing to check against. */
export async function planRun(experiment: Experiment, options: ExperimentOptions): Promise<Plan> {
  const { filter, out, check } = options;
  const isShipped = options.recordings === undefined;
  const all = isShipped ? await shippedSuites(options.seed) : await loadSuites(options.recordings ?? '');
  const recordings = filter === undefined ? all : all.filter(({ suite, file }) => `${suite}/${file}`.includes(filter));
  if (recordings.length === 0) {
    const what = filter === undefined ? 'there are no recordings' : `no recording's suite/file contains ${filter}`;
    throw new UsageError(`${options.recordings ?? 'recordings'}: ${what}`);
  }
  const isWhole = isShipped && filter === undefined;
  const isDefault = isWhole && options.seed === DEFAULT_SEED && options.lineLimit === DEFAULT_OPTIONS.lineLimit;
  const dir = out ?? (isDefault ? join(ROOT, 'results', experiment.letter) : null);
  if (check && dir === null) {
    throw new UsageError('--check compares with committed results: give the folder they are in with --out');
  }
  if (dir !== null && !check) await refuseFileInTheWay(dir);
  return { experiment, options, recordings, isWhole, dir };
}

/** Before minutes of work, not after them: the folder, or the nearest one above it that exists, must be a folder. */
async function refuseFileInTheWay(dir: string): Promise<void> {
  for (let path = resolve(dir); ; path = dirname(path)) {
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory() === true || dirname(path) === path) return;
    if (found !== null) throw new UsageError(`--out ${dir}: ${relative('.', path)} is a file, a folder is wanted`);
  }
}

/** Writes the results, or with `--check` compares them with what is there: what is stale, a sentence each. */
export async function deliver(
  { experiment, options, dir }: Plan,
  makeFiles: () => Promise<ResultFiles>,
  recordings: readonly Recording[],
): Promise<readonly string[]> {
  if (dir === null) {
    process.stdout.write('No files were written: give a folder with --out DIR.\n');
    return [];
  }
  const files = await makeFiles();
  const manifest = {
    experiment: experiment.letter,
    program: `${packageJson.name} ${packageJson.version}`,
    options: { lineLimit: options.lineLimit, seed: options.seed, filter: options.filter ?? null },
    recordings: recordings.map(({ suite, file, sha256, framing, guessed }) => ({
      suite,
      file,
      sha256,
      framing,
      ...(guessed ? { guessed } : {}),
    })),
  };
  if (!options.check) {
    await files.write(dir, manifest);
    process.stdout.write(`Tables and charts are in ${options.out ?? `results/${experiment.letter}`}.\n`);
    return [];
  }
  const differences = await files.check(dir, manifest);
  if (differences.length === 0) process.stdout.write('The results are up to date.\n');
  return differences.map((difference) => `stale: ${describeDifference(difference)}`);
}

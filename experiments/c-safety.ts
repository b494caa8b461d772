/** Experiment C: is what each protocol executes safe at every prefix? `npm run exp:c -- --help` */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import yargs from 'yargs';
import { EXIT } from '../harness/cli/exit-code.ts';
import { startProgress } from '../harness/cli/progress.ts';
import { runCommand, UsageError } from '../harness/cli/run-command.ts';
import { DEFAULT_OPTIONS } from '../harness/parsers/parser.ts';
import { PROTOCOLS } from '../harness/parsers/protocols.ts';
import { loadSuites } from '../harness/replay/load.ts';
import type { Recording } from '../harness/replay/recording.ts';
import { reframedSuite } from '../harness/replay/reframe.ts';
import { addChart } from '../harness/report/chart.ts';
import { describeDifference } from '../harness/report/difference.ts';
import { type ManifestContent, ResultFiles } from '../harness/report/files.ts';
import { csvTable } from '../harness/report/table.ts';
import packageJson from '../package.json' with { type: 'json' };
import { chartsOfC } from './c-charts.ts';
import type { Finding } from './c-recording.ts';
import { ALONG, ERROR_CASES, ERRORS, LAG, MISMATCHES, PENDING, SAFETY, SALVAGE } from './c-rows.ts';
import { type ExperimentRows, runExperiment } from './c-run.ts';
import { errorTable, summaryTable } from './c-summary.ts';
import { passingControls, probeControls } from './control-probes.ts';
import { expectedUnder, readExpectedFindings, vanished } from './expected-findings.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DEFAULT_SEED = 20261202;
const SMALLEST_LINE_LIMIT = 16;
/** Findings that are written out in full before the rest is only counted. */
const MOST_FINDINGS_SHOWN = 20;

interface Options {
  readonly check: boolean;
  readonly recordings: string | undefined;
  readonly out: string | undefined;
  readonly lineLimit: number;
  readonly seed: number;
  readonly filter: string | undefined;
  readonly concurrency: number;
}

async function parseOptions(argv: readonly string[]): Promise<Options | null> {
  let failure: string | null = null;
  const parser = yargs([...argv])
    .scriptName('npm run exp:c --')
    .usage('$0 [options]\n\nChecks S1, S2, S3 and K at every prefix of every recording; writes tables and charts.')
    .option('check', { type: 'boolean', default: false, describe: 'Write nothing; fail if the results are stale' })
    .option('recordings', {
      type: 'string',
      describe: 'Folder of recordings of your own (with manifests, or bare .sse)',
    })
    .option('out', { type: 'string', describe: 'Folder for tables and charts [results/c for the shipped suites]' })
    .option('l-line', { type: 'number', default: DEFAULT_OPTIONS.lineLimit, describe: 'L_line and so K, in bytes' })
    .option('seed', { type: 'number', default: DEFAULT_SEED, describe: 'Seed of partitions and continuations' })
    .option('filter', { type: 'string', describe: 'Only recordings whose suite/file contains this' })
    .option('concurrency', { type: 'number', default: 0, describe: 'Worker threads; 0: one a core, if it pays' })
    .example('$0', 'All shipped suites into results/c')
    .example('$0 --check', 'Are the committed results up to date?')
    .example('$0 --recordings my/streams --out /tmp/c', 'Your own streams')
    .example('$0 --filter crafted/case-02', 'One recording, no files')
    .epilogue('Exit codes: 0 all hold, 1 a violation, a passing control or stale results, 2 usage, 3 unreadable input.')
    .strict()
    .version(false)
    .exitProcess(false)
    .fail((message, error) => {
      failure ??= message ?? error.message;
    });
  const args = await parser.parse();
  if (failure !== null) throw new UsageError(`${failure}\nSee npm run exp:c -- --help`);
  if ((args as { help?: boolean }).help === true) return null;
  const { check, recordings, out, lLine, seed, filter, concurrency } = args;
  wholeNumber('--l-line', lLine, SMALLEST_LINE_LIMIT);
  wholeNumber('--seed', seed, 0);
  wholeNumber('--concurrency', concurrency, 0);
  return { check, recordings, out, lineLimit: lLine, seed, filter, concurrency };
}

function wholeNumber(option: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new UsageError(`${option} takes a whole number from ${least}, not ${value}`);
}

/** What the run is about, and where its files go: `null` if it writes none. */
interface Plan {
  readonly recordings: readonly Recording[];
  readonly isShipped: boolean;
  readonly dir: string | null;
}

async function plan(options: Options): Promise<Plan> {
  const isShipped = options.recordings === undefined;
  const stored = await loadSuites(options.recordings ?? join(ROOT, 'recordings'));
  const replies = stored.filter(({ suite }) => suite === 'replies');
  const all = isShipped ? [...stored, ...(await reframedSuite(replies, String(options.seed)))] : stored;
  const { filter } = options;
  const recordings = filter === undefined ? all : all.filter(({ suite, file }) => `${suite}/${file}`.includes(filter));
  if (recordings.length === 0) {
    const what = filter === undefined ? 'there are no recordings' : `no recording's suite/file contains ${filter}`;
    throw new UsageError(`${options.recordings ?? 'recordings'}: ${what}`);
  }
  const isDefault =
    isShipped &&
    filter === undefined &&
    options.seed === DEFAULT_SEED &&
    options.lineLimit === DEFAULT_OPTIONS.lineLimit;
  return { recordings, isShipped, dir: options.out ?? (isDefault ? join(ROOT, 'results', 'c') : null) };
}

async function main(): Promise<number> {
  const options = await parseOptions(process.argv.slice(2));
  if (options === null) return EXIT.ok;
  const { recordings, isShipped, dir } = await plan(options);
  if (options.check && dir === null) {
    throw new UsageError('--check compares with committed results: give the folder they are in with --out');
  }
  const expected = readExpectedFindings();
  const progress = startProgress('recordings', recordings.length);
  const { lineLimit, seed, concurrency } = options;
  const rows = await runExperiment(recordings, {
    lineLimit,
    seed,
    concurrency,
    expected,
    onProgress: progress.update,
  }).finally(progress.stop);
  process.stdout.write(
    `${summaryTable(rows)}\n${errorTable(rows)}\nseed ${seed}, L_line ${lineLimit}, ${recordings.length} recordings\n`,
  );
  const isWhole = isShipped && options.filter === undefined;
  const problems = [...judge(rows, options, { recordings, isWhole, expected })];
  if (dir !== null) problems.push(...(await deliver(rows, { dir, recordings, options })));
  else process.stdout.write('No files were written: give a folder with --out DIR.\n');
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? EXIT.ok : EXIT.violations;
}

/** Everything for which a run fails, a sentence each. */
function judge(
  rows: ExperimentRows,
  { lineLimit, seed }: Options,
  run: { recordings: readonly Recording[]; isWhole: boolean; expected: ReturnType<typeof readExpectedFindings> },
): readonly string[] {
  const probes = probeControls({ lineLimit, seed });
  const passing = passingControls(probes).map((name) => `control ${name} passes: the checks do not bite`);
  const caught = passing.length === 0 ? 'All controls were caught.' : '';
  const real = rows.findings.filter(isOfProtocol);
  const unlisted = real.filter((finding) => expectedUnder(finding, run.expected) === null);
  const ran = new Set(run.recordings.map(({ suite, file }) => `${suite}/${file}`));
  const gone = vanished(rows.findings, run.expected, { ran, whole: run.isWhole });
  const listed = real.length - unlisted.length;
  process.stdout.write(`${caught} ${listed} expected findings (experiments/expected-findings.json).\n`.trimStart());
  return [...unlistedFindings(unlisted), ...gone.map((what) => `expected finding is gone: ${what}`), ...passing];
}

function isOfProtocol({ parser }: Finding): boolean {
  return PROTOCOLS.some((protocol) => protocol === parser);
}

function unlistedFindings(findings: readonly Finding[]): readonly string[] {
  const shown = findings.slice(0, MOST_FINDINGS_SHOWN).map(describeFinding);
  const left = findings.length - shown.length;
  return left === 0 ? shown : [...shown, `… and ${left} more violations (safety.csv has all)`];
}

function describeFinding({ suite, recording, parser, property, level, prefix, what }: Finding): string {
  return `VIOLATED ${property}: ${suite}/${recording}, ${parser}, ${level} prefix of ${prefix} bytes: ${what}`;
}

/** Writes the files, or compares them with what is there. */
async function deliver(
  rows: ExperimentRows,
  { dir, recordings, options }: { dir: string; recordings: readonly Recording[]; options: Options },
): Promise<readonly string[]> {
  const files = await resultFiles(rows);
  const manifest: ManifestContent = {
    experiment: 'c',
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
    process.stdout.write(`Tables and charts are in ${options.out ?? 'results/c'}.\n`);
    return [];
  }
  const differences = await files.check(dir, manifest);
  if (differences.length === 0) process.stdout.write('The results are up to date.\n');
  return differences.map((difference) => `stale: ${describeDifference(difference)}`);
}

async function resultFiles(rows: ExperimentRows): Promise<ResultFiles> {
  const files = new ResultFiles();
  files.add('safety.csv', csvTable(SAFETY, rows.safety));
  files.add('pending.csv', csvTable(PENDING, rows.pending));
  files.add('errors.csv', csvTable(ERRORS, rows.errors));
  files.add('error-cases.csv', csvTable(ERROR_CASES, rows.errorCases));
  files.add('salvage.csv', csvTable(SALVAGE, rows.salvage));
  files.add('lag.csv', csvTable(LAG, rows.lag));
  files.add('along.csv', csvTable(ALONG, rows.along));
  files.add('mismatches.csv', csvTable(MISMATCHES, rows.mismatches));
  for (const chart of chartsOfC(rows)) await addChart(files, 'charts', chart);
  return files;
}

await runCommand(main);

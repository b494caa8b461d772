/** Experiment C: is what each protocol executes safe at every prefix? `npm run exp:c -- --help` */
import { EXIT } from '../harness/cli/exit-code.ts';
import { startProgress } from '../harness/cli/progress.ts';
import { runCommand } from '../harness/cli/run-command.ts';
import { PROTOCOLS } from '../harness/parsers/protocols.ts';
import { addChart } from '../harness/report/chart.ts';
import { ResultFiles } from '../harness/report/files.ts';
import { csvTable } from '../harness/report/table.ts';
import { chartsOfC } from './c-charts.ts';
import type { Finding } from './c-recording.ts';
import { ALONG, ERROR_CASES, ERRORS, LAG, MISMATCHES, PENDING, SAFETY, SALVAGE } from './c-rows.ts';
import { type ExperimentRows, runExperiment } from './c-run.ts';
import { errorTable, summaryTable } from './c-summary.ts';
import { passingControls, probeControls } from './control-probes.ts';
import { expectedUnder, readExpectedFindings, vanished } from './expected-findings.ts';
import { deliver, type Experiment, type Plan, parseOptions, planRun } from './experiment-command.ts';

const EXPERIMENT_C: Experiment = {
  letter: 'c',
  about: 'Checks S1, S2, S3 and K at every prefix of every recording; writes tables and charts.',
  seedOf: 'partitions and continuations',
  concurrencyOf: 'Worker threads; 0: one a core, if it pays',
  filterExample: 'crafted/case-02',
  exitCodes: '0 all hold, 1 a violation, a passing control or stale results, 2 usage, 3 unreadable input.',
};
/** Findings that are written out in full before the rest is only counted. */
const MOST_FINDINGS_SHOWN = 20;

async function main(): Promise<number> {
  const options = await parseOptions(EXPERIMENT_C, process.argv.slice(2));
  if (options === null) return EXIT.ok;
  const plan = await planRun(EXPERIMENT_C, options);
  const { recordings } = plan;
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
  const problems = [...judge(rows, plan, expected), ...(await deliver(plan, () => resultFiles(rows), recordings))];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? EXIT.ok : EXIT.violations;
}

/** Everything for which a run fails, a sentence each. */
function judge(
  rows: ExperimentRows,
  { options: { lineLimit, seed }, recordings, isWhole }: Plan,
  expected: ReturnType<typeof readExpectedFindings>,
): readonly string[] {
  const probes = probeControls({ lineLimit, seed });
  const passing = passingControls(probes).map((name) => `control ${name} passes: the checks do not bite`);
  const caught = passing.length === 0 ? 'All controls were caught.' : '';
  const real = rows.findings.filter(isOfProtocol);
  const unlisted = real.filter((finding) => expectedUnder(finding, expected) === null);
  const ran = new Set(recordings.map(({ suite, file }) => `${suite}/${file}`));
  const gone = vanished(rows.findings, expected, { ran, whole: isWhole });
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

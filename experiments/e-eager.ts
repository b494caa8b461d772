/** Experiment E: what does eager execution buy, and what would an unsafe trigger have run? `npm run exp:e -- --help` */
import { EXIT } from '../harness/cli/exit-code.ts';
import { startProgress } from '../harness/cli/progress.ts';
import { runCommand } from '../harness/cli/run-command.ts';
import { addChart } from '../harness/report/chart.ts';
import { ResultFiles } from '../harness/report/files.ts';
import { csvTable } from '../harness/report/table.ts';
import { chartsOfE } from './e-charts.ts';
import { CALLS, GAIN, HARM, HARM_CASES, TIMING } from './e-rows.ts';
import { type ExperimentERows, isRun, runEager } from './e-run.ts';
import { eagerSummary } from './e-summary.ts';
import { deliver, type Experiment, parseOptions, planRun } from './experiment-command.ts';

const EXPERIMENT_E: Experiment = {
  letter: 'e',
  about:
    'Runs every answer in virtual time by the rules of each protocol: when does the first call start, when is the last\nresult there? And what would the controls, which run calls too early, have run on the same streams?',
  seedOf: 'paces, tool times and the bootstrap',
  concurrencyOf: 'Recordings in memory at once; 0: a few',
  filterExample: 'reframed/t14',
  exitCodes: '0 done, 1 stale results, 2 usage, 3 unreadable input.',
};

async function main(): Promise<number> {
  const options = await parseOptions(EXPERIMENT_E, process.argv.slice(2));
  if (options === null) return EXIT.ok;
  const plan = await planRun(EXPERIMENT_E, options);
  const run = plan.recordings.filter(isRun);
  const { lineLimit, seed, concurrency } = options;
  const progress = startProgress('recordings', run.length);
  const rows = await runEager(run, { lineLimit, seed, concurrency, onProgress: progress.update }).finally(
    progress.stop,
  );
  process.stdout.write(`${eagerSummary(rows)}\nseed ${seed}, L_line ${lineLimit}, ${run.length} recordings\n`);
  const problems = await deliver(plan, () => resultFiles(rows), run);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? EXIT.ok : EXIT.violations;
}

async function resultFiles(rows: ExperimentERows): Promise<ResultFiles> {
  const files = new ResultFiles();
  files.add('timing.csv', csvTable(TIMING, rows.timing));
  files.add('calls.csv', csvTable(CALLS, rows.calls));
  files.add('gain.csv', csvTable(GAIN, rows.gain));
  files.add('harm.csv', csvTable(HARM, rows.harm));
  files.add('harm-cases.csv', csvTable(HARM_CASES, rows.harmCases));
  for (const chart of chartsOfE(rows)) await addChart(files, 'charts', chart);
  return files;
}

await runCommand(main);

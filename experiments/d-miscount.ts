/** Experiment D: how often is a declared length right, and what does a wrong one do? `npm run exp:d -- --help` */
import { EXIT } from '../harness/cli/exit-code.ts';
import { startProgress } from '../harness/cli/progress.ts';
import { runCommand } from '../harness/cli/run-command.ts';
import { addChart } from '../harness/report/chart.ts';
import { ResultFiles } from '../harness/report/files.ts';
import { csvTable } from '../harness/report/table.ts';
import { chartsOfD } from './d-charts.ts';
import {
  ALTERED,
  COUNTERFACTUAL,
  COVERAGE,
  DIGITS,
  HYPOTHESIS_FITS,
  MISCOUNT,
  REGRESSION,
  SENSITIVITY,
  SEPARATOR,
  SUMMARY,
} from './d-rows.ts';
import { isMeasured, type MiscountRows, runMiscount } from './d-run.ts';
import { nothingMeasured, summaryText } from './d-summary.ts';
import { deliver, type Experiment, parseOptions, planRun } from './experiment-command.ts';

const EXPERIMENT_D: Experiment = {
  letter: 'd',
  about:
    'Compares every length that a ctl answer declares with the length that was meant; writes tables and charts.\nAnswers in other framings declare no lengths, and are passed over.',
  seedOf: 'the bootstrap',
  concurrencyOf: 'Recordings in memory at once; 0: a few',
  filterExample: 'replies/t10.ctl',
  exitCodes: '0 done, 1 stale results, 2 usage, 3 unreadable input.',
};

async function main(): Promise<number> {
  const options = await parseOptions(EXPERIMENT_D, process.argv.slice(2));
  if (options === null) return EXIT.ok;
  const plan = await planRun(EXPERIMENT_D, options);
  const measured = plan.recordings.filter(isMeasured);
  const { lineLimit, seed, concurrency } = options;
  const progress = startProgress('recordings', measured.length);
  const rows = await runMiscount(measured, {
    lineLimit,
    seed,
    concurrency,
    onProgress: progress.update,
  }).finally(progress.stop);
  const summary = measured.length === 0 ? nothingMeasured(plan.recordings) : summaryText(rows);
  const others = plan.recordings.length - measured.length;
  const passed = others === 0 ? '' : `; ${others} in other framings declare no lengths, and were passed over`;
  process.stdout.write(`${summary}seed ${seed}, L_line ${lineLimit}, ${measured.length} ctl recordings${passed}\n`);
  const problems = await deliver(plan, () => resultFiles(rows), measured);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? EXIT.ok : EXIT.violations;
}

async function resultFiles(rows: MiscountRows): Promise<ResultFiles> {
  const files = new ResultFiles();
  files.add('miscount.csv', csvTable(MISCOUNT, rows.miscount));
  files.add('summary.csv', csvTable(SUMMARY, rows.summary));
  files.add('counterfactual.csv', csvTable(COUNTERFACTUAL, rows.counterfactual));
  files.add('altered.csv', csvTable(ALTERED, rows.altered));
  files.add('separator.csv', csvTable(SEPARATOR, rows.separator));
  files.add('hypotheses.csv', csvTable(HYPOTHESIS_FITS, rows.hypotheses));
  files.add('regression.csv', csvTable(REGRESSION, rows.regression));
  files.add('digits.csv', csvTable(DIGITS, rows.digits));
  files.add('sensitivity.csv', csvTable(SENSITIVITY, rows.sensitivity));
  files.add('coverage.csv', csvTable(COVERAGE, rows.coverage));
  for (const chart of chartsOfD(rows)) await addChart(files, 'charts', chart);
  return files;
}

await runCommand(main);

/** The peers: what would run, and when, if it ran as soon as a JSON library's answer allows it? `npm run exp:peers -- --help` */
import { EXIT } from '../harness/cli/exit-code.ts';
import { startProgress } from '../harness/cli/progress.ts';
import { runCommand, UsageError } from '../harness/cli/run-command.ts';
import { addChart } from '../harness/report/chart.ts';
import { ResultFiles } from '../harness/report/files.ts';
import { csvTable } from '../harness/report/table.ts';
import { deliver, type Experiment, parseOptions, planRun } from './experiment-command.ts';
import { chartsOfPeers } from './peers-chart.ts';
import { PEER_CASES, PEERS, type PeerRow } from './peers-rows.ts';
import { runPeers } from './peers-run.ts';
import { peersSummary, summarise } from './peers-summary.ts';

const EXPERIMENT_PEERS: Experiment = {
  letter: 'peers',
  about:
    'Runs JSON libraries that JavaScript programs parse streamed arguments with, as policies of when a call runs, over all\nnative streams, and judges what they would have run.',
  seedOf: 'the reframed suite',
  concurrencyOf: 'Of no effect: one stream after the other',
  filterExample: 'crafted/case-02',
  exitCodes: '0 done, 1 stale results, 2 usage, 3 unreadable input.',
};

async function main(): Promise<number> {
  const options = await parseOptions(EXPERIMENT_PEERS, process.argv.slice(2));
  if (options === null) return EXIT.ok;
  const plan = await planRun(EXPERIMENT_PEERS, options);
  const native = plan.recordings.filter(({ framing }) => framing === 'native');
  if (native.length === 0) throw new UsageError('there is no native stream among these recordings');
  const rows: PeerRow[] = [];
  const progress = startProgress('recordings', native.length);
  try {
    for (const [i, recording] of native.entries()) {
      rows.push(...(await runPeers(recording)));
      progress.update(i + 1);
    }
  } finally {
    progress.stop();
  }
  const summaries = summarise(rows);
  process.stdout.write(`${peersSummary(summaries)}\nseed ${options.seed}, ${native.length} native streams\n`);
  const files = async (): Promise<ResultFiles> => {
    const made = new ResultFiles();
    made.add('peers.csv', csvTable(PEERS, summaries));
    const told = rows.filter(({ firstPrefix, lost, threw }) => firstPrefix !== null || lost > 0 || threw !== null);
    made.add('cases.csv', csvTable(PEER_CASES, told));
    for (const chart of chartsOfPeers(summaries)) await addChart(made, 'charts', chart);
    return made;
  };
  const problems = await deliver(plan, files, native);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? EXIT.ok : EXIT.violations;
}

await runCommand(main);

/**
 * One task of experiment E in real time: the agent's loop against `cst serve` over HTTP, recordings at their pace, tools
 * that sleep. What comes out depends on the machine, so it is no result, and no test: it says how far the virtual times
 * are from a run that really waits. `npm run exp:e:real -- --help`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import yargs from 'yargs';
import { runAgent } from '../harness/agent/loop.ts';
import { completionsUrl, ModelClient } from '../harness/agent/model-client.ts';
import { AGENT_PROTOCOLS, type AgentProtocol, PROTOCOL_RULES, systemPrompt } from '../harness/agent/protocol.ts';
import { nativeTools, toolsPrompt } from '../harness/agent/tools/registry.ts';
import { Transcript } from '../harness/agent/transcript.ts';
import { EXIT } from '../harness/cli/exit-code.ts';
import { InputError, runCommand, UsageError } from '../harness/cli/run-command.ts';
import type { Recording } from '../harness/replay/recording.ts';
import { DEFAULT_SEED } from '../harness/replay/seeded.ts';
import { shippedSuites } from '../harness/replay/shipped.ts';
import { startServer } from '../harness/serve/server.ts';
import { timeRecording } from './e-recording.ts';
import type { TimingRow } from './e-rows.ts';
import { toolTime } from './e-tools.ts';

const COMMAND = 'npm run exp:e:real --';
const TOOLS = '2 s each';
/** A real time may be this share, and this many ms, beside the virtual one: timers, HTTP and a busy machine. */
const TOLERANCE = { share: 0.05, ms: 250 };

interface RealRun {
  readonly firstExecution: number;
  readonly lastResult: number;
}

async function main(): Promise<number> {
  const name = await taskOf(process.argv.slice(2));
  if (name === null) return EXIT.ok;
  const [suite, task] = [name.slice(0, name.indexOf('/')), name.slice(name.indexOf('/') + 1)];
  const all = await shippedSuites(DEFAULT_SEED);
  const recordings = all.filter((recording) => recording.suite === suite && recording.task === task);
  if (recordings.length === 0) throw new UsageError(`${name}: there is no such task; take reframed/t14`);
  process.stdout.write('protocol      first call (ms): virtual    real   last result (ms): virtual    real\n');
  const rows = await Promise.all(AGENT_PROTOCOLS.map((protocol) => compare(protocol, recordings)));
  const within = rows.flat();
  process.stdout.write(`${within.filter(Boolean).length} of ${within.length} times within 5 % and 250 ms\n`);
  return within.every(Boolean) ? EXIT.ok : EXIT.violations;
}

async function taskOf(argv: readonly string[]): Promise<string | null> {
  let failure: string | null = null;
  const args = await yargs([...argv])
    .scriptName(COMMAND)
    .usage('$0 [SUITE/TASK]\n\nRuns one task in real time under all five protocols at once, tools of two seconds.')
    .example('$0 reframed/t02', 'A short one')
    .epilogue('Exit codes: 0 as in virtual time, 1 a time is farther off than 5 % and 250 ms, 2 usage.')
    .version(false)
    .strictOptions()
    .exitProcess(false)
    .fail((message, error) => {
      failure ??= message ?? error.message;
    })
    .parse();
  if (failure !== null) throw new UsageError(`${failure}\nSee ${COMMAND} --help`);
  return (args as { help?: boolean }).help === true ? null : String(args._[0] ?? 'reframed/t14');
}

/** Whether each of the two times is within the tolerance; prints both. */
async function compare(protocol: AgentProtocol, recordings: readonly Recording[]): Promise<readonly boolean[]> {
  const recording = recordings.find(({ framing }) => framing === PROTOCOL_RULES[protocol].framing);
  if (recording === undefined) throw new InputError(`there is no recording of this task for ${protocol}`);
  const { timing } = await timeRecording(recording, { lineLimit: 4096, seed: DEFAULT_SEED });
  const row = timing.find((candidate) => candidate.protocol === protocol && candidate.tools === TOOLS);
  if (row?.firstExecution == null || row.lastResult === null) {
    throw new InputError(`${recording.suite}/${recording.file} runs no call as ${protocol}: take another task`);
  }
  const real = await runForReal(protocol, recording);
  const cells = [row.firstExecution, real.firstExecution, row.lastResult, real.lastResult];
  const [first, firstReal, last, lastReal] = cells.map((ms) => Math.round(ms).toString());
  process.stdout.write(
    `${protocol.padEnd(11)} ${first!.padStart(26)} ${firstReal!.padStart(7)} ${last!.padStart(26)} ${lastReal!.padStart(7)}\n`,
  );
  return withinTolerance(row, real);
}

function withinTolerance({ firstExecution, lastResult }: TimingRow, real: RealRun): readonly boolean[] {
  const isNear = (virtual: number, ms: number): boolean =>
    Math.abs(ms - virtual) <= Math.max(TOLERANCE.ms, virtual * TOLERANCE.share);
  return [isNear(firstExecution!, real.firstExecution), isNear(lastResult!, real.lastResult)];
}

/** One answer, read by the agent as it comes from a server of its own. */
async function runForReal(protocol: AgentProtocol, recording: Recording): Promise<RealRun> {
  const server = await startServer({ recordings: [recording], speed: 1 });
  const model = new ModelClient({
    url: completionsUrl(server.url) as URL,
    model: `${recording.suite}/${recording.file}`,
    retries: 0,
  });
  let start = 0;
  let first: number | null = null;
  let last: number | null = null;
  const options = {
    protocol,
    system: systemPrompt(protocol, toolsPrompt()),
    tools: nativeTools(),
    maxTurns: 1,
    retries: 0,
  };
  try {
    const transcript = new Transcript({ append: async () => undefined }, [{ type: 'user', text: 'Do it.' }]);
    start = performance.now();
    await runAgent(
      { ...options, signal: new AbortController().signal },
      {
        model,
        transcript,
        emit: () => undefined,
        execute: async (call) => {
          first ??= performance.now();
          await sleep(toolTime(TOOLS, call, ''));
          last = performance.now();
          return { type: 'result', exit: 0, output: '' };
        },
      },
    );
  } finally {
    await model.close();
    await server.close();
  }
  if (first === null || last === null) throw new InputError(`${recording.file} ran no call as ${protocol}`);
  return { firstExecution: first - start, lastResult: last - start };
}

await runCommand(main);

/** `cst record`: asks a model server and stores its streams as they come. */
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { Agent } from 'undici';
import type { Argv } from 'yargs';
import { MOST_HEADERS } from '../record/answer-head.ts';
import { RECORD_CLOCK } from '../record/clock.ts';
import { requestHeaders } from '../record/endpoint.ts';
import { namedError } from '../record/named-error.ts';
import { type Job, type Plan, planJobs } from '../record/plan.ts';
import { type Outcome, type RecordObserver, record } from '../record/recorder.ts';
import { clearRequest, type SecretRules } from '../record/secret-check.ts';
import { Sender } from '../record/sender.ts';
import { makeFolder } from '../replay/make-folder.ts';
import { RecordingError } from '../replay/recording-error.ts';
import { readSuite, SuiteWriter } from '../replay/suite-writer.ts';
import type { Choose } from './command.ts';
import { EXIT } from './exit-code.ts';
import { plural, visible } from './glyphs.ts';
import { Interrupt } from './interrupt.ts';
import { startProgress } from './progress.ts';
import { RECORD_OPTIONS, type RecordArguments, type RecordSettings, readRecordSettings } from './record-options.ts';
import { outcomeLine, planLine, problemLines, retryLine, summaryLine } from './record-view.ts';
import type { Terminal } from './terminal.ts';

export function addRecord(program: Argv, choose: Choose): Argv {
  return program.command(
    'record',
    'Ask a model server and store its streams as they come',
    (command) =>
      command
        .usage(
          '$0 record --base-url URL --model M --protocol P --tasks FILE --out DIR --suite NAME\n\nAsks every task under every protocol and model, and stores the exact bytes of each answer with their arrival times. A run that was interrupted is continued by the same command. The key comes from the environment and is stored nowhere.',
        )
        .options(RECORD_OPTIONS)
        .example(
          '$0 record --base-url http://127.0.0.1:8080 --model m --protocol ctl --tasks tasks.json --out my --suite local',
          'A server on this machine',
        )
        .example('$0 record … --protocol native --protocol xml --runs 3 --concurrency 4', 'Several answers each')
        .example('$0 record … --wire anthropic --base-url https://api.anthropic.com', 'The key: ANTHROPIC_API_KEY')
        .epilogue(
          'Exit codes: 0 everything that was asked is stored, 1 some of it is not, 2 wrong option or value, 3 input or suite that cannot be read, 130 interrupted.',
        ),
    (args) => choose((terminal) => runRecord(args as unknown as RecordArguments, terminal)),
  );
}

async function runRecord(args: RecordArguments, terminal: Terminal): Promise<number> {
  const settings = await readRecordSettings(args, process.env);
  const secrets: SecretRules = { known: settings.key === undefined ? [] : [settings.key], redact: args.redact };
  if (args['dry-run']) {
    const plan = planOf(settings, (await readSuite(settings.out, settings.suite))?.recordings ?? [], secrets);
    for (const job of plan.todo.slice(0, settings.limit)) terminal.out(planLine(job));
    terminal.out(`${plural(plan.todo.length, 'answer')} to record, ${plan.done.length} there already\n`);
    return EXIT.ok;
  }
  // Until all is written and the suite is free again: a signal in the last moment leaves nothing half-done.
  const interrupt = new Interrupt();
  // One for each request.
  setMaxListeners(0, interrupt.signal);
  try {
    return await recordInto(settings, { secrets, signal: interrupt.signal }, terminal);
  } finally {
    interrupt.release();
  }
}

async function recordInto(
  settings: RecordSettings,
  { secrets, signal }: { readonly secrets: SecretRules; readonly signal: AbortSignal },
  terminal: Terminal,
): Promise<number> {
  const folder = join(settings.out, settings.suite);
  await makeFolder(folder);
  const writer = await SuiteWriter.open(settings.out, { suite: settings.suite, about: settings.about });
  try {
    const plan = planOf(settings, writer.recordings, secrets);
    return await recordPlan(plan, { settings, secrets, writer, signal }, terminal);
  } catch (error) {
    throw namedError(error, folder);
  } finally {
    await writer.close();
  }
}

function planOf(settings: RecordSettings, held: SuiteWriter['recordings'], secrets: SecretRules): Plan {
  const { wire, systems, fields, seed } = settings;
  const options = { ...settings, settings: { wire, systems, fields, ...(seed !== undefined && { seed }) } };
  return planJobs(options, held, (job) => {
    const cleared = clearRequest(job.request, secrets);
    if ('value' in cleared) return cleared.value;
    const advice = 'Nothing was sent. Take it out of tasks, system message and parameters, or give --redact';
    throw new RecordingError({ file: job.file, what: cleared.problem, advice });
  });
}

interface Recorder {
  readonly settings: RecordSettings;
  readonly secrets: SecretRules;
  readonly writer: SuiteWriter;
  readonly signal: AbortSignal;
}

async function recordPlan(plan: Plan, recorder: Recorder, terminal: Terminal): Promise<number> {
  const { url, wire, key, idleLimit, retries, concurrency, limit } = recorder.settings;
  const jobs = plan.todo.slice(0, limit);
  if (plan.done.length > 0) terminal.out(`${plural(plan.done.length, 'answer')} in the suite already: skipped\n`);
  const { signal } = recorder;
  const dispatcher = new Agent({ maxHeaderSize: MOST_HEADERS });
  const view = startView(jobs.length, terminal);
  const headers = requestHeaders(wire, key);
  const { known } = recorder.secrets;
  const sender = new Sender({ url, headers, wire, known, dispatcher, signal, idleLimit, retries, clock: RECORD_CLOCK });
  try {
    const options = { ...recorder, sender, concurrency, observer: view.observer };
    const outcomes = await record(jobs, options);
    view.stop();
    return report({ jobs, outcomes, left: plan.todo.length - jobs.length }, recorder, terminal);
  } finally {
    view.stop();
    await dispatcher.destroy();
  }
}

/** A bar on a terminal, else a line for each answer. */
function startView(total: number, terminal: Terminal): { readonly observer: RecordObserver; stop(): void } {
  if (process.stderr.isTTY === true) {
    const bar = startProgress('answers', total);
    let ended = 0;
    return { observer: { ended: () => bar.update(++ended) }, stop: () => bar.stop() };
  }
  const observer: RecordObserver = {
    retry: (job, retry) => terminal.err(retryLine(job, retry)),
    ended: (job, outcome) => terminal.out(outcomeLine(job, outcome)),
  };
  return { observer, stop: () => {} };
}

interface Ended {
  readonly jobs: readonly Job[];
  readonly outcomes: readonly Outcome[];
  /** Not asked because of `--limit`. */
  readonly left: number;
}

function report({ jobs, outcomes, left }: Ended, { settings, signal }: Recorder, terminal: Terminal): number {
  for (const line of problemLines(jobs, outcomes)) terminal.err(line);
  terminal.out(`${visible(`${settings.out}/${settings.suite}`)}: ${summaryLine(outcomes, left)}`);
  // A signal that came when the last answer was stored has interrupted nothing.
  if (signal.aborted && outcomes.some(({ kind }) => kind === 'left')) return EXIT.cancelled;
  return outcomes.every(({ kind }) => kind === 'stored') ? EXIT.ok : EXIT.violations;
}

/** `cst agent`: a coding agent under any of the five protocols. */
import { existsSync } from 'node:fs';
import type { Argv } from 'yargs';
import type { AgentEvent, AgentOutcome } from '../agent/agent-event.ts';
import { KeyMask } from '../agent/key-mask.ts';
import { type AgentDependencies, runAgent } from '../agent/loop.ts';
import { completionsUrl, ModelClient } from '../agent/model-client.ts';
import { Permission } from '../agent/permission.ts';
import { projectRoot } from '../agent/project-path.ts';
import { systemPrompt } from '../agent/protocol.ts';
import { SessionError } from '../agent/session-error.ts';
import { SessionFile } from '../agent/session-file.ts';
import { SESSION_VERSION } from '../agent/session-record.ts';
import { toolExecutor } from '../agent/tool-executor.ts';
import { nativeTools, toolsPrompt } from '../agent/tools/registry.ts';
import { shellEnvironment } from '../agent/tools/shell-environment.ts';
import { NO_LOG, Transcript } from '../agent/transcript.ts';
import { AgentControls, processSignals } from './agent-keys.ts';
import { AGENT_OPTIONS, type AgentArguments, type AgentSettings, readSettings } from './agent-options.ts';
import { replayTask, startReplay } from './agent-replay.ts';
import { AgentView, questionText } from './agent-view.ts';
import type { Choose } from './command.ts';
import { EXIT } from './exit-code.ts';
import { InputError, UsageError } from './run-command.ts';
import { type Terminal, whenOutputCloses } from './terminal.ts';

const ABOUT =
  'Lets a model work on a task in a project folder, with the tools list_dir, read_file, write_file, apply_patch and shell. A call runs when the protocol says that it is final, and never before. The key of the model comes from CST_API_KEY or OPENAI_API_KEY. Esc or Ctrl-C cancels; docs/agent.md has the rest.';
const EXIT_CODES =
  'Exit codes: 0 the model has finished, 1 it has not (too many bad answers or turns, no answer), 2 wrong option or value, 3 input that cannot be read, 130 cancelled.';

export function addAgent(program: Argv, choose: Choose): Argv {
  return program.command(
    'agent [task..]',
    'A coding agent under any of the five protocols',
    (command) =>
      command
        .usage(`$0 agent [TASK]\n\n${ABOUT}`)
        .positional('task', { type: 'string', array: true, describe: 'What is to be done' })
        .options(AGENT_OPTIONS)
        .example('$0 agent --replay replies/t14 --cwd scratch --permission allow', 'No model: a recording answers')
        .example('$0 agent "Add a test" --base-url http://127.0.0.1:8080 --model qwen', 'A server on this machine')
        .example('$0 agent "Add a test" … --session s.jsonl', 'Keep the session')
        .example('$0 agent … --session s.jsonl --resume', 'Go on after a crash, a cancel or an end')
        .epilogue(EXIT_CODES),
    (args) => choose((terminal) => runAgentCommand(args as unknown as AgentArguments, terminal)),
  );
}

async function runAgentCommand(args: AgentArguments, terminal: Terminal): Promise<number> {
  const isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const settings = readSettings(args, { variables: process.env, isInteractive });
  try {
    return await withModel(settings, (model) => run(settings, model, terminal));
  } catch (error) {
    if (error instanceof SessionError) throw new InputError(error.message);
    throw error;
  }
}

/** The model where the settings say, or a replay that is served here. */
async function withModel(settings: AgentSettings, use: (model: ModelClient) => Promise<number>): Promise<number> {
  const { replay, url, model, retries, key, idleLimit } = settings;
  const server = url === null && replay !== null ? await startReplay(replay) : null;
  const target = url ?? (completionsUrl(server?.url ?? '') as URL);
  // A replay served here has no use for a key.
  const client = new ModelClient({ url: target, model, key: server === null ? key : undefined, retries, idleLimit });
  try {
    return await use(client);
  } finally {
    await client.close();
    await server?.close();
  }
}

async function run(settings: AgentSettings, model: ModelClient, terminal: Terminal): Promise<number> {
  const found = await projectRoot(settings.cwd);
  if ('problem' in found) throw new InputError(found.problem);
  const view = new AgentView(terminal);
  const mask = new KeyMask(settings.keys);
  const emit = (event: AgentEvent): void => {
    const shown = mask.value(event);
    if (settings.json) terminal.out(`${JSON.stringify(shown)}\n`);
    else view.show(shown);
  };
  // Before the session: a signal must find it closed, or in order.
  const controls = new AgentControls({
    input: process.stdin,
    signals: processSignals(),
    show: (text) => view.showQuestion(text),
    question: questionText,
  });
  whenOutputCloses(() => controls.cancel());
  let close = async (): Promise<void> => undefined;
  try {
    const opened = await openTranscript(settings, emit);
    const { transcript } = opened;
    close = opened.close;
    const execute = executorOf(settings, found.root, controls);
    const outcome = await runAgent(agentOptions(settings, controls.signal), { model, transcript, execute, emit });
    return exitCodeOf(outcome);
  } finally {
    controls.release();
    await close();
  }
}

function agentOptions({ protocol, maxTurns, retries }: AgentSettings, signal: AbortSignal) {
  const system = systemPrompt(protocol, toolsPrompt());
  return { protocol, system, tools: nativeTools(), maxTurns, retries, signal };
}

function executorOf(settings: AgentSettings, root: string, controls: AgentControls): AgentDependencies['execute'] {
  const { permission, keys, passedOn, timeLimit, outputCap } = settings;
  const environment = shellEnvironment(process.env, { allow: passedOn, secrets: keys });
  return toolExecutor({
    permission: new Permission(permission, controls.ask),
    context: { root, timeLimit, outputCap, environment },
    mask: new KeyMask(keys),
  });
}

interface OpenTranscript {
  readonly transcript: Transcript;
  close(): Promise<void>;
}

async function openTranscript(settings: AgentSettings, emit: (event: AgentEvent) => void): Promise<OpenTranscript> {
  const { session, resume } = settings;
  const mask = new KeyMask(settings.keys);
  if (session !== null && resume) return resumeTranscript(settings, session, emit);
  const task = settings.task ?? (await taskOfReplay(settings));
  if (task === null) throw new UsageError('a task is missing: say what is to be done');
  if (session === null) return begin(new Transcript(NO_LOG, [], mask), task, async () => undefined);
  if (existsSync(session)) {
    throw new UsageError(`${session}: there is such a file already; go on with it by --resume, or name another`);
  }
  const { protocol, model } = settings;
  const file = await SessionFile.create(session, { type: 'session', version: SESSION_VERSION, protocol, model });
  return begin(new Transcript(file, [], mask), task, () => file.close());
}

async function begin(transcript: Transcript, task: string, close: () => Promise<void>): Promise<OpenTranscript> {
  await transcript.append({ type: 'user', text: task });
  return { transcript, close };
}

async function resumeTranscript(
  settings: AgentSettings,
  session: string,
  emit: (event: AgentEvent) => void,
): Promise<OpenTranscript> {
  const { file, header, records, torn } = await SessionFile.resume(session);
  try {
    checkHeader(settings, header, session);
    const transcript = new Transcript(file, records, new KeyMask(settings.keys));
    const unknown = await transcript.closeInterrupted();
    const ids = (unknown ?? []).map(({ id }) => id);
    emit({ type: 'resumed', records: records.length, torn, interrupted: unknown !== null, unknown: ids });
    const task = settings.task ?? (records.length === 0 ? await taskOfReplay(settings) : null);
    if (task !== null) await transcript.append({ type: 'user', text: task });
    else if (transcript.isFinished) throw new UsageError(`${session}: is finished; give a task to go on with`);
    return { transcript, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** What an answer means depends on the protocol, and a session is of one model. */
function checkHeader(
  { protocol, model }: AgentSettings,
  header: { readonly protocol: string; readonly model: string },
  session: string,
): void {
  const differs = (['protocol', 'model'] as const).find((field) => ({ protocol, model })[field] !== header[field]);
  if (differs === undefined) return;
  const given = { protocol, model }[differs];
  throw new UsageError(
    `${session}: is a session with ${differs} ${header[differs]}, not ${given}; resume it as it was`,
  );
}

async function taskOfReplay({ replay }: AgentSettings): Promise<string | null> {
  return replay === null ? null : ((await replayTask(replay)) ?? `(The task of ${replay.name} is not recorded.)`);
}

function exitCodeOf(outcome: AgentOutcome): number {
  if (outcome.type === 'finished') return EXIT.ok;
  return outcome.type === 'cancelled' ? EXIT.cancelled : EXIT.violations;
}

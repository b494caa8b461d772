/** `cst agent`: a coding agent under any of the five protocols. */
import type { Argv } from 'yargs';
import type { AgentEvent, AgentOutcome } from '../agent/agent-event.ts';
import { KeyMask } from '../agent/key-mask.ts';
import { type CallExecutor, runAgent } from '../agent/loop.ts';
import { maskedEvents } from '../agent/masked-events.ts';
import { completionsUrl, ModelClient } from '../agent/model-client.ts';
import { Permission } from '../agent/permission.ts';
import { projectRoot } from '../agent/project-path.ts';
import { systemPrompt } from '../agent/protocol.ts';
import { SessionError } from '../agent/session-error.ts';
import { toolExecutor } from '../agent/tool-executor.ts';
import { nativeTools, toolsPrompt } from '../agent/tools/registry.ts';
import { shellEnvironment } from '../agent/tools/shell-environment.ts';
import type { Transcript } from '../agent/transcript.ts';
import { AgentControls, processSignals } from './agent-keys.ts';
import { AGENT_OPTIONS, type AgentArguments, type AgentSettings, readSettings } from './agent-options.ts';
import { startReplay } from './agent-replay.ts';
import { openSession } from './agent-session.ts';
import { AgentView, questionText } from './agent-view.ts';
import type { Choose } from './command.ts';
import { EXIT } from './exit-code.ts';
import { InputError } from './run-command.ts';
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
  return withModel(settings, (model) => run(settings, model, terminal));
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
  const emit = maskedEvents(mask, (event) => {
    if (!settings.json) return view.show(event);
    terminal.out(`${JSON.stringify(event)}\n`);
    if (event.type === 'done' && event.outcome.type === 'session-failed') terminal.err(`${event.outcome.problem}\n`);
  });
  // Before the session: a signal must find it closed, or in order.
  const controls = new AgentControls({
    input: process.stdin,
    signals: processSignals(),
    show: (text) => view.showQuestion(text),
    question: questionText,
  });
  whenOutputCloses(() => controls.cancel());
  const release = whenStderrCloses(() => controls.cancel());
  try {
    const { signal } = controls;
    const open = { settings, root: found.root, emit, controls, mask };
    const outcome = await inSession(open, (transcript, execute) =>
      runAgent(agentOptions(settings, signal), { model, transcript, execute, emit }),
    );
    return exitCodeOf(outcome);
  } finally {
    // Behind the session: a signal must not end the process before that is closed.
    controls.release();
    await release();
  }
}

/** As {@link whenOutputCloses}, for the other stream: both may go into one pipe. Returns what ends it. */
function whenStderrCloses(action: () => void): () => Promise<void> {
  const { stderr } = process;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    action();
  };
  stderr.on('error', onError);
  return async () => {
    // What was written last may fail yet.
    await new Promise((resolve) => stderr.write('', resolve));
    stderr.off('error', onError);
  };
}

interface Run {
  readonly settings: AgentSettings;
  /** Real path of the project folder. */
  readonly root: string;
  readonly emit: (event: AgentEvent) => void;
  readonly controls: AgentControls;
  readonly mask: KeyMask;
}

/** Opens the session, runs, and closes it. A session that cannot be read or written is an outcome, and told as one. */
async function inSession(
  run: Run,
  use: (transcript: Transcript, execute: CallExecutor) => Promise<AgentOutcome>,
): Promise<AgentOutcome> {
  const { settings, emit } = run;
  try {
    const { transcript, file, close } = await openSession(settings, run);
    try {
      return await use(transcript, executorOf(run, file));
    } finally {
      await close();
    }
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    const outcome = { type: 'session-failed', problem: error.message } as const;
    emit({ type: 'done', outcome });
    return outcome;
  }
}

function agentOptions({ protocol, maxTurns, retries }: AgentSettings, signal: AbortSignal) {
  const system = systemPrompt(protocol, toolsPrompt());
  return { protocol, system, tools: nativeTools(), maxTurns, retries, signal };
}

function executorOf({ settings, root, controls, mask }: Run, session: string | undefined): CallExecutor {
  const { permission, keys, passedOn, timeLimit, outputCap } = settings;
  const environment = shellEnvironment(process.env, { allow: passedOn, secrets: keys });
  return toolExecutor({
    permission: new Permission(permission, controls.ask),
    context: { root, session, timeLimit, outputCap, environment },
    mask,
    whole: controls.whole,
  });
}

function exitCodeOf(outcome: AgentOutcome): number {
  if (outcome.type === 'finished') return EXIT.ok;
  if (outcome.type === 'session-failed') return EXIT.unreadable;
  return outcome.type === 'cancelled' ? EXIT.cancelled : EXIT.violations;
}

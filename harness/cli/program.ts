/** The `cst` command: its help, and from a command line to an exit code. */
import { readFileSync } from 'node:fs';
import yargs from 'yargs';
import { addAgent } from './agent-command.ts';
import { addCheck } from './check-command.ts';
import { EXIT } from './exit-code.ts';
import { addImport } from './import-command.ts';
import { addParse } from './parse-command.ts';
import { addPatch } from './patch-command.ts';
import { addProxy } from './proxy-command.ts';
import { addRecord } from './record-command.ts';
import { failureOf } from './run-command.ts';
import { addServe } from './serve-command.ts';
import { STDIN, STDIN_STAND_IN } from './source.ts';
import type { Terminal } from './terminal.ts';
import { addTimeline } from './timeline-command.ts';
import { addVerify } from './verify-command.ts';

const WIDEST_HELP = 110;

/** Runs one command line. Everything a user can do wrong ends in a message on `terminal.err` and an exit code. */
export async function runCst(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const chosen = await choose(argv.length === 0 ? ['--help'] : argv, terminal);
    return typeof chosen === 'number' ? chosen : await chosen(terminal);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    terminal.err(`${failure.message}\n`);
    return failure.exitCode;
  }
}

/** Read and not imported: Node 20 warns of a JSON module. The file lies two folders up in the sources and in the package. */
function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

type Run = (terminal: Terminal) => Promise<number>;

async function choose(argv: readonly string[], terminal: Terminal): Promise<Run | number> {
  const chosen: Run[] = [];
  const standIns = argv.map((arg) => (arg === STDIN ? STDIN_STAND_IN : arg));
  const program = yargs()
    .scriptName('cst')
    .usage('$0 <command>\n\nWhen is a streamed tool call safe to execute?')
    .locale('en')
    .version(packageVersion())
    .wrap(Math.min(WIDEST_HELP, terminal.columns))
    .parserConfiguration({ 'parse-positional-numbers': false, 'dot-notation': false })
    .strict()
    .epilogue('cst <command> --help has the options, examples and exit codes of each.')
    .example('$0 parse answer.sse', 'Which calls did this stream make executable?')
    .example('$0 check recordings', 'Is it safe at every prefix?');
  for (const add of [
    addParse,
    addCheck,
    addTimeline,
    addVerify,
    addPatch,
    addServe,
    addAgent,
    addRecord,
    addProxy,
    addImport,
  ])
    add(program, (run) => chosen.push(run));
  program.demandCommand(1);
  let answer: number | null = null;
  await program.parseAsync(standIns, {}, (error: Error | undefined, args: { _?: unknown[] }, output: string) => {
    answer = helpOrMistake(error, output, { argv, terminal, command: args._?.[0] });
  });
  return answer ?? chosen[0] ?? EXIT.usage;
}

/** Prints help, version or the mistake; null if the line was understood. */
function helpOrMistake(
  error: Error | null | undefined,
  output: string,
  { argv, terminal, command }: { argv: readonly string[]; terminal: Terminal; command: unknown },
): number | null {
  if (error) {
    const known = typeof command === 'string' && COMMANDS.includes(command);
    const first = argv.find((arg) => !arg.startsWith('-'));
    const isUnknownCommand = !known && first !== undefined && !COMMANDS.includes(first);
    const message = isUnknownCommand
      ? `unknown command ${first}; there are ${COMMANDS.join(', ')}`
      : mistake(error.message);
    const help = !isUnknownCommand && first !== undefined ? `cst ${first} --help` : 'cst --help';
    terminal.err(`${message}\nSee ${help}\n`);
    return EXIT.usage;
  }
  if (output === '') return null;
  terminal.out(`${output.replaceAll(' [default: []]', '')}\n`);
  return EXIT.ok;
}

const COMMANDS: readonly string[] = [
  'parse',
  'check',
  'timeline',
  'verify',
  'patch',
  'serve',
  'agent',
  'record',
  'proxy',
  'import',
];

/** yargs' sentence, in this program's tone. */
function mistake(message: string): string {
  if (message.startsWith('Not enough non-option arguments')) return 'a file is missing';
  return message
    .replace(/^Unknown arguments?: /, 'unknown option or argument: ')
    .replace(/^Not enough arguments following: /, 'a value is missing after --')
    .split('\n')[0]!;
}

/**
 * The task files of the suite `local`, in the form that `cst record` reads: one file for each way of asking. The
 * examples that a model is shown are written by the code that writes the suite `reframed`, so their lengths are right.
 */
import { nativeTools } from '../../harness/agent/tools/registry.ts';
import type { JsonObject } from '../../harness/parsers/parser.ts';
import {
  type MeantCall,
  writeCtl,
  writeCtlHeredoc,
  writeJsonArguments,
  writeXml,
} from '../../harness/replay/frames.ts';

export interface LocalTask {
  /** Names the files of its recordings. */
  readonly task: string;
  /** The tool of its first call. */
  readonly tool: string;
  readonly user: string;
}

/** An example that precedes the task in the conversation. */
export interface Shot {
  readonly user: string;
  readonly calls: readonly { readonly name: string; readonly args: { readonly [key: string]: string } }[];
}

export interface Material {
  readonly tasks: readonly LocalTask[];
  readonly shots: readonly Shot[];
  /** A grammar in GBNF, for `ctl`. */
  readonly grammar: string;
}

/** How the tasks are put: `<protocol>`, or `<protocol>-<variant>`, whose tasks carry the variant in their names. */
export const WAYS = ['ctl', 'ctl-grammar', 'ctl-heredoc', 'xml', 'native', 'native-text', 'hermes'] as const;
export type Way = (typeof WAYS)[number];

/** A patch is beyond a model of this size. */
const TOOLS = nativeTools().filter((tool) => tool.function.name !== 'apply_patch');

const JSON_PAGE = [
  'You act only through the tools read_file(path), list_dir(path), write_file(path, content) and shell(command).',
  'Answer with JSON alone: {"name": "tool_name", "arguments": {"key": "value"}}, ' +
    'or an array of such objects for several calls.',
  '',
].join('\n');

/** JSON Lines: one task a line, with the examples before it. */
export function taskFile(way: Way, { tasks, shots, grammar }: Material): string {
  const { suffix, system, answer, body } = asking(way, grammar);
  const before = [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    ...shots.flatMap((shot) => [
      { role: 'user', content: shot.user },
      { role: 'assistant', content: answer(meantCalls(shot)) },
    ]),
  ];
  const lines = tasks.map((task) => ({
    task: `${task.task}${suffix}`,
    messages: [...before, { role: 'user', content: task.user }],
    tools: TOOLS,
    ...(body !== undefined && { body: body(task) }),
  }));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The calls of an example; ids as the prompts ask for them. */
export function meantCalls({ calls }: Shot): readonly MeantCall[] {
  return calls.map(({ name, args }, at) => ({ id: `c${at + 1}`, name, args: Object.entries(args) }));
}

interface Asking {
  /** Of the task's name. */
  readonly suffix: string;
  /** Instead of the recorder's own. */
  readonly system?: string;
  /** An example's answer. */
  readonly answer: (calls: readonly MeantCall[]) => string;
  /** Further fields of the request. */
  readonly body?: (task: LocalTask) => JsonObject;
}

function asking(way: Way, grammar: string): Asking {
  switch (way) {
    case 'ctl':
      return { suffix: '', answer: writeCtl };
    case 'ctl-grammar':
      return { suffix: '-grammar', answer: writeCtl, body: () => ({ grammar }) };
    case 'ctl-heredoc':
      return { suffix: '', answer: writeCtlHeredoc };
    case 'xml':
      return { suffix: '', answer: writeXml };
    case 'native':
      return { suffix: '', answer: firstArguments, body: forced };
    case 'native-text':
      return { suffix: '-text', system: JSON_PAGE, answer: jsonText };
    case 'hermes':
      return { suffix: '', answer: hermesText };
  }
}

/**
 * The server sends tool deltas only for a function that is named, and its template shows the model neither `tools` nor
 * former calls: the examples are therefore arguments alone, and one call is all that can come.
 */
function forced({ tool }: LocalTask): JsonObject {
  return { tool_choice: { type: 'function', function: { name: tool } } };
}

function firstArguments([first]: readonly MeantCall[]): string {
  return first === undefined ? '{}' : writeJsonArguments(first);
}

function jsonText(calls: readonly MeantCall[]): string {
  const written = calls.map(jsonCall);
  return written.length === 1 ? `${written[0]}` : `[${written.join(',')}]`;
}

/** As the system message asks for it (`hermes.md`). */
function hermesText(calls: readonly MeantCall[]): string {
  return calls.map((call) => `<tool_call>\n${jsonCall(call)}\n</tool_call>\n`).join('');
}

function jsonCall(call: MeantCall): string {
  return `{"name":${JSON.stringify(call.name)},"arguments":${writeJsonArguments(call)}}`;
}

/** From a call of the model to a tool and its arguments: a call that misses the schema is refused, never guessed at. */
import type * as z from 'zod';
import { textOrBase64 } from '../../parsers/call.ts';
import type { ToolCall } from '../../parsers/parser.ts';
import type { Refusal } from '../permission.ts';
import type { Tool } from '../tool.ts';
import { findTool, TOOLS } from './registry.ts';

/** A call that can run: arguments as the tool's schema makes them. */
export interface PreparedCall {
  readonly tool: Tool;
  readonly args: object;
}

/** The tool and the arguments of a call, or why there are none, with every key at fault. */
export function prepareCall(
  call: Pick<ToolCall, 'name' | 'args'>,
  tools: readonly Tool[] = TOOLS,
): PreparedCall | Refusal {
  const tool = findTool(call.name, tools);
  if (tool === null) {
    const known = tools.map(({ name }) => name).join(', ');
    return { refusal: `there is no tool ${JSON.stringify(call.name)}; the tools are ${known}` };
  }
  const read = readCallArguments(call);
  if ('refusal' in read) return { refusal: `${tool.name} was not run: ${read.refusal}` };
  const checked = tool.schema.safeParse(read.args);
  if (!checked.success) {
    const problems = checked.error.issues.map((issue) => describeIssue(issue, read.args));
    return { refusal: `${tool.name} was not run: ${problems.join('; ')}` };
  }
  return { tool, args: checked.data };
}

/**
 * The arguments by key: those of text protocols as strings, those of native calls as JSON has them. Refused is what no
 * string of a tool can be: bytes that are no UTF-8, half a surrogate pair.
 */
export function readCallArguments({
  args,
}: Pick<ToolCall, 'args'>): { readonly args: Readonly<Record<string, unknown>> } | Refusal {
  const entries =
    args.form === 'json'
      ? Object.entries(args.object)
      : args.values.map(({ key, bytes }) => [key, textOrBase64(bytes)] as const);
  for (const [key, value] of entries) {
    if (args.form === 'values' && typeof value !== 'string') return { refusal: `${key}: is no UTF-8 text` };
    if (typeof value === 'string' && LONE_SURROGATE.test(value)) {
      return { refusal: `${key}: holds half a surrogate pair, which no file can hold` };
    }
  }
  return { args: Object.fromEntries(entries) };
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function describeIssue(issue: z.core.$ZodIssue, args: object): string {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${JSON.stringify(key)}: is no argument of this tool`).join('; ');
  }
  const key = issue.path.join('.');
  return Object.hasOwn(args, key) ? `${key}: ${issue.message}` : `${key}: is missing`;
}

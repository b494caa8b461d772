/** From a call to its outcome: its tool and arguments, the permission, the run, the output as the model is shown it. */
import type { ToolCall } from '../parsers/parser.ts';
import type { CallExecutor, CallOutcome } from './loop.ts';
import type { Permission } from './permission.ts';
import { cappedOutput } from './result-frame.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';
import { prepareCall } from './tools/call-arguments.ts';
import { TOOL_EXIT } from './tools/outcome.ts';
import { findTool, TOOLS } from './tools/registry.ts';

/** Exit codes of calls that did not run, as shells use them: misuse, not permitted, not found, interrupted. */
export const REFUSAL_EXIT = {
  badArguments: 2,
  notPermitted: TOOL_EXIT.cannotRun,
  unknownTool: TOOL_EXIT.notFound,
  cancelled: TOOL_EXIT.cancelled,
} as const;

export interface ExecutorOptions {
  readonly permission: Permission;
  readonly context: Omit<ToolContext, 'signal'>;
  readonly tools?: readonly Tool[];
  /** Is shown nowhere, whatever a tool prints: the key of the model. */
  readonly secret?: string | undefined;
}

export function toolExecutor(options: ExecutorOptions): CallExecutor {
  return (call, signal) => execute(call, signal, options);
}

async function execute(call: ToolCall, signal: AbortSignal, options: ExecutorOptions): Promise<CallOutcome> {
  const { permission, context, tools = TOOLS, secret } = options;
  const prepared = prepareCall(call, tools);
  if ('refusal' in prepared) {
    const isKnown = findTool(call.name, tools) !== null;
    return refused(isKnown ? REFUSAL_EXIT.badArguments : REFUSAL_EXIT.unknownTool, prepared.refusal);
  }
  const { tool, args } = prepared;
  const decision = await permission.of(tool, args, signal);
  if (decision !== 'run') {
    return refused(signal.aborted ? REFUSAL_EXIT.cancelled : REFUSAL_EXIT.notPermitted, decision.refusal);
  }
  const outcome = withoutSecret(await tool.run(args, { ...context, signal }), secret);
  return { type: 'result', exit: outcome.exit, output: cappedOutput(outcome, context.outputCap) };
}

function refused(exit: number, reason: string): CallOutcome {
  return { type: 'refusal', exit, reason };
}

/** Shorter ones are no keys, and would be found everywhere. */
const SHORTEST_SECRET = 8;

/** Before the output is cut: half a key is too much as well. */
function withoutSecret(outcome: ToolOutcome, secret: string | undefined): ToolOutcome {
  if (secret === undefined || secret.length < SHORTEST_SECRET) return outcome;
  const { output, omitted } = outcome;
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  if (!bytes.includes(secret)) return outcome;
  const at = omitted?.at ?? bytes.length;
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)].map((part) => masked(part, secret)) as [
    Buffer,
    Buffer,
  ];
  return {
    ...outcome,
    output: Buffer.concat([before, after]),
    ...(omitted === undefined ? {} : { omitted: { at: before.length, bytes: omitted.bytes } }),
  };
}

/** As latin1, so that every other byte stays what it is. */
function masked(bytes: Buffer, secret: string): Buffer {
  const pattern = Buffer.from(secret, 'utf8').toString('latin1');
  return Buffer.from(bytes.toString('latin1').replaceAll(pattern, '[key]'), 'latin1');
}

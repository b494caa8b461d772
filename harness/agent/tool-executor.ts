/** From a call to its outcome: its tool and arguments, the permission, the run, the output as the model is shown it. */
import type { ToolCall } from '../parsers/parser.ts';
import type { KeyMask } from './key-mask.ts';
import type { CallExecutor, CallOutcome } from './loop.ts';
import type { Permission } from './permission.ts';
import { cappedOutput } from './result-frame.ts';
import type { Tool, ToolContext } from './tool.ts';
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
  /** Of the keys, which are shown nowhere, whatever a tool prints. */
  readonly mask?: KeyMask;
  /** Is told of what writes files, while it does: it is not to be broken off. */
  readonly whole?: (work: Promise<unknown>) => void;
}

export function toolExecutor(options: ExecutorOptions): CallExecutor {
  return (call, signal) => execute(call, signal, options);
}

async function execute(call: ToolCall, signal: AbortSignal, options: ExecutorOptions): Promise<CallOutcome> {
  const { permission, context, tools = TOOLS, mask, whole } = options;
  const prepared = prepareCall(call, tools);
  if ('refusal' in prepared) {
    const isKnown = findTool(call.name, tools) !== null;
    return refused(isKnown ? REFUSAL_EXIT.badArguments : REFUSAL_EXIT.unknownTool, prepared.refusal);
  }
  const { tool, args } = prepared;
  const decision = await permission.of(tool, mask?.value(args) ?? args, signal);
  if (decision !== 'run') {
    return refused(signal.aborted ? REFUSAL_EXIT.cancelled : REFUSAL_EXIT.notPermitted, decision.refusal);
  }
  const running = tool.run(args, { ...context, signal });
  if (tool.effect === 'writes') whole?.(running);
  const printed = await running;
  const outcome = mask?.outcome(printed) ?? printed;
  return { type: 'result', exit: outcome.exit, output: cappedOutput(outcome, context.outputCap) };
}

function refused(exit: number, reason: string): CallOutcome {
  return { type: 'refusal', exit, reason };
}

/** The outcomes of the tools: what the model reads of what was done, or of why it was not. */
import type { PathProblem } from '../project-path.ts';
import { systemProblem } from '../system-problem.ts';
import type { ToolContext, ToolOutcome } from '../tool.ts';

/** Exit codes that no process has said. */
export const TOOL_EXIT = { done: 0, failed: 1, outOfTime: 124, cannotRun: 126, notFound: 127, cancelled: 130 } as const;

export function done(output: string | Uint8Array): ToolOutcome {
  return { exit: TOOL_EXIT.done, output: Buffer.from(output) };
}

/** @param problem a sentence that the model can act on */
export function failed({ problem }: PathProblem): ToolOutcome {
  return { exit: TOOL_EXIT.failed, output: Buffer.from(`${problem}\n`) };
}

/**
 * Runs a tool so that it never rejects: a system error is told with the path that the model gave, a bug with its message.
 * A call that was cancelled before it began does nothing.
 */
export async function settled(
  path: string,
  { signal }: Pick<ToolContext, 'signal'>,
  run: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  if (signal.aborted) return { exit: TOOL_EXIT.cancelled, output: Buffer.from('[cancelled before it began]\n') };
  try {
    return await run();
  } catch (error) {
    const problem = systemProblem(error) ?? `failed unexpectedly: ${error instanceof Error ? error.message : error}`;
    return failed({ problem: `${JSON.stringify(path)}: ${problem}` });
  }
}

/** A tool of the agent: what the model is told of it, and what runs. Read first: runtime.md "Tools and permission". */
import type { z } from 'zod';

/** What a tool may do to the world: the permission mode decides by it. */
export type ToolEffect = 'reads' | 'writes' | 'executes';

export interface Tool<Args extends object = object> {
  readonly name: string;
  /** For the model, in a sentence or two. */
  readonly description: string;
  /** An object of strings: text protocols carry nothing else. A call whose arguments miss it is refused, never guessed at. */
  readonly schema: z.ZodType<Args>;
  readonly effect: ToolEffect;
  /** Never rejects: whatever goes wrong is an outcome that the model can read. */
  run(args: Args, context: ToolContext): Promise<ToolOutcome>;
}

export interface ToolContext {
  /** Real path of the project folder; nothing outside of it is touched by a tool that takes paths. */
  readonly root: string;
  /** Real path of the session, if there is one: no tool that takes paths touches it. */
  readonly session?: string | undefined;
  /** Cancelled: a running process group is ended (TERM, then KILL), and the outcome has exit 130. */
  readonly signal: AbortSignal;
  /** Longest run of `shell` in ms. */
  readonly timeLimit: number;
  /** Most bytes of output that the model is shown (`result-frame.ts`): a tool keeps what that needs and counts the rest. */
  readonly outputCap: number;
  /** The variables that `shell` hands down, and no others (`tools/shell-environment.ts`). */
  readonly environment: Environment;
}

export type Environment = Readonly<Record<string, string>>;

export interface ToolOutcome {
  /** 0: done. 130: cancelled. 124: out of time. Else: what the process said, or 1 for a failure of the tool itself. */
  readonly exit: number;
  /** In order of arrival; what carries it to the model cuts it. All of it, unless some is `omitted`. */
  readonly output: Uint8Array;
  readonly omitted?: Omission;
}

/** Bytes that a tool did not keep, so that memory is bounded. Both sides of the gap are longer than `outputCap` can show. */
export interface Omission {
  /** Where in `output` they stood. */
  readonly at: number;
  readonly bytes: number;
}

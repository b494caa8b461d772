/** May a call run? The mode decides, or the user is asked; a refusal is an outcome that the model is told. */
import type { Tool, ToolEffect } from './tool.ts';

/**
 * `read-only`: what writes or executes is refused. `allow`: everything runs. `ask`: what writes or executes is asked for,
 * call by call. What only reads inside the project folder always runs.
 */
export const PERMISSION_MODES = ['ask', 'read-only', 'allow'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** Why a call does not run, in a sentence for the model. */
export interface Refusal {
  readonly refusal: string;
}

export interface PermissionQuestion {
  readonly tool: Pick<Tool, 'name' | 'effect'>;
  /** As the model wrote them: control characters in them must be made visible before a terminal shows them. */
  readonly args: object;
  /** Aborted: nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** `always`: also every further call of this tool, until the run ends. */
export type PermissionAnswer = 'yes' | 'no' | 'always';
export type Asker = (question: PermissionQuestion) => Promise<PermissionAnswer>;

/** What the mode alone says of a call. */
export function decide(mode: PermissionMode, { name, effect }: Pick<Tool, 'name' | 'effect'>): 'run' | 'ask' | Refusal {
  if (effect === 'reads' || mode === 'allow') return 'run';
  if (mode === 'ask') return 'ask';
  return { refusal: `${name} was not run: permission is read-only, and ${name} ${WHAT_IT_DOES[effect]}` };
}

const WHAT_IT_DOES: Record<Exclude<ToolEffect, 'reads'>, string> = {
  writes: 'writes files',
  executes: 'executes commands',
};

/** The permission of one run: it remembers what the user has allowed for good. */
export class Permission {
  readonly mode: PermissionMode;
  private readonly ask: Asker;
  private readonly allowed = new Set<string>();

  constructor(mode: PermissionMode, ask: Asker) {
    this.mode = mode;
    this.ask = ask;
  }

  /** Asks if it must. Cancelling while the question is open refuses the call. */
  async of(tool: Pick<Tool, 'name' | 'effect'>, args: object, signal: AbortSignal): Promise<'run' | Refusal> {
    const decision = decide(this.mode, tool);
    if (decision !== 'ask') return decision;
    if (this.allowed.has(tool.name)) return 'run';
    const answer = signal.aborted ? 'cancelled' : await firstOf(this.ask({ tool, args, signal }), signal);
    if (answer === 'always') this.allowed.add(tool.name);
    if (answer === 'yes' || answer === 'always') return 'run';
    return { refusal: `${tool.name} was not run: ${answer === 'no' ? 'the user said no' : 'the user cancelled'}` };
  }
}

/** The answer, or `cancelled` as soon as the signal says so. */
function firstOf(answer: Promise<PermissionAnswer>, signal: AbortSignal): Promise<PermissionAnswer | 'cancelled'> {
  return new Promise((resolve, reject) => {
    const cancel = () => resolve('cancelled');
    signal.addEventListener('abort', cancel, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel));
  });
}

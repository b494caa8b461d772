/** A model for tests: it answers with the given bytes, turn by turn, and remembers what it was asked. */
import type { Model, ModelAnswer, ModelRequest } from './model-client.ts';

/** Bytes of an answer, or an error instead of one. */
export type ScriptedTurn = Uint8Array | readonly Uint8Array[] | Error;

export class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];
  /** How each answer was parted with. */
  readonly partings: ('closed' | 'left')[] = [];
  readonly #turns: readonly ScriptedTurn[];

  constructor(...turns: readonly ScriptedTurn[]) {
    this.#turns = turns;
  }

  async ask(request: ModelRequest): Promise<ModelAnswer> {
    const turn = this.#turns[this.requests.length];
    this.requests.push(request);
    if (turn === undefined) throw new Error('the script has no further turn');
    if (turn instanceof Error) throw turn;
    return {
      chunks: each(turn instanceof Uint8Array ? [turn] : turn),
      close: () => this.partings.push('closed'),
      leave: () => this.partings.push('left'),
    };
  }

  /** The messages of a request behind the system prompt, as role and content. */
  told(request: number): readonly (readonly [role: string, content: string | null])[] {
    return (this.requests[request]?.messages ?? []).slice(1).map(({ role, content }) => [role, content]);
  }
}

async function* each(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

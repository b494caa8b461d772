/** What comes of telling answers apart. */
import type { Chunk } from './chunk.ts';

export interface Answers {
  /** Each in the order of its chunks; in the order in which they begin. */
  readonly answers: readonly (readonly Chunk[])[];
  /** How they were told apart, or why they are one; null if nothing speaks for several. */
  readonly how: string | null;
}

/** It cannot be told which answer a chunk is a piece of. */
export class MixedAnswers extends Error {
  override readonly name = 'MixedAnswers';
  readonly chunk: Chunk;

  constructor(chunk: Chunk, reason: string) {
    super(reason);
    this.chunk = chunk;
  }
}

export function one(chunks: readonly Chunk[]): Answers {
  return { answers: [chunks], how: null };
}

/**
 * Two streams fed alternately to two parsers of the same kind: each must say what it says alone. What they share (a buffer
 * of the module, a table of calls by id) shows in no check of one stream after the other.
 */

import type { Frontier } from '../parsers/parser.ts';
import { addressed, besideMessage } from './messages.ts';
import { EMPTY_FRONTIER, type TranscriptNode } from './transcript.ts';

/** A stream of which is known what its parser says alone. */
export interface KnownStream {
  /** The line that starts it. */
  readonly start: (id: number) => string;
  /** From the start on. */
  readonly nodes: readonly TranscriptNode[];
}

/** One line of two streams in turn, and what must come of it. */
export interface InterleavedLine {
  readonly line: string;
  /** Which of the two. */
  readonly stream: 0 | 1;
  readonly node: TranscriptNode;
}

/** The second begins behind the first message of the first; from then on each message stands between two of the other. */
export function interleaved(streams: readonly [KnownStream, KnownStream], firstId: number): readonly InterleavedLine[] {
  const lines = streams.map(({ start, nodes }, i) =>
    nodes.map((node, at): InterleavedLine => {
      const id = firstId + i;
      const begin = i === 0 ? start(id) : besideMessage(start(id));
      return { line: at === 0 ? begin : addressed(node.message, id), stream: i === 0 ? 0 : 1, node };
    }),
  );
  const [ahead = [], behind = []] = lines;
  const order: InterleavedLine[] = [...ahead.slice(0, 2), ...behind.slice(0, 1)];
  for (let at = 1; at < Math.max(ahead.length, behind.length); at++) {
    order.push(...behind.slice(at, at + 1), ...ahead.slice(at + 1, at + 2));
  }
  return order;
}

/** The frontiers of two streams as their answers come in turn. */
export class InterleavedFrontiers {
  readonly #before: Frontier[] = [EMPTY_FRONTIER, EMPTY_FRONTIER];

  before(stream: 0 | 1): Frontier {
    return this.#before[stream] ?? EMPTY_FRONTIER;
  }

  take(stream: 0 | 1, frontier: Frontier): void {
    this.#before[stream] = frontier;
  }
}

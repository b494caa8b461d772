/** The answers of a log that holds several, whose chunks may stand in turns. What cannot be told apart is refused. */
import type { WireFormat } from '../stream/wire-format.ts';
import { splitAnthropic, splitResponses } from './answer-events.ts';
import { type Chunk, isDone } from './chunk.ts';
import { splitById } from './chunk-ids.ts';
import { type Answers, one } from './mixed-answers.ts';
import { refuseMixed } from './whole-answers.ts';

/** @throws MixedAnswers with the chunk that may be of one answer or another */
export function splitAnswers(chunks: readonly Chunk[], wire: WireFormat): Answers {
  const split = splitByRequest(chunks, wire);
  refuseMixed(split.answers, wire);
  return split;
}

function splitByRequest(chunks: readonly Chunk[], wire: WireFormat): Answers {
  const requests = new Map<string | null, Chunk[]>();
  for (const chunk of chunks) {
    const known = requests.get(chunk.of);
    if (known === undefined) requests.set(chunk.of, [chunk]);
    else known.push(chunk);
  }
  // A bare `[DONE]` says nothing that is needed: rebuilt streams get theirs back.
  if (requests.get(null)?.every(({ payload }) => isDone(payload)) === true && requests.size > 1) requests.delete(null);
  if (requests.size <= 1 || requests.has(null)) return splitByContent(chunks, wire);
  const answers = [...requests.values()].flatMap((group) => splitByContent(group, wire).answers);
  return { answers, how: 'told apart by the id of the request in the log' };
}

function splitByContent(chunks: readonly Chunk[], wire: WireFormat): Answers {
  if (chunks.length <= 1) return one(chunks);
  if (wire === 'anthropic') return splitAnthropic(chunks);
  return wire === 'openai-responses' ? splitResponses(chunks) : splitById(chunks, wire);
}

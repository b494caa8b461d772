/** The answers of a log that holds several, whose chunks may stand in turns. What cannot be told apart is refused. */
import type { WireFormat } from '../stream/wire-format.ts';
import { splitAnthropic, splitResponses } from './answer-events.ts';
import { type Chunk, isDone, isFinished } from './chunk.ts';
import { idOf, splitById } from './chunk-ids.ts';
import { type Answers, MixedAnswers, one } from './mixed-answers.ts';
import { refuseMixed } from './whole-answers.ts';

/** @throws MixedAnswers with the chunk that may be of one answer or another */
export function splitAnswers(chunks: readonly Chunk[], wire: WireFormat): Answers {
  const split = splitByRequest(chunks, wire);
  refuseMixed(split.answers, wire);
  return split;
}

function splitByRequest(chunks: readonly Chunk[], wire: WireFormat): Answers {
  // A bare `[DONE]` says nothing that is needed: rebuilt streams get theirs back.
  const telling = chunks.filter(({ payload, of }) => !isDone(payload) || of.size > 0);
  const name = [...(telling[0]?.of.keys() ?? [])].find((id) => telling.every(({ of }) => of.has(id)));
  if (name === undefined) return splitByContent(chunks, wire);
  const requests = new Map<string, Chunk[]>();
  for (const chunk of telling) {
    const id = chunk.of.get(name)!;
    const known = requests.get(id);
    if (known === undefined) requests.set(id, [chunk]);
    else known.push(chunk);
  }
  const areOfLines = [...requests.values()].every((request) => request.length === 1) && !telling.every(isFinished);
  if (requests.size <= 1 || areOfLines) return splitByContent(chunks, wire);
  refuseTornAnswers([...requests.values()]);
  const answers = [...requests.values()].flatMap((group) => splitByContent(group, wire).answers);
  return { answers, how: 'told apart by the id of the request in the log' };
}

/** An id of a chunk that several requests have is that of one answer, unless each of them has ended. */
function refuseTornAnswers(requests: readonly (readonly Chunk[])[]): void {
  const unfinished = new Set<string>();
  for (const request of requests) {
    const ids = new Set(request.map(idOf).filter((id) => id !== null));
    for (const id of ids) {
      const torn = request.find((chunk) => idOf(chunk) === id);
      if (unfinished.has(id) && torn !== undefined) throw new MixedAnswers(torn, TORN);
      if (!request.some(isFinished)) unfinished.add(id);
    }
  }
}

const TORN = 'has the id of an answer that another request has, which has not ended';

function splitByContent(chunks: readonly Chunk[], wire: WireFormat): Answers {
  if (chunks.length <= 1) return one(chunks);
  if (wire === 'anthropic') return splitAnthropic(chunks);
  return wire === 'openai-responses' ? splitResponses(chunks) : splitById(chunks, wire);
}

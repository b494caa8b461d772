/**
 * Answers of Anthropic and of OpenAI's Responses in one log. Anthropic's events name their message only at its start; those
 * of Responses carry the response's id, an item's id, or a number that counts within the response.
 */
import { type Fields, isFields } from '../stream/json-fields.ts';
import { type Chunk, idIn, messageId, responseId, typeOf } from './chunk.ts';
import { type Answers, MixedAnswers, one } from './mixed-answers.ts';

interface Message {
  readonly chunks: Chunk[];
  readonly started: Set<unknown>;
  readonly open: Set<unknown>;
  ended: boolean;
}

/**
 * Begins anew at each `message_start`, but one that comes twice, as gateways send it. A message that has not ended when the
 * next one begins was cut off, or goes on in turns with it: a later piece could be of either.
 */
export function splitAnthropic(chunks: readonly Chunk[]): Answers {
  const starts = chunks.filter((chunk) => typeOf(chunk) === 'message_start');
  const [first] = chunks;
  const beginsWithError = starts.length > 0 && first !== undefined && typeOf(first) === 'error';
  if (starts.length <= 1 && !beginsWithError) return one(chunks);
  const messages: Message[] = [];
  for (const chunk of chunks) {
    const last = messages.at(-1);
    if (last === undefined || (typeOf(chunk) === 'message_start' && !isBeginningAgain(chunk, last))) {
      if (last !== undefined && !last.ended) {
        throw new MixedAnswers(chunk, 'begins an answer before the one before has ended');
      }
      messages.push({ chunks: [chunk], started: new Set(), open: new Set(), ended: endsMessage(chunk) });
    } else {
      if (isStarted(last)) follow(last, chunk);
      else last.ended ||= endsMessage(chunk);
      last.chunks.push(chunk);
    }
  }
  return { answers: messages.map((message) => message.chunks), how: 'told apart by their beginnings' };
}

function follow(message: Message, chunk: Chunk): void {
  const type = typeOf(chunk);
  const index = chunk.value?.['index'];
  const isStray =
    (message.ended && type !== 'ping' && type !== 'error') ||
    (type === 'content_block_start' && (message.started.has(index) || message.open.size > 0)) ||
    (type === 'message_stop' && message.open.size > 0) ||
    ((type === 'content_block_delta' || type === 'content_block_stop') && !message.open.has(index));
  if (isStray) throw new MixedAnswers(chunk, 'does not go on with the answer before it');
  if (type === 'content_block_start') {
    message.started.add(index);
    message.open.add(index);
  } else if (type === 'content_block_stop') message.open.delete(index);
  message.ended ||= endsMessage(chunk);
}

function isBeginningAgain(chunk: Chunk, { chunks, ended }: Message): boolean {
  const id = messageId(chunk);
  return !ended && id !== null && chunks.some((one) => messageId(one) === id);
}

function isStarted({ chunks: [first] }: Message): boolean {
  return first !== undefined && typeOf(first) === 'message_start';
}

function endsMessage(chunk: Chunk): boolean {
  return typeOf(chunk) === 'message_stop' || typeOf(chunk) === 'error';
}

interface ResponseAnswer {
  readonly chunks: Chunk[];
  readonly ids: Set<string>;
  sequence: number | null;
  ended: boolean;
}

const RESPONSE_END = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);

export function splitResponses(chunks: readonly Chunk[]): Answers {
  const answers: ResponseAnswer[] = [];
  for (const chunk of chunks) {
    const answer = responseOf(chunk, answers);
    answer.chunks.push(chunk);
    for (const id of [responseId(chunk), itemId(chunk)]) if (id !== null) answer.ids.add(id);
    const sequence = chunk.value?.['sequence_number'];
    if (typeof sequence === 'number') answer.sequence = sequence;
    answer.ended ||= RESPONSE_END.has(typeOf(chunk));
  }
  if (answers.length === 1) return one(chunks);
  return { answers: answers.map((answer) => answer.chunks), how: 'told apart by their ids' };
}

function responseOf(chunk: Chunk, answers: ResponseAnswer[]): ResponseAnswer {
  const id = responseId(chunk);
  const item = itemId(chunk);
  const named = answers.filter(({ ids }) => (id !== null && ids.has(id)) || (item !== null && ids.has(item)));
  const begins = typeOf(chunk) === 'response.created';
  const hasLive = answers.some(({ ended }) => !ended);
  // Ids may be used again when an answer has ended.
  const going = hasLive ? named.filter(({ ended }) => !ended) : named.slice(-1);
  if (going.length > 0 && !begins) return goingOn(chunk, going, answers.length > 1);
  if (begins && going.some(({ ended }) => !ended)) throw new MixedAnswers(chunk, 'begins an answer that has begun');
  // Not by an id that is new: some gateways give every event another.
  if (begins || answers.length === 0) {
    const answer: ResponseAnswer = { chunks: [], ids: new Set(), sequence: null, ended: false };
    answers.push(answer);
    return answer;
  }
  const live = answers.filter(({ ended }) => !ended);
  const [only, ...others] = live.length === 1 ? live : live.filter((answer) => isNext(chunk, answer));
  if (only !== undefined && others.length === 0) return only;
  // What follows the end of the last one: `[DONE]`, or a gateway's own events.
  const last = answers.at(-1);
  if (live.length === 0 && !typeOf(chunk).startsWith('response.') && last !== undefined) return last;
  throw new MixedAnswers(chunk, 'has no id that tells which of several answers it is of');
}

/** Numbers and items that do not go on show that two answers have the same ids. */
function goingOn(chunk: Chunk, named: readonly ResponseAnswer[], areSeveral: boolean): ResponseAnswer {
  const [answer, ...others] = named;
  if (answer === undefined || others.length > 0) throw new MixedAnswers(chunk, 'has ids of several answers');
  const sequence = chunk.value?.['sequence_number'];
  const isBehind = typeof sequence === 'number' && answer.sequence !== null && sequence <= answer.sequence;
  const item = itemId(chunk);
  const isAddedAgain = typeOf(chunk) === 'response.output_item.added' && item !== null && answer.ids.has(item);
  if (!areSeveral || !(isBehind || isAddedAgain)) return answer;
  throw new MixedAnswers(chunk, 'has an id of an answer that it does not go on with');
}

function isNext({ value }: Chunk, { sequence }: ResponseAnswer): boolean {
  return sequence !== null && value?.['sequence_number'] === sequence + 1;
}

function itemId({ value }: Chunk): string | null {
  const item: Fields | null = isFields(value?.['item']) ? value['item'] : null;
  return idIn(value?.['item_id'] ?? item?.['id']);
}

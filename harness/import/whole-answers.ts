/**
 * What must be true of each answer that a log was split into, however it was split: one beginning, nothing behind its
 * end, no event of another format. An answer that holds a piece of another one would run its calls.
 */
import type { WireFormat } from '../stream/wire-format.ts';
import { type Chunk, isDone, isErrorReport, isFinished, messageId, responseId, typeOf } from './chunk.ts';
import { MixedAnswers } from './mixed-answers.ts';

const ANTHROPIC_TYPE = /^(message_(start|delta|stop)|content_block_(start|delta|stop))$/;
const RESPONSES_TYPE = /^response\./;

interface Shape {
  readonly start: string;
  readonly ends: RegExp;
}

const SHAPES: { readonly [W in WireFormat]?: Shape } = {
  anthropic: { start: 'message_start', ends: /^message_stop$/ },
  'openai-responses': { start: 'response.created', ends: /^response\.(completed|incomplete|failed)$/ },
};

/** @throws MixedAnswers with the first chunk that cannot be of its answer */
export function refuseMixed(answers: readonly (readonly Chunk[])[], wire: WireFormat): void {
  for (const answer of answers) {
    const stranger = answer.find((chunk) => isOfOtherFormat(chunk, wire));
    if (stranger !== undefined) throw new MixedAnswers(stranger, `is an event of another format than ${wire}`);
    const shape = SHAPES[wire];
    if (shape !== undefined) refuseOtherThanOne(answer, { ...shape, isAlone: answers.length === 1 });
    if (answers.length > 1) refuseStubs(answer, wire);
  }
}

/** Beside other answers: what says so little that its rest may have gone to one of them. */
function refuseStubs(answer: readonly Chunk[], wire: WireFormat): void {
  const done = answer.find(({ payload }) => isDone(payload));
  const isOver = answer.some((chunk) => isFinished(chunk) || isErrorReport(chunk));
  if (wire === 'openai-chat' && done !== undefined && !isOver) {
    throw new MixedAnswers(done, 'ends an answer that has not finished, and may be of another one');
  }
  const [first] = answer;
  if (
    wire === 'anthropic' &&
    first !== undefined &&
    answer.every((chunk) => /^(message_start|ping)$/.test(typeOf(chunk)))
  ) {
    throw new MixedAnswers(first, 'begins an answer of which nothing more can be told from the others');
  }
}

function isOfOtherFormat(chunk: Chunk, wire: WireFormat): boolean {
  const type = typeOf(chunk);
  if (wire !== 'anthropic' && ANTHROPIC_TYPE.test(type)) return true;
  return wire !== 'openai-responses' && RESPONSES_TYPE.test(type);
}

function refuseOtherThanOne(answer: readonly Chunk[], { start, ends, isAlone }: Shape & { isAlone: boolean }): void {
  const events = answer.filter((chunk) => !/^(ping|keepalive|error|)$/.test(typeOf(chunk)));
  const hasStart = events.some((chunk) => typeOf(chunk) === start);
  let begun: Chunk | null = null;
  let blocks = 0;
  let isOver = false;
  for (const chunk of events) {
    const type = typeOf(chunk);
    if (isOver && !isAlone) throw new MixedAnswers(chunk, 'stands behind the end of its answer');
    // Gateways send the beginning of one message twice.
    if (type === start && begun !== null && idOf(begun) !== idOf(chunk)) {
      throw new MixedAnswers(chunk, 'begins an answer inside of another one');
    }
    if (type === start) {
      begun ??= chunk;
      blocks = wholeBlocks(chunk);
    }
    // An answer that is all there is may have lost its beginning.
    if (begun === null && (hasStart || !isAlone))
      throw new MixedAnswers(chunk, 'is of an answer whose beginning is not there');
    if (type === 'content_block_start' && !isAlone && chunk.value?.['index'] !== blocks++) {
      throw new MixedAnswers(chunk, 'is a block out of order, and may be of another answer');
    }
    isOver = ends.test(type);
  }
}

/** A message can begin with whole blocks: those behind it count on. */
function wholeBlocks({ value }: Chunk): number {
  const { message }: { readonly message?: unknown } = value ?? {};
  const content = (message as { content?: unknown } | undefined)?.content;
  return Array.isArray(content) ? content.length : 0;
}

/** Of the message or response that an event begins; an event without one is told by itself. */
function idOf(chunk: Chunk): unknown {
  return messageId(chunk) ?? responseId(chunk) ?? chunk;
}

/**
 * Answers of OpenAI chat and of Gemini in one log: their chunks carry the id of their answer (`id`, `responseId`), if the
 * provider gives one. Chunks that differ in it are of different answers, whether those end or not; but for
 * - providers that give every chunk an id of its own: one answer, if it looks like one from end to end
 * - a first chunk that only names the role, and a last one of usage, which some gateways add under an id of their own
 */
import { isFields } from '../stream/json-fields.ts';
import { type Chunk, firstChoice, idIn, isDone, isErrorReport, isFinished } from './chunk.ts';
import { type Answers, MixedAnswers, one } from './mixed-answers.ts';

type IdWire = 'openai-chat' | 'gemini';

export function splitById(chunks: readonly Chunk[], wire: IdWire): Answers {
  const counts = new Map<string, number>();
  for (const id of chunks.map(idOf)) if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  const isOwn = wire === 'openai-chat' && counts.size > 2 && [...counts.values()].every((count) => count === 1);
  if (isOwn && !chunks.every((chunk) => chunk.value === null || isFinished(chunk))) return ofOwnIds(chunks);
  const areAll = chunks.every((chunk) => idOf(chunk) !== null || !speaks(chunk));
  const groups = counts.size === 0 || (counts.size === 1 && areAll) ? [chunks] : groupsOf(chunks, counts);
  const answers = groups.flatMap((group) => splitAtEnds(group));
  const how = counts.size <= 1 ? 'told apart by their ends' : 'told apart by their ids';
  return answers.length === 1 ? one(answers[0] ?? []) : { answers, how };
}

function ofOwnIds(chunks: readonly Chunk[]): Answers {
  const end = chunks.findIndex((chunk) => isFinished(chunk) || isDone(chunk.payload));
  const behind = end === -1 ? undefined : chunks.slice(end + 1).find(speaks);
  if (behind !== undefined) {
    throw new MixedAnswers(behind, 'has an id of its own like every chunk, and follows the end of an answer');
  }
  checkRoles(chunks);
  return { answers: [chunks], how: 'taken as one: every chunk has an id of its own' };
}

/** A role comes with the first chunk of an answer, or with each. */
function checkRoles(chunks: readonly Chunk[]): void {
  const saying = chunks.filter((chunk) => roleOf(chunk) !== null || !isSilent(chunk));
  const [, second] = saying.filter((chunk) => roleOf(chunk) !== null);
  if (second === undefined || saying.every((chunk) => roleOf(chunk) !== null)) return;
  throw new MixedAnswers(second, 'begins an answer before the one before has ended, and no id tells them apart');
}

interface Group {
  readonly chunks: Chunk[];
  finished: boolean;
  done: boolean;
}

function groupsOf(chunks: readonly Chunk[], counts: ReadonlyMap<string, number>): readonly (readonly Chunk[])[] {
  const grouping: Grouping = { groups: [], byId: new Map(), last: null, before: [], inTurns: areInTurns(chunks) };
  for (const chunk of chunks) {
    const id = idOf(chunk);
    const isAlone = id !== null && counts.get(id) === 1;
    const isOpening = isAlone ? saysOnlyRole(chunk) : id === null && !speaks(chunk) && isBetween(chunk, grouping);
    // An error that no answer has begun before is an answer of its own.
    if (id === null && isErrorReport(chunk) && isFirst(grouping)) addTo(newGroup(grouping), chunk, grouping);
    else if (isOpening) grouping.before.push(chunk);
    else if (!isDoneOfAnother(chunk, grouping))
      addTo(groupOf(chunk, isAlone && !speaks(chunk) ? null : id, grouping), chunk, grouping);
  }
  for (const chunk of grouping.before.splice(0)) addTo(newGroup(grouping), chunk, grouping);
  return grouping.groups.map((group) => group.chunks);
}

interface Grouping {
  readonly groups: Group[];
  readonly byId: Map<string, Group>;
  last: Group | null;
  /** They belong to the answer that comes next. */
  readonly before: Chunk[];
  /** Chunks of one answer stand between those of another. */
  readonly inTurns: boolean;
}

function groupOf(chunk: Chunk, id: string | null, grouping: Grouping): Group {
  if (id === null) return chunk.value === null ? groupOfDone(chunk, grouping) : groupOfNameless(chunk, grouping);
  const known = grouping.byId.get(id);
  // An id that comes again behind [DONE] is used twice.
  if (known !== undefined && !known.done) return known;
  const group = newGroup(grouping);
  grouping.byId.set(id, group);
  return group;
}

/** Behind the end of an answer, and none has begun. Azure's first chunk (`prompt_filter_results`) has an empty id. */
function isBetween({ value }: Chunk, grouping: Grouping): boolean {
  if (value === null) return false;
  return isFirst(grouping) || (grouping.last?.finished === true && Object.hasOwn(value, 'prompt_filter_results'));
}

/** No answer has begun, or the last one is done. */
function isFirst({ last }: Grouping): boolean {
  return last === null || last.done;
}

function newGroup({ groups }: Grouping): Group {
  const group: Group = { chunks: [], finished: false, done: false };
  groups.push(group);
  return group;
}

/** Of several in turns that have finished `[DONE]` ends one, whichever: each gets its own back when it is rebuilt. */
function isDoneOfAnother({ payload }: Chunk, { groups, inTurns }: Grouping): boolean {
  return inTurns && isDone(payload) && groups.filter(isWaiting).length > 1;
}

function isWaiting({ finished, done }: Group): boolean {
  return finished && !done;
}

/** `[DONE]` ends the answer right before it; or the only one that has finished and not ended. */
function groupOfDone(chunk: Chunk, { groups, last, inTurns }: Grouping): Group {
  const waiting = groups.filter(isWaiting);
  if (last !== null && !inTurns) return last;
  const [only, ...others] = waiting;
  if (only !== undefined && others.length === 0) return only;
  throw new MixedAnswers(chunk, 'ends one of several answers, and nothing tells which');
}

function groupOfNameless(chunk: Chunk, { last, inTurns }: Grouping): Group {
  if (last !== null && !inTurns && !speaks(chunk)) return last;
  throw new MixedAnswers(chunk, 'has no id, and the log holds several answers');
}

function addTo(group: Group, chunk: Chunk, grouping: Grouping): void {
  group.chunks.push(...grouping.before.splice(0), chunk);
  group.finished ||= isFinished(chunk);
  group.done ||= isDone(chunk.payload);
  grouping.last = group;
}

/** An id comes again behind another one, other than behind its `[DONE]`. */
function areInTurns(chunks: readonly Chunk[]): boolean {
  const left = new Set<string>();
  let current: string | null = null;
  for (const chunk of chunks) {
    const id = idOf(chunk);
    if (isDone(chunk.payload)) {
      if (current !== null) left.delete(current);
      current = null;
    } else if (id !== null && id !== current) {
      if (left.has(id)) return true;
      if (current !== null) left.add(current);
      current = id;
    }
  }
  return false;
}

/** Chunks of one id or of none: an answer ends at `[DONE]`, or where content follows its end. */
function splitAtEnds(chunks: readonly Chunk[]): readonly (readonly Chunk[])[] {
  const parts: Chunk[][] = [];
  let state: 'open' | 'finished' | 'failed' | 'done' = 'done';
  for (const chunk of chunks) {
    const begins =
      state === 'done' ||
      (state === 'failed' && speaks(chunk)) ||
      (state === 'finished' && isContinuedElsewhere(chunk, parts.at(-1) ?? []));
    if (begins) parts.push([]);
    parts.at(-1)?.push(chunk);
    if (isDone(chunk.payload)) state = 'done';
    else if (isErrorReport(chunk)) state = 'failed';
    else if (isFinished(chunk)) state = 'finished';
    else if (begins) state = 'open';
  }
  for (const part of parts) if (part.every((chunk) => idOf(chunk) === null)) checkRoles(part);
  return parts;
}

/** Behind the finish reason, which may come early: content of the same id is of the same answer, unless a role begins it anew. */
function isContinuedElsewhere(chunk: Chunk, part: readonly Chunk[]): boolean {
  if (isSilent(chunk)) return false;
  const begins = bringsRoleAgain(chunk, part);
  if (begins || idOf(chunk) !== null) return begins;
  throw new MixedAnswers(
    chunk,
    'follows the end of an answer, and neither an id nor a role tells whether it is of the same one',
  );
}

function bringsRoleAgain(chunk: Chunk, before: readonly Chunk[]): boolean {
  const previous = before.findLast((one) => firstChoice(one) !== null);
  if (roleOf(chunk) === null || previous === undefined || roleOf(previous) !== null) return false;
  return before.some((one) => roleOf(one) !== null);
}

/** The id of the answer in a chunk of OpenAI chat or Gemini, or null. */
export function idOf({ value }: Chunk): string | null {
  return idIn(value?.['id'] ?? value?.['responseId']);
}

function roleOf(chunk: Chunk): string | null {
  const delta = firstChoice(chunk)?.['delta'];
  const role = isFields(delta) ? delta['role'] : null;
  return typeof role === 'string' && role !== '' ? role : null;
}

/** Whether a chunk has anything of an answer, and not only usage, filters or an error. */
function speaks(chunk: Chunk): boolean {
  return chunk.value !== null && (!isSilent(chunk) || roleOf(chunk) !== null || isFinished(chunk));
}

function saysOnlyRole(chunk: Chunk): boolean {
  return isSilent(chunk) && roleOf(chunk) !== null && !isFinished(chunk);
}

/** No text and no call in any choice. */
function isSilent({ value }: Chunk): boolean {
  const list: unknown = value?.['choices'] ?? value?.['candidates'] ?? [];
  if (!Array.isArray(list)) return false;
  return list.every((choice: unknown) => {
    if (!isFields(choice)) return true;
    const said = choice['delta'] ?? choice['content'] ?? {};
    return isFields(said) && Object.entries(said).every(([name, value]) => name === 'role' || isEmpty(value));
  });
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((part: unknown) => isFields(part) && Object.values(part).every(isEmpty));
  return value === '' || value === null || value === undefined;
}

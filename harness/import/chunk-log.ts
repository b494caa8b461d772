/**
 * Logs of chunks, one JSON value a line:
 * - `.chunks.txt` of the AI SDK (its `__fixtures__`): the chunks of one answer, a line each
 * - a chunk a line, of one answer or several; as it came, or in an envelope that may say when: `{"ts": …, "chunk": …}`
 * - an answer a line: `{"request": …, "chunks": […]}` or `{"request": …, "response": […]}`; a `response` that is a text
 *   is the body itself
 *
 * Several answers in one log are told apart (`split-answers.ts`); a log in which they cannot be is refused.
 *
 * A line that is no chunk between chunks refuses the whole answer: what stood there may have been part of a call.
 */

import { beginsAsEventStream } from '../record/content-encoding.ts';
import { RecordingError } from '../replay/recording-error.ts';
import { unwrapped } from '../stream/code-assist.ts';
import { isFields } from '../stream/json-fields.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { arrivalsOf, type Chunk, isDone, isOfWire, rebuildStream, wireOfChunks } from './chunk.ts';
import { chunkRequests, chunkTime, requestTime } from './chunk-time.ts';
import { type Exchange, type Found, NO_HEADERS, textBody } from './exchange.ts';
import { UnknownFormat } from './format.ts';
import { elements, fieldsOf, type LogLine, logLines, member, type Sourced, sourced } from './log-lines.ts';
import { type Answers, MixedAnswers } from './mixed-answers.ts';
import { splitAnswers } from './split-answers.ts';

/** Where the chunks of an answer are kept in a line that holds all of them. */
const LISTS = ['chunks', 'events', 'stream', 'response', 'responses', 'response_chunks', 'output', 'data'] as const;
/** Where one chunk is kept in a line that says more about it. */
const WRAPPERS = ['chunk', 'data', 'event', 'payload', 'raw', 'body', 'message', 'response'] as const;

/** The chunks of an answer, a line each. @throws RecordingError with the line that is none. */
export function readChunkLines(text: string, file: string): readonly Found[] {
  return logExchanges(logLines(text), null, file);
}

/** @throws RecordingError with the line that is no JSON; UnknownFormat if the first line is nothing of the kind. */
export function readChunkLog(text: string, file: string): readonly Found[] {
  const lines = logLines(text);
  const head = sourced(ssePayload(lines[0]?.text ?? '') ?? '');
  if (head === null) throw noChunks(file);
  const wrapper = wrapperOf(head);
  if (wrapper === null && !isTelling(head) && answerIn(head) !== null)
    return lines.flatMap((line) => recordOf(line, file));
  return logExchanges(lines, wrapper, file);
}

function logExchanges(lines: readonly LogLine[], wrapper: string | null, file: string): readonly Found[] {
  const { chunks, wire } = lineChunks(lines, wrapper, file);
  const places = new Map(chunks.map((chunk, at) => [chunk, lines[at]!]));
  let split: Answers;
  try {
    split = splitAnswers(chunks, wire);
  } catch (error) {
    if (!(error instanceof MixedAnswers)) throw error;
    const field = `line ${places.get(error.chunk)?.number ?? 0}`;
    const advice =
      'Nothing of the file was imported: put each answer into a file or a list of its own (docs/import.md)';
    throw new RecordingError({ file, field, what: error.message, advice });
  }
  return split.answers.map((answer) => {
    const place = placeOf(answer.map((chunk) => places.get(chunk)!));
    return exchangeOf(answer, wire, { place, request: null, start: null, limits: toldApart(split) });
  });
}

function toldApart({ answers, how }: Answers): readonly string[] {
  if (how === null) return [];
  return [
    answers.length === 1 ? `Its chunks were ${how}.` : `It is one of ${answers.length} answers in the log, ${how}.`,
  ];
}

/** Every line is a chunk of the wire format that the first ones show. */
function lineChunks(lines: readonly LogLine[], wrapper: string | null, file: string) {
  const chunks: Chunk[] = [];
  let wire: WireFormat | null = null;
  for (const [at, line] of lines.entries()) {
    const chunk = lineChunk(line, wrapper, file);
    wire ??= wireOfChunks([chunk]);
    // The first line decides whether this is such a log at all; from then on nothing is passed over.
    if (at === 0 && wire === null && !isOfWire(chunk, null)) throw noChunks(file);
    if (!isOfWire(chunk, wire)) throw noChunk(file, line, wrapper);
    chunks.push(chunk);
  }
  if (wire === null) throw noChunks(file);
  return { chunks, wire };
}

/** Whether a JSON document is an answer as {@link readChunkLog} reads one a line. */
export function isAnswerDocument(value: unknown): boolean {
  return (isFields(value) || Array.isArray(value)) && answerIn({ value, source: JSON.stringify(value) }) !== null;
}

/** One JSON document that is the chunks of one answer, with its request or without. */
export function readAnswerDocument(text: string): readonly Found[] {
  const document = sourced(text);
  return document === null ? [] : answersOf(document, 'the document');
}

function recordOf(line: LogLine, file: string): readonly Found[] {
  const record = sourced(line.text);
  if (record === null) throw notJson(file, line);
  return answersOf(record, `line ${line.number}`);
}

function answersOf(record: Sourced, place: string): readonly Found[] {
  const answer = answerIn(record);
  if (answer === null) return [{ place, malformed: 'neither a chunk nor an answer with its chunks' }];
  const fields = fieldsOf(record);
  const body = fields?.['request'] ?? fields?.['body'] ?? null;
  const request = body === null ? null : { url: typeof fields?.['url'] === 'string' ? fields['url'] : null, body };
  if (typeof answer.value === 'string') return [textExchange(answer.value, place, request)];
  const start = fields === null ? null : requestTime(fields);
  return listExchanges(answer, { place, request, start, limits: [] });
}

/** Of a list of chunks: one answer, or several if they have no request. */
function listExchanges(list: Sourced, at: AnswerPlace): readonly Found[] {
  const { place, request } = at;
  const chunks = elements(list).map((element) => elementChunk(element));
  const bad = chunks.indexOf(null);
  if (bad !== -1) return [{ place, malformed: `element ${bad + 1} of its chunks is no chunk` }];
  const whole = chunks.filter((chunk) => chunk !== null);
  const wire = wireOfChunks(whole);
  if (wire === null) return [{ place, malformed: 'its chunks are of no known wire format' }];
  try {
    const split = splitAnswers(whole, wire);
    const { answers } = split;
    if (answers.length > 1 && request !== null) return [{ place, malformed: 'its chunks are of several answers' }];
    return answers.map((answer, number) => {
      const own = answers.length === 1 ? place : `${place}, answer ${number + 1}`;
      return exchangeOf(answer, wire, { ...at, place: own, limits: toldApart(split) });
    });
  } catch (error) {
    if (!(error instanceof MixedAnswers)) throw error;
    return [{ place, malformed: `element ${whole.indexOf(error.chunk) + 1} of its chunks ${error.message}` }];
  }
}

/** The chunks, or the text of the body, in a record; null if it is none. */
function answerIn(record: Sourced): Sourced | null {
  if (Array.isArray(record.value)) return isList(record) ? record : null;
  for (const key of LISTS) {
    const found = member(record, key);
    if (found === null) continue;
    if (isList(found) || (typeof found.value === 'string' && isWholeStream(found.value))) return found;
    const inner = isFields(found.value) ? answerIn(found) : null;
    if (inner !== null) return inner;
  }
  return null;
}

/** An array whose first elements are chunks, bare or wrapped. */
function isList(candidate: Sourced): boolean {
  if (!Array.isArray(candidate.value) || candidate.value.length === 0) return false;
  const first = elements({ value: candidate.value.slice(0, 8), source: candidate.source });
  const chunks = first.map((element) => elementChunk(element)).filter((chunk) => chunk !== null);
  return wireOfChunks(chunks) !== null;
}

/** A body, and not the payload of one event with its field name. */
function isWholeStream(text: string): boolean {
  return beginsAsEventStream(Buffer.from(text.slice(0, 64))) && /[\r\n]/.test(text);
}

function elementChunk(element: Sourced): Chunk | null {
  const wrapper = wrapperOf(element);
  const inner = wrapper === null ? element : member(element, wrapper);
  return inner === null ? null : chunkOf(inner, wrapper === null ? BARE : aboutChunk(element));
}

/** The field that holds the chunk, or null if the value is the chunk itself. */
function wrapperOf(line: Sourced): string | null {
  if (!isFields(line.value) || isTelling(line)) return null;
  for (const key of WRAPPERS) {
    const inner = member(line, key);
    if (inner !== null && isTelling(inner)) return key;
  }
  return null;
}

function isTelling(value: Sourced): boolean {
  const chunk = chunkOf(value, BARE);
  return chunk !== null && wireOfChunks([chunk]) !== null;
}

function chunkOf(inner: Sourced, about: AboutChunk): Chunk | null {
  const payload = typeof inner.value === 'string' ? ssePayload(inner.value) : compact(inner);
  if (payload === null) return null;
  if (isDone(payload)) return { payload: payload.trim(), value: null, ...about };
  const parsed = typeof inner.value === 'string' ? sourced(payload) : inner;
  return parsed !== null && isFields(parsed.value) ? { payload, value: unwrapped(parsed.value), ...about } : null;
}

type AboutChunk = Pick<Chunk, 'time' | 'of'>;

const BARE: AboutChunk = { time: null, of: new Map() };

/** What the fields around a chunk say of it. */
function aboutChunk(envelope: Sourced): AboutChunk {
  const fields = fieldsOf(envelope);
  return fields === null ? BARE : { time: chunkTime(fields), of: chunkRequests(fields) };
}

/** A payload is one line; a value that was logged over several is written anew. */
function compact({ value, source }: Sourced): string {
  return /[\r\n]/.test(source) ? JSON.stringify(value) : source;
}

/** A line that still has its field name, without it; null for other fields of an event. */
function ssePayload(text: string): string | null {
  const line = text.trim();
  if (/^(?:event|id|retry):/.test(line)) return null;
  const payload = line.replace(/^data: ?/, '');
  return /[\r\n]/.test(payload) ? null : payload;
}

function lineChunk(line: LogLine, wrapper: string | null, file: string): Chunk {
  const payload = ssePayload(line.text);
  if (payload !== null && isDone(payload)) return { payload: payload.trim(), value: null, ...BARE };
  const whole = payload === null ? null : sourced(payload);
  if (whole === null) throw notJson(file, line);
  const inner = wrapper === null ? whole : member(whole, wrapper);
  const chunk = inner === null ? null : chunkOf(inner, wrapper === null ? BARE : aboutChunk(whole));
  if (chunk !== null) return chunk;
  throw noChunk(file, line, wrapper);
}

function noChunk(file: string, line: LogLine, wrapper: string | null): RecordingError {
  const what = wrapper === null ? 'is no chunk of the stream' : `has no chunk in its field ${JSON.stringify(wrapper)}`;
  const advice = 'Nothing of the file was imported: what stood there may have been part of a call';
  return new RecordingError({ file, field: `line ${line.number}`, what, advice });
}

interface AnswerPlace {
  readonly place: string;
  readonly request: Exchange['request'];
  readonly start: number | null;
  readonly limits: readonly string[];
}

function exchangeOf(chunks: readonly Chunk[], wire: WireFormat, answer: AnswerPlace): Exchange {
  const { place, request, start } = answer;
  const { bytes, ends, how } = rebuildStream(chunks, wire);
  const { times, limits } = arrivalsOf(chunks, ends, start);
  return {
    ...{ place, request, status: null, headers: NO_HEADERS, body: { bytes }, recordedAt: null },
    envelope: 'rebuilt',
    limits: [how, ...answer.limits, ...limits],
    ...(times === undefined ? {} : { times }),
  };
}

function textExchange(text: string, place: string, request: Exchange['request']): Exchange {
  return {
    ...{ place, request, status: null, headers: NO_HEADERS, body: textBody(text), recordedAt: null },
    envelope: 'verbatim',
    limits: ['The body is the text that was logged.'],
  };
}

function placeOf(lines: readonly LogLine[]): string {
  const [first, last] = [lines[0]?.number ?? 1, lines.at(-1)?.number ?? 1];
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}

function notJson(file: string, line: LogLine): RecordingError {
  const advice = 'Nothing of the file was imported: what stood there may have been part of a call. Restore the line';
  return new RecordingError({ file, field: `line ${line.number}`, what: 'is not JSON', advice });
}

function noChunks(file: string): UnknownFormat {
  const advice = 'Expected are chunks as a provider sends them, or answers with their chunks (docs/import.md)';
  return new UnknownFormat({ file, what: 'holds no chunks of a known wire format', advice });
}

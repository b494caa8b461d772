/** One request over HTTP: its answer as it came, or why there is none. */
import type { Dispatcher } from 'undici';
import { type HttpAnswer, openStream } from '../agent/http-stream.ts';
import { connectionProblem, isLasting, messageIn } from '../agent/transport-problem.ts';
import { systemCode } from '../replay/system-code.ts';
import type { Arrival } from '../replay/times.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { answerContent } from './answer-content.ts';
import { contentType, isEventStream, MOST_HEADERS, saidBody } from './answer-head.ts';
import { type RecordClock, roundedMs } from './clock.ts';
import { isPassingStatus, type ReportedError, readReport } from './reported-error.ts';
import { retryAfter } from './retry-after.ts';
import { shownLine } from './secret-check.ts';

/** Most bytes of an answer: an endless one is cut there. */
export const BODY_LIMIT = 64 * 1024 * 1024;
/** Bytes of what is no stream that are read. */
const BEGINNING = 64 * 1024;
const LONG_HEAD = `the head of the answer is longer than ${MOST_HEADERS} bytes, which is the most that is read`;

/** The bytes of an answer. */
export interface ReceivedAnswer extends ReceivedBody {
  /** When the request was sent. */
  readonly at: Date;
  readonly wire: WireFormat;
  /** The error that the answer ends in, as it may be shown; null if it reports none. */
  readonly error: string | null;
}

interface ReceivedBody {
  readonly bytes: Uint8Array;
  readonly times: readonly Arrival[];
  /** Why it is not whole; null if the response has ended as it should. */
  readonly cut: string | null;
}

export interface FailedAttempt {
  readonly problem: string;
  /** Another attempt may help. */
  readonly again: boolean;
  /** How long the server wants to be left alone, in ms. */
  readonly wait?: number;
  /** No request will get anything else (a key that is refused). */
  readonly forAll?: true;
}

export interface AttemptOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The format that is asked for; what the bytes show stands above it. */
  readonly wire: WireFormat;
  /** The key that is in the headers, so that no message shows it. */
  readonly known: readonly string[];
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
  /** Longest time without a byte, in ms. */
  readonly idleLimit: number;
  readonly clock: RecordClock;
}

/** Rejects only when `signal` is aborted. */
export async function attempt(body: string, options: AttemptOptions): Promise<ReceivedAnswer | FailedAttempt> {
  const { url, headers, dispatcher, signal, idleLimit, clock } = options;
  const since = clock.now();
  const at = clock.date();
  let answer: HttpAnswer;
  try {
    answer = await openStream({ url, headers, body }, { dispatcher, signal, idleLimit });
  } catch (error) {
    signal.throwIfAborted();
    if (systemCode(error) === 'UND_ERR_HEADERS_OVERFLOW') return { problem: LONG_HEAD, again: false };
    return { problem: shownLine(connectionProblem(error), options.known), again: !isLasting(error) };
  }
  if (answer.status !== 200) return refusal(answer, options);
  const encoding = String(answer.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding !== 'identity') {
    answer.close();
    return { problem: `the answer came compressed (${encoding}), though identity was asked for`, again: false };
  }
  if (saidBody(answer.headers) === 'other') return notAStream(await beginningOf(answer), answer, options);
  const received = await readBody(answer, { clock, since, signal });
  const judged = judge(received, answer, options);
  return 'problem' in judged ? judged : { ...received, ...judged, at };
}

/** Bytes that came are kept whatever happens then: a stream that breaks off is what the provider sent. */
async function readBody(
  answer: HttpAnswer,
  { clock, since, signal }: { readonly clock: RecordClock; readonly since: number; readonly signal: AbortSignal },
): Promise<ReceivedBody> {
  const pieces: Uint8Array[] = [];
  const times: Arrival[] = [];
  let size = 0;
  let cut: string | null = null;
  try {
    for await (const piece of answer.chunks) {
      pieces.push(piece);
      size += piece.length;
      times.push({ ms: roundedMs(clock.now() - since), bytes: size });
      if (size <= BODY_LIMIT) continue;
      cut = `the recorder stopped it after ${size} bytes`;
      answer.close();
      break;
    }
  } catch (error) {
    signal.throwIfAborted();
    cut = connectionProblem(error);
  }
  return { bytes: Buffer.concat(pieces), times, cut };
}

/** What is no answer is a failed attempt, as one with another status is. */
function judge(
  { bytes, cut }: ReceivedBody,
  answer: HttpAnswer,
  options: AttemptOptions,
): Pick<ReceivedAnswer, 'wire' | 'error'> | FailedAttempt {
  if (bytes.length === 0) return { problem: cut ?? 'the answer has no byte', again: true };
  if (!isEventStream(answer.headers, bytes)) {
    return notAStream(Buffer.from(bytes).toString('utf8', 0, BEGINNING), answer, options);
  }
  const content = answerContent(bytes, options.wire);
  if (content.kind === 'answer') {
    const { wire, error } = content;
    return { wire, error: error === null ? null : shownLine(error.message, options.known) };
  }
  const context = { answer, options };
  if (content.kind === 'error') return failed('the answer is nothing but an error', content.error, context);
  const nothing = failed('the answer holds no event of a known wire format', readReport(content.said), context);
  // An answer may have been about to begin: as one without a byte.
  const again = nothing.again || content.silent || (cut !== null && bytes.length <= BODY_LIMIT);
  return { ...nothing, problem: `${nothing.problem}${cut === null ? '' : ` (${cut})`}`, again };
}

function notAStream(beginning: string, answer: HttpAnswer, options: AttemptOptions): FailedAttempt {
  const type = contentType(answer.headers);
  const what = `the answer is no event stream (${type === '' ? 'no content type' : type})`;
  return failed(what, readReport(beginning), { answer, options });
}

function failed(
  what: string,
  { message, passing, forAll }: ReportedError,
  { answer, options }: { readonly answer: HttpAnswer; readonly options: AttemptOptions },
): FailedAttempt {
  const wait = passing ? retryAfter(answer.headers) : undefined;
  const problem = `${what}${tail(message, options)}`;
  return { problem, again: passing, ...(wait !== undefined && { wait }), ...(forAll && { forAll: true as const }) };
}

async function refusal(answer: HttpAnswer, options: AttemptOptions): Promise<FailedAttempt> {
  const { status, headers } = answer;
  const said = tail(messageIn(await beginningOf(answer)), options);
  const again = isPassingStatus(status);
  const wait = again ? retryAfter(headers) : undefined;
  const problem = `the server answered ${status}${said}`;
  return { problem, again, ...(wait !== undefined && { wait }), ...(status === 401 && { forAll: true as const }) };
}

/** Closes the answer. */
async function beginningOf(answer: HttpAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of answer.chunks) {
      pieces.push(piece);
      size += piece.length;
      if (size >= BEGINNING) break;
    }
  } catch {
    // What has come must do: the status says more than a lost connection.
  }
  answer.close();
  return Buffer.concat(pieces).toString('utf8');
}

function tail(text: string, options: AttemptOptions): string {
  const said = shownLine(text, options.known);
  return said === '' ? '' : `: ${said}`;
}

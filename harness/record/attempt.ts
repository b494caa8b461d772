/** One request over HTTP: its answer as it came, or why there is none. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type HttpAnswer, openStream } from '../agent/http-stream.ts';
import { connectionProblem, isLasting, messageIn } from '../agent/transport-problem.ts';
import type { Arrival } from '../replay/times.ts';
import { detectWireFormat } from '../stream/dialect.ts';
import { type RecordClock, roundedMs } from './clock.ts';
import { retryAfter } from './retry-after.ts';
import { shownWithout } from './secret-check.ts';

/** Most bytes of an answer: an endless one is cut there. */
export const BODY_LIMIT = 64 * 1024 * 1024;
/** Bytes of what is no stream that are read. */
const BEGINNING = 64 * 1024;
/** UTF-16 units of it that are shown. */
const SHOWN = 300;

/** The bytes of an answer. */
export interface ReceivedAnswer {
  readonly bytes: Uint8Array;
  readonly times: readonly Arrival[];
  /** When the request was sent. */
  readonly at: Date;
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
    return { problem: shown(connectionProblem(error), options), again: !isLasting(error) };
  }
  if (answer.status !== 200) return refusal(answer, options);
  const encoding = String(answer.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding !== 'identity') {
    answer.close();
    return { problem: `the answer came compressed (${encoding}), though identity was asked for`, again: false };
  }
  const type = contentType(answer.headers);
  if (/json|html/.test(type)) return notAStream(await beginningOf(answer), type, options);
  const received = await readBody(answer, { clock, since, signal });
  return judged({ ...received, at }, type, options);
}

export function contentType(headers: IncomingHttpHeaders): string {
  return String(headers['content-type'] ?? '').toLowerCase();
}

/** Bytes that came are kept whatever happens then: a stream that breaks off is what the provider sent. */
async function readBody(
  answer: HttpAnswer,
  { clock, since, signal }: { readonly clock: RecordClock; readonly since: number; readonly signal: AbortSignal },
): Promise<Omit<ReceivedAnswer, 'at'>> {
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

function judged(answer: ReceivedAnswer, type: string, options: AttemptOptions): ReceivedAnswer | FailedAttempt {
  const { bytes, cut } = answer;
  if (bytes.length === 0) return { problem: cut ?? 'the answer has no byte', again: true };
  const isStream = type.startsWith('text/event-stream') || detectWireFormat(bytes) !== null;
  return isStream ? answer : notAStream(Buffer.from(bytes).toString('utf8', 0, BEGINNING), type, options);
}

function notAStream(beginning: string, type: string, options: AttemptOptions): FailedAttempt {
  const what = `the answer is no event stream (${type === '' ? 'no content type' : type})`;
  return { problem: `${what}${tail(messageIn(beginning), options)}`, again: false };
}

async function refusal(answer: HttpAnswer, options: AttemptOptions): Promise<FailedAttempt> {
  const { status, headers } = answer;
  const said = tail(messageIn(await beginningOf(answer)), options);
  const again = status === 408 || status === 429 || status >= 500;
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
  const said = shown(text, options);
  return said === '' ? '' : `: ${said}`;
}

/** Servers like to repeat the key in what they say of it. */
function shown(text: string, { known }: AttemptOptions): string {
  const line = shownWithout(text, known).replaceAll(/\s+/g, ' ').trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

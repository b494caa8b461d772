/** What the proxy stores of an exchange: which answers, under which names, and what is to be known of them. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { guessFraming } from '../replay/guess.ts';
import type { Framing } from '../replay/recording.ts';
import { findSecrets } from '../replay/secrets.ts';
import type { NewRecording } from '../replay/suite-writer.ts';
import type { Arrival } from '../replay/times.ts';
import { readStream } from '../stream/reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { answerContent } from './answer-content.ts';
import { isEventStream, saidBody } from './answer-head.ts';
import { decodeBody } from './content-encoding.ts';
import { askedModel, bodyFields, keptRequest } from './kept-request.ts';
import {
  clearBody,
  clearRequest,
  entryProblem,
  errorNote,
  maskedNote,
  type SecretRules,
  shownLine,
} from './secret-check.ts';

/** Where streamed answers come from, by the end of the path. */
const ENDPOINTS: readonly (readonly [RegExp, WireFormat])[] = [
  [/\/chat\/completions$/, 'openai-chat'],
  [/\/messages$/, 'anthropic'],
  [/\/responses$/, 'openai-responses'],
  [/:(streamG|g)enerateContent$/, 'gemini'],
];

/** How an exchange ended: `cut` by the target, `client-closed` by the client, `stopped` with the proxy, `failed`: no answer. */
export type ProxyEnd = 'complete' | 'cut' | 'client-closed' | 'stopped' | 'failed';

/** What was heard of an exchange. */
export interface Heard {
  readonly at: Date;
  /** The request body; null if it is longer than was kept. */
  readonly requestBody: Uint8Array | null;
  readonly headers: IncomingHttpHeaders;
  /** The response body as it came; null if it is longer than was kept. */
  readonly bytes: Uint8Array | null;
  /** Bytes of the response body. */
  readonly size: number;
  readonly times: readonly Arrival[];
  readonly end: ProxyEnd;
  /** Why, where the end is no good one. */
  readonly problem: string | null;
}

export interface ProxyNaming {
  /** The task that the client named; null: a hash of the request. */
  readonly task: string | null;
  /** The framing of all answers; null: guessed from each. */
  readonly protocol: Framing | null;
  readonly provider: string | null;
}

/**
 * An answer to store (`error`: what it ends in, as it may be shown), or why it is not stored. `lost`: it was to be; else
 * it is nothing to store, and `problem` is null for what is no stream, as an ordinary JSON answer is.
 */
export type ProxyRecording =
  | { readonly recording: NewRecording; readonly error: string | null }
  | { readonly problem: string | null; readonly lost: boolean };

/** The wire format of streamed answers to such a request; null where none is stored: it only passes. */
export function endpointWire(method: string, path: string): WireFormat | null {
  if (method !== 'POST') return null;
  return ENDPOINTS.find(([form]) => form.test(path.split('?', 1)[0] ?? ''))?.[1] ?? null;
}

/** Whether an answer with this head may be a stream that is stored. */
export function mayBeStream(status: number, headers: IncomingHttpHeaders): boolean {
  return status === 200 && saidBody(headers) !== 'other';
}

export function proxyRecording(
  heard: Heard,
  { wire, path }: { readonly wire: WireFormat; readonly path: string },
  rules: { readonly naming: ProxyNaming; readonly secrets: SecretRules },
): ProxyRecording {
  if (heard.bytes === null) return lost(`the answer is too long to be kept (${heard.size} bytes)`);
  const decoded = decodeBody(heard.bytes, heard.headers['content-encoding'] ?? null);
  if ('problem' in decoded) {
    return saidBody(heard.headers) === 'stream' ? lost(`the answer: ${decoded.problem}`) : NOT_A_STREAM;
  }
  if (!isEventStream(heard.headers, decoded.bytes)) return NOT_A_STREAM;
  const content = answerContent(decoded.bytes, wire);
  if (content.kind === 'none') return nothingIn('no event of a known wire format in it');
  const { known } = rules.secrets;
  const error = content.error === null ? null : shownLine(content.error.message, known);
  if (content.kind === 'error') return nothingIn(`nothing but an error in it: ${error}`);
  return storable({ heard, bytes: decoded.bytes, decoded: decoded.decoded, wire: content.wire, path, error }, rules);
}

/** A stream with an answer in it. */
interface HeardAnswer {
  readonly heard: Heard;
  readonly bytes: Uint8Array;
  /** Encodings that were taken away. */
  readonly decoded: readonly string[];
  readonly wire: WireFormat;
  /** Of the request. */
  readonly path: string;
  /** The error that it ends in, as it may be shown. */
  readonly error: string | null;
}

function storable(
  { heard, decoded, wire, path, error, ...answer }: HeardAnswer,
  { naming, secrets }: { readonly naming: ProxyNaming; readonly secrets: SecretRules },
): ProxyRecording {
  const cleared = clearBody(answer.bytes, wire, secrets);
  if ('problem' in cleared) return lost(cleared.problem);
  const fields = bodyFields(heard.requestBody);
  const kept = keptRequest(fields);
  const request = kept.request === null ? null : clearRequest(kept.request, secrets);
  if (request !== null && 'problem' in request) return lost(request.problem);
  const bytes = cleared.value;
  const protocol = naming.protocol ?? guessFraming(readStream(bytes, wire).events);
  const hashed = hashName(heard.requestBody ?? answer.bytes);
  const notes = [
    ...cutNote(heard),
    ...errorNote(error),
    ...(isSecret(naming.task, secrets) ? ['The task was named by a secret, which is left out.'] : []),
    ...(naming.protocol === null ? ['The protocol was guessed from the answer.'] : []),
    ...decodedNote(decoded),
    ...maskedNote(cleared.masked + (request?.masked ?? 0)),
    ...kept.limits,
  ];
  const recording: NewRecording = {
    entry: {
      task: isSecret(naming.task, secrets) ? hashed : (naming.task ?? hashed),
      ...{ protocol, wire, provider: naming.provider, model: askedModel(fields, path) },
      ...{ recordedAt: heard.at.toISOString(), request: request?.value ?? null, source: 'recorded' },
      ...(notes.length > 0 && { note: notes.join(' ') }),
    },
    bytes,
    ...(decoded.length === 0 && { times: heard.times }),
  };
  const problem = entryProblem(recording.entry, secrets);
  return problem === null ? { recording, error } : lost(problem);
}

const NOT_A_STREAM: ProxyRecording = { problem: null, lost: false };

function lost(problem: string): ProxyRecording {
  return { problem, lost: true };
}

/** The client has it, and no recording would say more of it than its line does. */
function nothingIn(what: string): ProxyRecording {
  return { problem: `not stored, for there is ${what}`, lost: false };
}

function decodedNote(decoded: readonly string[]): readonly string[] {
  if (decoded.length === 0) return [];
  return [`It came compressed (${decoded.join(', ')}); these are the decoded bytes, without times.`];
}

function isSecret(task: string | null, { known }: SecretRules): boolean {
  return task !== null && findSecrets(Buffer.from(task), known).length > 0;
}

function cutNote({ end, size, problem }: Heard): readonly string[] {
  if (end === 'complete') return [];
  // It may have had all it wanted: many clients leave at `[DONE]`.
  if (end === 'client-closed') return [`The client left after ${size} bytes.`];
  return [`The stream broke off after ${size} bytes: ${problem ?? end}.`];
}

/** Twelve hexadecimal digits of the SHA-256 of the request body: equal requests are one task. */
function hashName(body: Uint8Array): string {
  return `request-${createHash('sha256').update(body).digest('hex').slice(0, 12)}`;
}

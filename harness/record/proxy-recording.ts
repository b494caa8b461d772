/** What the proxy stores of an exchange: which answers, under which names, and what is to be known of them. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { guessFraming } from '../replay/guess.ts';
import type { Framing } from '../replay/recording.ts';
import { findSecrets } from '../replay/secrets.ts';
import type { NewRecording } from '../replay/suite-writer.ts';
import type { Arrival } from '../replay/times.ts';
import { detectWireFormat } from '../stream/dialect.ts';
import { readStream } from '../stream/reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { contentType } from './attempt.ts';
import { decodeBody } from './content-encoding.ts';
import { askedModel, bodyFields, keptRequest } from './kept-request.ts';
import { clearBody, clearRequest, entryProblem, maskedNote, type SecretRules } from './secret-check.ts';

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

/** An answer to store, or why it is not stored. */
export type ProxyRecording = { readonly recording: NewRecording } | { readonly problem: string };

/** The wire format of streamed answers to such a request; null where none is stored: it only passes. */
export function endpointWire(method: string, path: string): WireFormat | null {
  if (method !== 'POST') return null;
  return ENDPOINTS.find(([form]) => form.test(path.split('?', 1)[0] ?? ''))?.[1] ?? null;
}

/** Whether an answer with this head is a stream that is stored. */
export function isStreamHead(status: number, headers: IncomingHttpHeaders): boolean {
  return status === 200 && contentType(headers).startsWith('text/event-stream');
}

export function proxyRecording(
  heard: Heard,
  { wire, path }: { readonly wire: WireFormat; readonly path: string },
  { naming, secrets }: { readonly naming: ProxyNaming; readonly secrets: SecretRules },
): ProxyRecording {
  if (heard.bytes === null) return { problem: `the answer is too long to be kept (${heard.size} bytes)` };
  const decoded = decodeBody(heard.bytes, heard.headers['content-encoding'] ?? null);
  if ('problem' in decoded) return { problem: `the answer: ${decoded.problem}` };
  const isDecoded = decoded.decoded.length > 0;
  const detected = detectWireFormat(decoded.bytes) ?? wire;
  const cleared = clearBody(decoded.bytes, detected, secrets);
  if ('problem' in cleared) return cleared;
  const fields = bodyFields(heard.requestBody);
  const kept = keptRequest(fields);
  const request = kept.request === null ? null : clearRequest(kept.request, secrets);
  if (request !== null && 'problem' in request) return request;
  const bytes = cleared.value;
  const protocol = naming.protocol ?? guessFraming(readStream(bytes, detected).events);
  const hashed = hashName(heard.requestBody ?? heard.bytes);
  const notes = [
    ...cutNote(heard),
    ...(isSecret(naming.task, secrets) ? ['The task was named by a secret, which is left out.'] : []),
    ...(naming.protocol === null ? ['The protocol was guessed from the answer.'] : []),
    ...(isDecoded
      ? [`It came compressed (${decoded.decoded.join(', ')}); these are the decoded bytes, without times.`]
      : []),
    ...maskedNote(cleared.masked + (request?.masked ?? 0)),
    ...kept.limits,
  ];
  const recording: NewRecording = {
    entry: {
      task: isSecret(naming.task, secrets) ? hashed : (naming.task ?? hashed),
      ...{ protocol, wire: detected, provider: naming.provider, model: askedModel(fields, path) },
      ...{ recordedAt: heard.at.toISOString(), request: request?.value ?? null, source: 'recorded' },
      ...(notes.length > 0 && { note: notes.join(' ') }),
    },
    bytes,
    ...(!isDecoded && { times: heard.times }),
  };
  const problem = entryProblem(recording.entry, secrets);
  return problem === null ? { recording } : { problem };
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

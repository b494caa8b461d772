/** What a file of another tool holds: requests and their answers, each with what is known of its bytes. */
import type { Arrival } from '../replay/times.ts';

export interface Exchange {
  /** Where it stands in its file: `interaction 2`, `entry 7`, `line 12`. */
  readonly place: string;
  readonly request: ExchangeRequest | null;
  /** HTTP status, or null where the format has none. */
  readonly status: number | null;
  readonly headers: ResponseHeaders;
  /** The response body as the file has it, still encoded if a header says so; or why there is none. */
  readonly body: ExchangeBody;
  /** When the request was made or answered, as the file writes it. */
  readonly recordedAt: string | null;
  /** `rebuilt`: the payloads are the file's, the SSE lines around them were made here. */
  readonly envelope: 'verbatim' | 'rebuilt';
  /** What the file does not say or does not keep, a sentence each. */
  readonly limits: readonly string[];
  /** Only where the file says when each chunk came. */
  readonly times?: readonly Arrival[];
}

export interface ExchangeRequest {
  readonly url: string | null;
  /** As text, bytes or parsed JSON. */
  readonly body: unknown;
}

/** The headers that matter here; the others are not read. */
export interface ResponseHeaders {
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  readonly date: string | null;
}

export type ExchangeBody = { readonly bytes: Uint8Array } | { readonly absent: string };

/** A part of a file that is not in the form of its format. */
export interface Malformed {
  readonly place: string;
  readonly malformed: string;
}

export type Found = Exchange | Malformed;

export const NO_HEADERS: ResponseHeaders = { contentType: null, contentEncoding: null, date: null };

const NO_BODY: ExchangeBody = { absent: 'the answer has no body' };
const HALF_CHARACTER = /\p{Surrogate}/u;

/** The bytes of a body that a tool has written as text. Half a character has no bytes, so that they are unknown. */
export function textBody(text: string | null | undefined): ExchangeBody {
  if (text === null || text === undefined || text === '') return NO_BODY;
  if (HALF_CHARACTER.test(text)) return { absent: 'its text holds half a character, so that its bytes are unknown' };
  return { bytes: Buffer.from(text, 'utf8') };
}

/** The bytes of base64 text, blanks in it allowed. */
export function base64Body(text: string): ExchangeBody {
  const bytes = base64Bytes(text);
  if (bytes === null) return { absent: 'its body is not base64' };
  return bytes.length === 0 ? NO_BODY : { bytes };
}

/** The bytes of base64 text, blanks in it allowed, or null if it is none. */
export function base64Bytes(text: string): Uint8Array | null {
  const digits = text.replace(/\s+/g, '');
  const body = digits.replace(/={1,2}$/, '');
  if (/[^A-Za-z0-9+/]/.test(body) || body.length % 4 === 1) return null;
  return Buffer.from(digits, 'base64');
}

export function bytesBody(bytes: Uint8Array): ExchangeBody {
  return bytes.length === 0 ? NO_BODY : { bytes };
}

/** @param pairs name and value of each header, in any case. */
export function responseHeaders(pairs: Iterable<readonly [name: string, value: string]>): ResponseHeaders {
  const found = new Map<string, string>();
  for (const [name, value] of pairs) found.set(name.toLowerCase(), value);
  return {
    contentType: found.get('content-type') ?? null,
    contentEncoding: found.get('content-encoding') ?? null,
    date: found.get('date') ?? null,
  };
}

/**
 * Cassettes: vcrpy (Python), ruby vcr and go-vcr. All are lists of interactions; they differ in where status and body
 * stand: go-vcr has `code: 200, body: …`, the others `status: {code: 200}, body: {string: …}`.
 *
 * Sources: vcrpy `vcr/serialize.py`, `vcr/serializers/compat.py`; ruby vcr "Cassette format"
 * (`VCR::HTTPInteraction#to_hash`, `preserve_exact_body_bytes`); go-vcr `cassette/cassette.go` (v1 to v4).
 */
import * as z from 'zod';
import { isFields } from '../stream/json-fields.ts';
import {
  base64Body,
  bytesBody,
  type Exchange,
  type ExchangeBody,
  type Found,
  responseHeaders,
  textBody,
} from './exchange.ts';
import { issueText, type TreeFormat } from './format.ts';

const text = z.string();
const data = z.union([text, z.instanceof(Uint8Array)]);
const headers = z.record(text, z.unknown()).nullish();

/** A body as text, bytes, or (old files) base64 in a field of its own. */
const body = z.looseObject({ string: data.nullish(), base64_string: text.nullish(), encoding: text.nullish() });

const vcrpyInteraction = z.looseObject({
  request: z.looseObject({ uri: text.nullish(), body: z.unknown().optional(), parsed_body: z.unknown().optional() }),
  response: z.looseObject({
    status: z.looseObject({ code: z.number() }),
    headers,
    body: z.union([data, body]).nullish(),
  }),
});

const rubyInteraction = z.looseObject({
  request: z.looseObject({ uri: text.nullish(), body: z.union([data, body]).nullish() }),
  response: z.looseObject({
    status: z.looseObject({ code: z.number() }),
    headers,
    body: z.union([data, body]).nullish(),
  }),
  recorded_at: text.nullish(),
});

const goInteraction = z.looseObject({
  request: z.looseObject({ url: text.nullish(), body: data.nullish() }),
  response: z.looseObject({
    code: z.number().nullish(),
    status: z.union([text, z.number()]).nullish(),
    headers,
    body: data.nullish(),
  }),
});

export const vcrpy: TreeFormat = {
  name: 'vcrpy',
  of: 'a vcrpy cassette',
  matches: (value) => {
    const response = firstResponse(value, 'interactions');
    return response !== null && isFields(response['status']);
  },
  read: (value) =>
    interactions(value, 'interactions', vcrpyInteraction, ({ request, response }) => ({
      request: { url: request.uri ?? null, body: request.body ?? request.parsed_body ?? null },
      status: response.status.code,
      headers: responseHeaders(headerPairs(response.headers)),
      body: cassetteBody(response.body, response['parsed_body']),
      recordedAt: null,
    })),
};

export const rubyVcr: TreeFormat = {
  name: 'ruby-vcr',
  of: 'a cassette of ruby vcr',
  matches: (value) => isFields(value) && Array.isArray(value['http_interactions']),
  read: (value) =>
    interactions(value, 'http_interactions', rubyInteraction, ({ request, response, recorded_at }) => ({
      request: { url: request.uri ?? null, body: bodyValue(request.body) },
      status: response.status.code,
      headers: responseHeaders(headerPairs(response.headers)),
      body: cassetteBody(response.body),
      recordedAt: recorded_at ?? null,
    })),
};

export const goVcr: TreeFormat = {
  name: 'go-vcr',
  of: 'a go-vcr cassette',
  matches: (value) => {
    const response = firstResponse(value, 'interactions');
    return response !== null && !isFields(response['status']);
  },
  read: (value) =>
    interactions(value, 'interactions', goInteraction, ({ request, response }) => ({
      request: { url: request.url ?? null, body: request.body ?? null },
      status: response.code ?? Number.parseInt(String(response.status ?? 200), 10),
      headers: responseHeaders(headerPairs(response.headers)),
      body: cassetteBody(response.body),
      recordedAt: null,
    })),
};

type Read = Pick<Exchange, 'request' | 'status' | 'headers' | 'body' | 'recordedAt'>;

function* interactions<S extends z.ZodType>(
  value: unknown,
  key: string,
  schema: S,
  read: (interaction: z.infer<S>) => Read,
): Generator<Found> {
  const list: readonly unknown[] = isFields(value) && Array.isArray(value[key]) ? value[key] : [];
  for (const [at, entry] of list.entries()) {
    const place = `interaction ${at + 1}`;
    const parsed = schema.safeParse(entry);
    if (!parsed.success) yield { place, malformed: issueText(parsed.error) };
    else yield { place, ...read(parsed.data), envelope: 'verbatim', limits: [] };
  }
}

function firstResponse(value: unknown, key: string): { readonly [key: string]: unknown } | null {
  const list = isFields(value) ? value[key] : undefined;
  if (!Array.isArray(list)) return null;
  const first: unknown = list[0];
  if (first === undefined) return {};
  return isFields(first) && isFields(first['response']) ? first['response'] : null;
}

function cassetteBody(
  value: z.infer<typeof body> | string | Uint8Array | null | undefined,
  parsed?: unknown,
): ExchangeBody {
  if (isFields(value) && !(value instanceof Uint8Array) && typeof value['base64_string'] === 'string') {
    return base64Body(value['base64_string']);
  }
  const content = bodyValue(value);
  if (content instanceof Uint8Array) return bytesBody(content);
  if (content === null && parsed !== undefined) return { absent: 'not streamed (the cassette keeps it parsed)' };
  return textBody(content);
}

function bodyValue(value: z.infer<typeof body> | string | Uint8Array | null | undefined): string | Uint8Array | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  if (typeof value['base64_string'] === 'string') return Buffer.from(value['base64_string'], 'base64');
  return value.string ?? null;
}

/** Values stand alone or in lists. */
function* headerPairs(value: z.infer<typeof headers>): Generator<[string, string]> {
  for (const [name, content] of Object.entries(value ?? {})) {
    const first: unknown = Array.isArray(content) ? content[0] : content;
    if (typeof first === 'string') yield [name, first];
    else if (first instanceof Uint8Array) yield [name, Buffer.from(first).toString('latin1')];
  }
}

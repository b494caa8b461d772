/**
 * What nock's recorder returns with `output_objects: true`, and what nock back keeps: a JSON array of definitions. A body
 * that is JSON was parsed, one that is compressed is an array of hexadecimal chunks, one that is no UTF-8 is hexadecimal.
 *
 * Source: nock 14 `lib/recorder.js`, `getBodyFromChunks`.
 */
import * as z from 'zod';
import { isFields } from '../stream/json-fields.ts';
import { bytesBody, type ExchangeBody, type Found, responseHeaders, textBody } from './exchange.ts';
import { issueText, type TreeFormat } from './format.ts';

const definition = z.looseObject({
  scope: z.string(),
  path: z.string(),
  body: z.unknown().optional(),
  status: z.number().nullish(),
  response: z.unknown().optional(),
  responseIsBinary: z.boolean().nullish(),
  rawHeaders: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).nullish(),
});
type Definition = z.infer<typeof definition>;

const HEX = /^(?:[0-9a-f]{2})*$/i;

export const nock: TreeFormat = {
  name: 'nock',
  of: "a recording of nock's",
  matches: (value) => Array.isArray(value) && isFields(value[0]) && 'scope' in value[0] && 'path' in value[0],
  read: readNock,
};

function* readNock(value: unknown): Generator<Found> {
  for (const [at, entry] of (Array.isArray(value) ? (value as readonly unknown[]) : []).entries()) {
    const place = `definition ${at + 1}`;
    const parsed = definition.safeParse(entry);
    if (!parsed.success) {
      yield { place, malformed: issueText(parsed.error) };
      continue;
    }
    const { scope, path, body, status, rawHeaders } = parsed.data;
    yield {
      place,
      request: { url: `${scope}${path}`, body: body === '' ? null : (body ?? null) },
      status: status ?? 200,
      headers: responseHeaders(headerPairs(rawHeaders)),
      body: nockBody(parsed.data),
      recordedAt: null,
      envelope: 'verbatim',
      limits: [],
    };
  }
}

function nockBody({ response, responseIsBinary }: Definition): ExchangeBody {
  if (typeof response === 'string') {
    if (responseIsBinary !== true) return textBody(response);
    return HEX.test(response) ? bytesBody(Buffer.from(response, 'hex')) : { absent: 'its body is not hexadecimal' };
  }
  if (isChunkList(response)) return bytesBody(Buffer.concat(response.map((chunk) => Buffer.from(chunk, 'hex'))));
  if (response === undefined || response === null) return textBody(null);
  return { absent: 'not streamed (a JSON document, kept parsed)' };
}

function isChunkList(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((chunk) => typeof chunk === 'string' && HEX.test(chunk))
  );
}

/** Names and values in turn, or an object (from nock 14 on). */
function headerPairs(value: Definition['rawHeaders']): [string, string][] {
  if (value === null || value === undefined) return [];
  const pairs = Array.isArray(value)
    ? value.flatMap((name, at): [unknown, unknown][] => (at % 2 === 0 ? [[name, value[at + 1]]] : []))
    : Object.entries(value);
  return pairs.flatMap(([name, content]): [string, string][] => {
    const first: unknown = Array.isArray(content) ? content[0] : content;
    return typeof name === 'string' && typeof first === 'string' ? [[name, first]] : [];
  });
}

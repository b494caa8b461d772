/**
 * HTTP archives: those of browsers and proxies (HAR 1.2), and those of Polly.JS, which are HAR with its own way to keep a
 * compressed body: a JSON array of the chunks, each in base64 (or, before version 5, hexadecimal).
 *
 * Sources: "HTTP Archive 1.2" (content.encoding); `@pollyjs/adapter-node-http` 6, `getBodyFromChunks`.
 */
import * as z from 'zod';
import { isFields } from '../stream/json-fields.ts';
import {
  base64Body,
  base64Bytes,
  bytesBody,
  type Exchange,
  type ExchangeBody,
  type Found,
  responseHeaders,
  textBody,
} from './exchange.ts';
import { issueText, type TreeFormat } from './format.ts';
import { isReadAsWindows1252 } from './windows-1252.ts';

const text = z.string();

const harEntry = z.looseObject({
  startedDateTime: text.nullish(),
  request: z.looseObject({ url: text, postData: z.looseObject({ text: text.nullish() }).nullish() }),
  response: z.looseObject({
    status: z.number(),
    headers: z.array(z.looseObject({ name: text, value: text })).nullish(),
    content: z
      .looseObject({
        text: text.nullish(),
        encoding: text.nullish(),
        mimeType: text.nullish(),
        _isBinary: z.unknown().optional(),
      })
      .nullish(),
  }),
});
type HarEntry = z.infer<typeof harEntry>;

export const polly: TreeFormat = {
  name: 'polly',
  of: 'a recording of Polly.JS',
  matches: (value) => {
    const log = logOf(value);
    if (log === null) return false;
    const creator = log['creator'];
    return '_recordingName' in log || (isFields(creator) && creator['name'] === 'Polly.JS');
  },
  read: (value) => entries(value, { body: pollyBody, limits: () => [] }),
};

export const har: TreeFormat = {
  name: 'har',
  of: 'an HTTP archive',
  matches: (value) => logOf(value) !== null,
  read: (value) => entries(value, { body: harBody, limits: harLimits }),
};

interface EntryReader {
  body(entry: HarEntry): ExchangeBody;
  limits(entry: HarEntry): readonly string[];
}

function* entries(value: unknown, reader: EntryReader): Generator<Found> {
  const list: readonly unknown[] = (logOf(value)?.['entries'] as readonly unknown[] | undefined) ?? [];
  for (const [at, entry] of list.entries()) {
    const place = `entry ${at + 1}`;
    const parsed = harEntry.safeParse(entry);
    if (!parsed.success) yield { place, malformed: issueText(parsed.error) };
    else yield { place, ...exchangeOf(parsed.data, reader) };
  }
}

function exchangeOf(entry: HarEntry, reader: EntryReader): Omit<Exchange, 'place'> {
  const { request, response } = entry;
  const headers = responseHeaders((response.headers ?? []).map(({ name, value }) => [name, value] as const));
  return {
    request: { url: request.url, body: request.postData?.text ?? null },
    status: response.status,
    headers: { ...headers, contentType: headers.contentType ?? response.content?.mimeType ?? null },
    body: reader.body(entry),
    recordedAt: entry.startedDateTime ?? null,
    envelope: 'verbatim',
    limits: reader.limits(entry),
  };
}

function harBody({ response }: HarEntry): ExchangeBody {
  const { text: content, encoding, mimeType } = response.content ?? {};
  if (content === undefined || content === null || content === '') {
    const isStream = mimeType?.startsWith('text/event-stream') === true;
    return {
      absent: isStream
        ? 'the archive has no body for this event stream (browsers leave it out: use cst proxy)'
        : 'the archive has no body',
    };
  }
  if (encoding === 'base64') return base64Body(content);
  if (encoding === null || encoding === undefined || encoding === '') {
    const isMisread = !/charset="?utf-?8/i.test(contentTypeOf(response)) && isReadAsWindows1252(content);
    return isMisread ? { absent: MISREAD } : textBody(content);
  }
  return { absent: `its body has the unknown encoding ${JSON.stringify(encoding)}` };
}

const MISREAD =
  'the browser seems to have read it as windows-1252 (its content type says no charset), so that its bytes are unknown: use cst proxy';

function contentTypeOf({ headers, content }: HarEntry['response']): string {
  const header = (headers ?? []).find(({ name }) => name.toLowerCase() === 'content-type');
  return header?.value ?? content?.mimeType ?? '';
}

/** A browser decodes before it writes, and a byte that is no UTF-8 is gone by then. */
function harLimits({ response }: HarEntry): readonly string[] {
  const isText = response.content?.encoding !== 'base64';
  return isText ? ['The archive keeps text, not bytes: a byte order mark would be lost.'] : [];
}

function pollyBody(entry: HarEntry): ExchangeBody {
  const { text: content, encoding } = entry.response.content ?? {};
  if (content === undefined || content === null || content === '') return textBody(content);
  if (isCompressed(entry) && content.startsWith('[')) return chunkList(content) ?? textBody(content);
  if (encoding === 'base64') return base64Body(content);
  if (entry.response.content?._isBinary === true) return bytesBody(Buffer.from(content, 'hex'));
  return textBody(content);
}

function isCompressed({ response }: HarEntry): boolean {
  return (response.headers ?? []).some(({ name }) => name.toLowerCase() === 'content-encoding');
}

/** The chunks of a compressed body, or null if the text is no list of them. */
function chunkList(content: string): ExchangeBody | null {
  let chunks: unknown;
  try {
    chunks = JSON.parse(content);
  } catch {
    return null;
  }
  if (!Array.isArray(chunks) || !chunks.every((chunk) => typeof chunk === 'string')) return null;
  // Hexadecimal digits are base64 digits too: only a whole body of nothing else is hexadecimal.
  const isHex = chunks.every((chunk) => /^(?:[0-9a-f]{2})*$/.test(chunk));
  const parts = chunks.map((chunk) => (isHex ? Buffer.from(chunk, 'hex') : base64Bytes(chunk)));
  return parts.every((part) => part !== null)
    ? bytesBody(Buffer.concat(parts))
    : { absent: 'a chunk of its body is neither base64 nor hexadecimal' };
}

function logOf(value: unknown): { readonly [key: string]: unknown } | null {
  const log = isFields(value) ? value['log'] : undefined;
  return isFields(log) && Array.isArray(log['entries']) ? log : null;
}

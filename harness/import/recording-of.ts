/** One exchange becomes a recording, or is left out with the reason. */

import { beginsAsEventStream, type DecodedBody, decodeBody } from '../record/content-encoding.ts';
import { clearBody, clearRequest, maskedNote } from '../record/secret-check.ts';
import { type ClearedEntry, entryProblem, maskedEntry } from '../replay/entry-secrets.ts';
import { guessFraming } from '../replay/guess.ts';
import type { NewRecording } from '../replay/suite-writer.ts';
import { detectWireFormat } from '../stream/dialect.ts';
import { readStream } from '../stream/reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { DEFAULT_EVENT_LIMIT, SseDecoder } from '../wire/sse.ts';
import { askedOf } from './asked.ts';
import type { Exchange } from './exchange.ts';
import { namedModel } from './named-model.ts';
import { isZoned, zonedTime } from './zoned-time.ts';

export interface RecordingOptions {
  readonly task: string;
  /** Where it is from: `a vcrpy cassette (test.yaml, interaction 2)`. */
  readonly from: string;
  /** Told from the body if null. */
  readonly wire: WireFormat | null;
  /** Mask secrets; else what holds one is refused. */
  readonly redact: boolean;
}

/**
 * `other`: no streamed answer of a model, and so nothing to import; `refused`: one that must not, or cannot, be
 * written.
 */
export type ImportedExchange =
  | { readonly recording: NewRecording; readonly masked: number }
  | { readonly why: 'other' | 'refused'; readonly reason: string };

export function recordingOf(exchange: Exchange, options: RecordingOptions): ImportedExchange {
  const { body, status } = exchange;
  if (status !== null && (status < 200 || status > 299)) return other(`status ${status}`);
  if ('absent' in body) return other(body.absent);
  const decoded = decodeBody(body.bytes, exchange.headers.contentEncoding);
  if ('problem' in decoded) return { why: 'refused', reason: decoded.problem };
  const { bytes } = decoded;
  const shown = detectWireFormat(bytes);
  if (options.wire !== null && shown !== null && shown !== options.wire) {
    return { why: 'refused', reason: `its content is ${shown}, and not ${options.wire}` };
  }
  const wire = shown ?? (beginsAsEventStream(bytes) ? options.wire : null);
  if (wire === null) return other(noStream(bytes, exchange.headers.contentType));
  return cleared({ bytes, wire, limits: decodingLimits(decoded) }, exchange, options);
}

interface Stream {
  readonly bytes: Uint8Array;
  readonly wire: WireFormat;
  readonly limits: readonly string[];
}

function cleared(stream: Stream, exchange: Exchange, options: RecordingOptions): ImportedExchange {
  const rules = { known: [], redact: options.redact };
  const body = clearBody(stream.bytes, stream.wire, rules);
  if ('problem' in body) return { why: 'refused', reason: body.problem };
  const asked = askedOf(exchange.request);
  const request = asked.request === null ? null : clearRequest(asked.request, rules);
  if (request !== null && 'problem' in request) return { why: 'refused', reason: request.problem };
  const { wire } = stream;
  const time = recordingTime(exchange);
  const entry: NewRecording['entry'] = {
    task: options.task,
    protocol: guessFraming(readStream(body.value, wire).events),
    wire,
    provider: asked.provider,
    model: asked.model ?? namedModel(body.value),
    recordedAt: time.recordedAt,
    request: request?.value ?? null,
    source: exchange.envelope === 'verbatim' ? 'recorded' : 'enveloped',
    note: [`Imported from ${options.from}.`, ...bodyLimits(stream, exchange), ...asked.limits, ...time.limits].join(
      ' ',
    ),
  };
  const named = clearedEntry(entry, options.redact);
  if ('problem' in named) return { why: 'refused', reason: named.problem };
  const masked = body.masked + (request?.masked ?? 0) + named.masked;
  const note = [named.entry.note ?? '', ...maskedNote(masked), 'The protocol was guessed.'].join(' ');
  const isDecoded = stream.bytes !== ('bytes' in exchange.body ? exchange.body.bytes : null);
  const times = exchange.times !== undefined && !isDecoded ? { times: exchange.times } : {};
  return { recording: { entry: { ...named.entry, note }, bytes: body.value, ...times }, masked };
}

function clearedEntry(entry: NewRecording['entry'], redact: boolean): ClearedEntry<NewRecording['entry']> {
  if (redact) return maskedEntry(entry);
  const problem = entryProblem(entry);
  return problem === null ? { entry, masked: 0 } : { problem };
}

function decodingLimits({ decoded, cut }: Extract<DecodedBody, { bytes: unknown }>): readonly string[] {
  if (decoded.length === 0) return [];
  const kept = `The body was kept compressed (${decoded.join(', ')}); these are the decoded bytes.`;
  return [kept, ...(cut ? ['It breaks off within its compression: what came after that is not known.'] : [])];
}

function bodyLimits({ bytes, limits }: Stream, exchange: Exchange): readonly string[] {
  return [
    ...exchange.limits,
    ...(exchange.envelope === 'verbatim' && exchange.times === undefined ? ['Arrival times are unknown.'] : []),
    ...limits,
    ...(Buffer.from(bytes).includes('\uFFFD') ? ['It holds U+FFFD: a byte may have been lost before the import.'] : []),
  ];
}

function other(reason: string): ImportedExchange {
  return { why: 'other', reason };
}

function noStream(bytes: Uint8Array, contentType: string | null): string {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? null;
  if (beginsAsEventStream(bytes)) return hasEvent(bytes) ? 'an event stream of no known wire format' : TOO_LONG;
  if (type === 'text/event-stream') return 'said to be an event stream, but holds no event of a known wire format';
  return `no event stream${type === null ? '' : ` (${type})`}`;
}

const TOO_LONG = `an event stream whose first event is longer than the ${DEFAULT_EVENT_LIMIT / 2 ** 20} MiB that are read`;

/** Whether the first event is no longer than a reader takes. */
function hasEvent(bytes: Uint8Array): boolean {
  let isTooLong = false;
  const decoder = new SseDecoder({
    event: () => decoder.stop(),
    tooLong: () => {
      isTooLong = true;
    },
  });
  decoder.push(bytes);
  return !isTooLong;
}

/** RFC 3339 knows no others. */
const LAST_YEAR = 9999;

/** As RFC 3339, or null: a time without a zone would depend on the machine. One that is no time is said to be left out. */
function recordingTime({ recordedAt, headers }: Exchange): {
  readonly recordedAt: string | null;
  readonly limits: readonly string[];
} {
  const limits: string[] = [];
  for (const text of [recordedAt, headers.date]) {
    if (text === null || !isZoned(text)) continue;
    const date = new Date(zonedTime(text) ?? Number.NaN);
    const year = date.getUTCFullYear();
    if (year >= 0 && year <= LAST_YEAR) return { recordedAt: date.toISOString(), limits };
    limits.push(`Its time (${text.trim().slice(0, 40)}) is none, and is left out.`);
  }
  return { recordedAt: null, limits };
}

/** One exchange becomes a recording, or is left out with the reason. */

import { beginsAsEventStream, decodeBody } from '../record/content-encoding.ts';
import { clearBody, clearRequest } from '../record/secret-check.ts';
import { guessFraming } from '../replay/guess.ts';
import type { NewRecording } from '../replay/suite-writer.ts';
import { detectWireFormat } from '../stream/dialect.ts';
import { readStream } from '../stream/reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { askedOf } from './asked.ts';
import type { Exchange } from './exchange.ts';
import { namedModel } from './named-model.ts';

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
  const wire = (beginsAsEventStream(bytes) ? options.wire : null) ?? detectWireFormat(bytes);
  if (wire === null) return other(noStream(bytes, exchange.headers.contentType));
  return cleared({ bytes, wire, decoded: decoded.decoded }, exchange, options);
}

interface Stream {
  readonly bytes: Uint8Array;
  readonly wire: WireFormat;
  readonly decoded: readonly string[];
}

function cleared({ bytes, wire, decoded }: Stream, exchange: Exchange, options: RecordingOptions): ImportedExchange {
  const rules = { known: [], redact: options.redact };
  const body = clearBody(bytes, wire, rules);
  if ('problem' in body) return { why: 'refused', reason: body.problem };
  const asked = askedOf(exchange.request);
  const request = asked.request === null ? null : clearRequest(asked.request, rules);
  if (request !== null && 'problem' in request) return { why: 'refused', reason: request.problem };
  const masked = body.masked + (request?.masked ?? 0);
  const limits = [
    ...exchange.limits,
    ...(exchange.envelope === 'verbatim' && exchange.times === undefined ? ['Arrival times are unknown.'] : []),
    ...(decoded.length > 0
      ? [`The body was kept compressed (${decoded.join(', ')}); these are the decoded bytes.`]
      : []),
    ...(Buffer.from(bytes).includes('\uFFFD') ? ['It holds U+FFFD: a byte may have been lost before the import.'] : []),
    ...asked.limits,
    ...(masked > 0 ? [`${masked} ${masked === 1 ? 'secret was' : 'secrets were'} masked.`] : []),
    'The protocol was guessed.',
  ];
  const recording: NewRecording = {
    entry: {
      task: options.task,
      protocol: guessFraming(readStream(body.value, wire).events),
      wire,
      provider: asked.provider,
      model: asked.model ?? namedModel(body.value),
      recordedAt: zonedTime(exchange.recordedAt) ?? zonedTime(exchange.headers.date),
      request: request?.value ?? null,
      source: exchange.envelope === 'verbatim' ? 'recorded' : 'enveloped',
      note: [`Imported from ${options.from}.`, ...limits].join(' '),
    },
    bytes: body.value,
    ...(exchange.times !== undefined && decoded.length === 0 && { times: exchange.times }),
  };
  return { recording, masked };
}

function other(reason: string): ImportedExchange {
  return { why: 'other', reason };
}

function noStream(bytes: Uint8Array, contentType: string | null): string {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? null;
  if (beginsAsEventStream(bytes)) return 'an event stream of no known wire format';
  if (type === 'text/event-stream') return 'said to be an event stream, but holds no event of a known wire format';
  return `no event stream${type === null ? '' : ` (${type})`}`;
}

/** RFC 3339, or null: a time without a zone would depend on the machine. */
function zonedTime(text: string | null): string | null {
  if (text === null || !/(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/.test(text.trim())) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

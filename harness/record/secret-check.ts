/**
 * Nothing is stored that holds a secret: neither in the bytes of an answer or its request, nor in its text or arguments
 * put together, where a key may stand in pieces of several deltas.
 */

import { findSecrets, redactSecrets, type SecretHit } from '../replay/secrets.ts';
import type { StreamEvent } from '../stream/event.ts';
import { readStream } from '../stream/reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { payloadText } from '../wire/payload-text.ts';
import { SseDecoder } from '../wire/sse.ts';

export interface SecretRules {
  /** Keys that were sent. */
  readonly known: readonly string[];
  /** Mask what is found instead of refusing. */
  readonly redact: boolean;
}

/** What may be stored, or why nothing may. */
export type Cleared<T> = { readonly value: T; readonly masked: number } | { readonly problem: string };

export function clearBody(bytes: Uint8Array, wire: WireFormat, { known, redact }: SecretRules): Cleared<Uint8Array> {
  const hits = findSecrets(bytes, known);
  if (hits.length > 0 && !redact) return { problem: `${describe(hits[0]!)} in the answer` };
  const value = hits.length === 0 ? bytes : redactSecrets(bytes, hits);
  for (const [where, text] of [...decodedTexts(value, wire), ...jsonTexts(value)]) {
    const [hit] = findSecrets(text, known);
    // In place there is no place: the pieces stand in several events.
    if (hit !== undefined) return { problem: `${describe(hit)} of the ${where}, in pieces that cannot be masked` };
  }
  return { value, masked: hits.length };
}

export function clearRequest<T extends object>(request: T, { known, redact }: SecretRules): Cleared<T> {
  const bytes = Buffer.from(JSON.stringify(request));
  const hits = findSecrets(bytes, known);
  if (hits.length === 0) return { value: request, masked: 0 };
  if (!redact) return { problem: `a secret (${hits[0]!.kind}) in the request` };
  try {
    const value = JSON.parse(Buffer.from(redactSecrets(bytes, hits)).toString('utf8')) as T;
    return { value, masked: hits.length };
  } catch {
    return { problem: `a secret (${hits[0]!.kind}) in the request, which cannot be masked` };
  }
}

/** What a manifest would say beside the request: a name may be a key by mistake. Why it may not be stored, or null. */
export function entryProblem(entry: object, { known }: SecretRules): string | null {
  const [hit] = findSecrets(Buffer.from(JSON.stringify({ ...entry, request: null })), known);
  return hit === undefined ? null : `a secret (${hit.kind}) in the name of the model, of the task or the like`;
}

/** What a note says of secrets that were masked. */
export function maskedNote(masked: number): readonly string[] {
  return masked === 0 ? [] : [`${masked === 1 ? 'A secret was' : `${masked} secrets were`} masked.`];
}

/** Text that is shown: without what looks like a secret. */
export function shownWithout(text: string, known: readonly string[]): string {
  const bytes = Buffer.from(text);
  return Buffer.from(redactSecrets(bytes, findSecrets(bytes, known))).toString('utf8');
}

/** Texts of a stream that a reader puts together: the answer, the reasoning, the arguments of each call. */
function decodedTexts(bytes: Uint8Array, wire: WireFormat): ReadonlyMap<string, Uint8Array> {
  const pieces = new Map<string, Uint8Array[]>();
  for (const event of readStream(bytes, wire).events) {
    const where = placeOf(event);
    if (where === null || !('bytes' in event)) continue;
    const known = pieces.get(where);
    if (known === undefined) pieces.set(where, [event.bytes]);
    else known.push(event.bytes);
  }
  return new Map([...pieces].map(([where, parts]) => [where, Buffer.concat(parts)]));
}

const MOST_DEPTH = 32;

/**
 * Every string of every event's JSON, put together by its place: other choices, names that come in pieces, what stands
 * behind `[DONE]` or an error, and escapes are read by no parser of calls.
 */
function jsonTexts(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const texts = new Map<string, string[]>();
  const walk = (value: unknown, place: string, depth: number): void => {
    if (typeof value === 'string') {
      const known = texts.get(place);
      if (known === undefined) texts.set(place, [value]);
      else known.push(value);
    } else if (typeof value === 'object' && value !== null && depth < MOST_DEPTH) {
      const index = 'index' in value && typeof value.index === 'number' ? `#${value.index}` : '';
      for (const [key, inner] of Object.entries(value)) walk(inner, `${place}${index}.${key}`, depth + 1);
    }
  };
  const decoder = new SseDecoder({
    event: (event) => {
      try {
        walk(JSON.parse(payloadText(event) ?? ''), 'field', 0);
      } catch {
        // No JSON: what stands there as it is has been searched.
      }
    },
    tooLong: () => {},
  });
  decoder.push(bytes);
  return new Map([...texts].map(([place, parts]) => [place, Buffer.from(parts.join(''))]));
}

function placeOf(event: StreamEvent): string | null {
  if (event.type === 'tool-delta') return `arguments of call ${event.call}`;
  return event.type === 'text' || event.type === 'reasoning' ? event.type : null;
}

function describe({ kind, offset }: SecretHit): string {
  return `a secret (${kind}) at byte ${offset}`;
}

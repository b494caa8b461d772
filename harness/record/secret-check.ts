/**
 * Nothing is stored that holds a secret: neither in the bytes of an answer or its request, nor in its text or arguments
 * put together, where a key may stand in pieces of several deltas.
 */

import { entryProblem as problemOf } from '../replay/entry-secrets.ts';
import { joinedTexts } from '../replay/joined-texts.ts';
import { withoutKeyFields } from '../replay/key-fields.ts';
import { isHeaderOrKey } from '../replay/manifest.ts';
import { findSecrets, redactSecrets, type SecretHit } from '../replay/secrets.ts';
import type { StreamEvent } from '../stream/event.ts';
import { isFields } from '../stream/json-fields.ts';
import { readStream } from '../stream/reader.ts';
import type { WireFormat } from '../stream/wire-format.ts';

/** UTF-16 units of what a server says that are shown. */
const SHOWN = 300;

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
  for (const [where, text] of [...decodedTexts(value, wire), ...joinedTexts(value)]) {
    const [hit] = findSecrets(text, known);
    // In place there is no place: the pieces stand in several events.
    if (hit !== undefined) return { problem: `${describe(hit)} of the ${where}, in pieces that cannot be masked` };
  }
  return { value, masked: hits.length };
}

/** Fields for headers and keys, at any depth, are left out and not searched; one among the parameters stays, to be refused. */
export function clearRequest<T extends object>(whole: T, { known, redact }: SecretRules): Cleared<T> {
  const request = withoutInnerKeys(whole);
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

function withoutInnerKeys<T extends object>(request: T): T {
  const { value } = withoutKeyFields(request);
  const own = 'parameters' in request && isFields(request.parameters) ? Object.entries(request.parameters) : [];
  const refused = Object.fromEntries(own.filter(([name]) => isHeaderOrKey(name)));
  return 'parameters' in value && isFields(value.parameters)
    ? { ...value, parameters: { ...value.parameters, ...refused } }
    : value;
}

/** What a manifest would say beside the request: a name may be a key by mistake. Why it may not be stored, or null. */
export function entryProblem(entry: object, { known }: SecretRules): string | null {
  return problemOf({ ...entry, request: null }, known);
}

/** What a note says of secrets that were masked. */
export function maskedNote(masked: number): readonly string[] {
  return masked === 0 ? [] : [`${masked === 1 ? 'A secret was' : `${masked} secrets were`} masked.`];
}

/**
 * What a note says of an error that a stream ends in.
 * @param message as {@link shownLine} gives it
 */
export function errorNote(message: string | null): readonly string[] {
  return message === null
    ? []
    : [`The answer ends in an error of the provider: ${message}${/[.!?…]$/.test(message) ? '' : '.'}`];
}

/** Text that is shown: without what looks like a secret. */
export function shownWithout(text: string, known: readonly string[]): string {
  const bytes = Buffer.from(text);
  return Buffer.from(redactSecrets(bytes, findSecrets(bytes, known))).toString('utf8');
}

/** What a server says, as one line: servers like to repeat the key in what they say of it. */
export function shownLine(text: string, known: readonly string[]): string {
  const line = shownWithout(text, known).replaceAll(/\s+/g, ' ').trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
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

function placeOf(event: StreamEvent): string | null {
  if (event.type === 'tool-delta') return `arguments of call ${event.call}`;
  return event.type === 'text' || event.type === 'reasoning' ? event.type : null;
}

function describe({ kind, offset }: SecretHit): string {
  return `a secret (${kind}) at byte ${offset}`;
}

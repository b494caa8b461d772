/** What a manifest keeps of a request: messages and parameters, never headers or keys. */
import type { JsonObject } from '../parsers/parser.ts';
import { withoutKeyFields } from '../replay/key-fields.ts';
import { isHeaderOrKey, type ManifestEntry } from '../replay/manifest.ts';
import { isFields } from '../stream/json-fields.ts';
import { parseExact } from './exact-json.ts';

export interface KeptRequest {
  readonly request: Extract<NonNullable<ManifestEntry['request']>, { messages: unknown }> | null;
  /** Why it is not kept. */
  readonly limits: readonly string[];
}

/** A manifest is read whole by every command. */
const MOST_REQUEST = 256 * 1024;
/** The messages of a request, by the names that the providers give them. */
const MESSAGE_FIELDS = ['messages', 'input', 'contents'] as const;

/** `fields`: of the request's body; null where there is none that could be read. */
export function keptRequest(fields: JsonObject | null): KeptRequest {
  if (fields === null) return { request: null, limits: ['The request is unknown.'] };
  if (Object.keys(fields).some(isHeaderOrKey)) {
    return { request: null, limits: ['The request has a field for a key or a header, and is not kept.'] };
  }
  const { model: _, ...all } = fields;
  const { value: rest, left } = withoutKeyFields(all);
  const size = JSON.stringify(rest).length;
  if (size > MOST_REQUEST) {
    return { request: null, limits: [`The request is too long to be kept (${size} characters).`] };
  }
  const field = MESSAGE_FIELDS.find((key) => isObjects(rest[key]));
  const messages = field === undefined ? [] : (rest[field] as JsonObject[]);
  const parameters = Object.fromEntries(Object.entries(rest).filter(([key]) => key !== field));
  const limits = left === 0 ? [] : [`Left out of the request, for headers or keys by their names: ${left}.`];
  return { request: { messages, parameters }, limits };
}

/** The model that the body names, else the one in the path (`/models/NAME:generate`), else null. */
export function askedModel(fields: JsonObject | null, path: string): string | null {
  const named = fields?.['model'];
  if (typeof named === 'string' && named !== '') return named;
  const inPath = /\/(?:models?|deployments)\/([^/:?]+)/.exec(path)?.[1];
  return inPath === undefined ? null : unescaped(inPath);
}

/** The body as a JSON object, or null. */
export function bodyFields(body: Uint8Array | string | null): JsonObject | null {
  if (body === null) return null;
  try {
    const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body);
    // A number beyond doubles is kept as its digits, as of what `cst record` sends.
    const value: unknown = JSON.parse(JSON.stringify(parseExact(text)));
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

function isObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isFields);
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

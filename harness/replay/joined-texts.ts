/**
 * What a stream says in pieces, put together by the place that the pieces have in their events: a key may stand in several
 * of them, and where no parser of calls looks (another choice, behind `[DONE]` or an error, server tools, thinking).
 */
import { type Fields, isFields } from '../stream/json-fields.ts';
import { payloadText } from '../wire/payload-text.ts';
import { SseDecoder } from '../wire/sse.ts';

/** Strings deeper in an event are not put together. */
const MOST_DEPTH = 256;

/** Fields that tell one text of a stream from another, beside the path to it. */
const INDEXES = ['index', 'item_id', 'output_index', 'content_index', 'summary_index'] as const;

/** Anthropic's block begins a text that its deltas go on with. */
const BEGINNINGS = new Set(['content_block', 'delta']);

/**
 * Every string of every event's JSON by its place, unescaped, those of one place put together in the order of the stream;
 * in UTF-8. The place is the path without array positions where an index stands beside, with it where none does.
 */
export function joinedTexts(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const texts = new Map<string, string[]>();
  const decoder = new SseDecoder({ event: (event) => addTexts(payloadText(event) ?? '', texts), tooLong: () => {} });
  decoder.push(bytes);
  return new Map([...texts].map(([place, parts]) => [place, Buffer.from(parts.join(''))]));
}

function addTexts(payload: string, texts: Map<string, string[]>): void {
  const walk = (value: unknown, place: string, depth: number): void => {
    if (typeof value === 'string') {
      const known = texts.get(place);
      if (known === undefined) texts.set(place, [value]);
      else known.push(value);
    } else if (Array.isArray(value) && depth < MOST_DEPTH) {
      for (const [at, element] of value.entries()) walk(element, `${place}.${elementName(element, at)}`, depth + 1);
    } else if (isFields(value) && depth < MOST_DEPTH) {
      const here = `${place}${indexOf(value)}`;
      for (const [key, inner] of Object.entries(value)) walk(inner, `${here}.${stepName(key)}`, depth + 1);
    }
  };
  try {
    walk(JSON.parse(payload), 'field', 0);
  } catch {
    // No JSON: what stands there as it is has been searched.
  }
}

/** An array of a delta holds only what is new: its positions are no names where indexes are. */
function elementName(element: unknown, at: number): string {
  return isFields(element) && indexOf(element) !== '' ? '' : String(at);
}

function indexOf(value: Fields): string {
  const indexes = INDEXES.flatMap((name) => {
    const index = value[name];
    return typeof index === 'number' || typeof index === 'string' ? [`#${index}`] : [];
  });
  return `${indexes.join('')}${responsesKind(value)}`;
}

/** Of `response.output_text.delta`, `response.output_text`: all deltas of Responses have the field `delta`. */
function responsesKind({ type }: Fields): string {
  return typeof type === 'string' && type.startsWith('response.') ? `#${type.slice(0, type.lastIndexOf('.'))}` : '';
}

function stepName(key: string): string {
  return BEGINNINGS.has(key) ? 'delta' : key;
}

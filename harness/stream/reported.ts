/** What payloads say of themselves: as JSON, and as the sentences of failures. */
import { isFields } from './json-fields.ts';

const MAX_QUOTED = 200;

/** What the JSON text says, or undefined if it is none. */
export function parsedPayload(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}

/** The detail of a failure `sse_bad_json`. */
export function noJson(payload: string): string {
  return `a data payload is no JSON: ${JSON.stringify(shorten(payload))}`;
}

/** The detail of a failure or a refused delta `bad_delta`. */
export function wrongType(what: string): string {
  return `${what} has the wrong type`;
}

/** The JSON of a value that came from a provider; nesting of thousands of levels is more than the serializer can follow. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'an object that is nested too deeply to be shown';
  }
}

/** The message of an error that a provider reports, whichever of the usual shapes it has, or the error itself. */
export function describeReported(chunk: unknown): string {
  const error = isFields(chunk) ? (chunk['error'] ?? chunk) : chunk;
  const message = isFields(error) ? error['message'] : error;
  const text = typeof message === 'string' && message !== '' ? message : jsonOf(error);
  return `the provider reported an error: ${shorten(text)}`;
}

function shorten(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

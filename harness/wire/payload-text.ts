/** The payload of an SSE event as text; bytes that are no UTF-8 are refused, never replaced. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { SseEvent } from './unfinished-event.ts';

/** From this size on (bytes), a look at the bytes costs less than the wrong way to decode them. */
const LARGE = 1024;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of the payload, or null if it is not UTF-8. */
export function payloadText(event: SseEvent): string | null {
  const { bytes, start, end } = event;
  if (end - start >= LARGE) return largeText(bytes.subarray(start, end));
  const text = bytes.toString('utf8', start, end);
  return text.includes('\uFFFD') && !isUtf8(bytes.subarray(start, end)) ? null : text;
}

function largeText(payload: Buffer): string | null {
  if (isAscii(payload)) return payload.toString('latin1');
  if (!isUtf8(payload)) return null;
  // The streaming decoder is the faster one, twice so where the text holds characters above U+00FF.
  return decoder.decode(payload, { stream: true });
}

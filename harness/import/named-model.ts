/** The model that a stream names itself, for where the request is unknown. */
import { isFields } from '../stream/json-fields.ts';
import { payloadText } from '../wire/payload-text.ts';
import { SseDecoder } from '../wire/sse.ts';

/** Payloads looked at: the first ones name it, if any does. */
const MOST_PAYLOADS = 16;
const PIECE = 16 * 1024;

export function namedModel(bytes: Uint8Array): string | null {
  let model: string | null = null;
  let seen = 0;
  const decoder = new SseDecoder({
    event: (event) => {
      model = modelIn(payloadText(event) ?? '');
      seen++;
      if (model !== null || seen === MOST_PAYLOADS) decoder.stop();
    },
    tooLong: () => {},
  });
  for (let at = 0; at < bytes.length && model === null && seen < MOST_PAYLOADS; at += PIECE) {
    decoder.push(bytes, at, Math.min(bytes.length, at + PIECE));
  }
  return model;
}

/** Chat: `model`; Anthropic: `message.model`; responses: `response.model`; Gemini: `modelVersion`. */
function modelIn(payload: string): string | null {
  let chunk: unknown;
  try {
    chunk = JSON.parse(payload);
  } catch {
    return null;
  }
  if (!isFields(chunk)) return null;
  const holders = [chunk, chunk['message'], chunk['response']].filter(isFields);
  const names = holders.flatMap((holder) => [holder['model'], holder['modelVersion']]);
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? null;
}

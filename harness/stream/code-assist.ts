/** Chunks of Gemini as Code Assist sends them: `{"response": {"candidates": …}, "traceId": …}`. */
import { type Fields, isFields } from './json-fields.ts';

/** What is in the wrapper, or the chunk itself if it has none. */
export function unwrapped(chunk: Fields): Fields {
  const { response }: { readonly response?: unknown } = chunk;
  return isFields(response) && Array.isArray(response['candidates']) ? response : chunk;
}

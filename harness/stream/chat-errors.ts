/** The forms in which servers of OpenAI chat streams report an error (docs/wire-formats.md "OpenAI chat: errors"). */
import { type Fields, isAbsent, isFields } from './json-fields.ts';

/** What a chunk reports, or null: a call that stands open when it comes has not come whole. */
export function reportedError(chunk: Fields): unknown {
  const { error, choices, x_groq, base_resp }: Reporting = chunk;
  if (isError(error)) return chunk;
  if (isFields(x_groq) && isError(x_groq['error'])) return x_groq;
  if (isFields(base_resp) && isCode(base_resp['status_code'])) return base_resp['status_msg'] ?? base_resp;
  return isAbsent(choices) ? reportedInstead(chunk) : null;
}

/** In place of choices: bare errors of vLLM, Mistral, FastChat, FastAPI and gateways. */
function reportedInstead(chunk: Fields): unknown {
  const { object, type, message, msg, detail, errors, error_code, text, usage }: Reporting = chunk;
  if (Array.isArray(errors) ? errors.length > 0 : isError(errors)) return Array.isArray(errors) ? errors[0] : errors;
  if (isCode(error_code)) return text ?? chunk;
  if (object === 'error' || type === 'error') return chunk;
  // With a type of its own, or with usage, it says something else.
  if (!isAbsent(type) || !isAbsent(usage)) return null;
  if (isError(detail)) return detail;
  return [message, msg].find((said) => typeof said === 'string' && said !== '') ?? null;
}

/** An empty member says that there is none. */
export function isError(value: unknown): boolean {
  return !isAbsent(value) && value !== false && value !== '';
}

/** A number other than 0, or one in a text. */
function isCode(value: unknown): boolean {
  return (typeof value === 'number' || typeof value === 'string') && /^-?[0-9]*[1-9][0-9]*$/.test(String(value));
}

interface Reporting {
  readonly error?: unknown;
  readonly choices?: unknown;
  readonly x_groq?: unknown;
  readonly base_resp?: unknown;
  readonly object?: unknown;
  readonly type?: unknown;
  readonly message?: unknown;
  readonly msg?: unknown;
  readonly usage?: unknown;
  readonly detail?: unknown;
  readonly errors?: unknown;
  readonly error_code?: unknown;
  readonly text?: unknown;
}

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
  const { object, type, message, detail, errors, error_code, text }: Reporting = chunk;
  if (Array.isArray(errors) && errors.length > 0) return errors[0];
  if (isCode(error_code)) return text ?? chunk;
  if (!isAbsent(detail)) return detail;
  return object === 'error' || type === 'error' || (typeof message === 'string' && message !== '') ? chunk : null;
}

/** An empty member says that there is none. */
function isError(value: unknown): boolean {
  return !isAbsent(value) && value !== false && value !== '';
}

function isCode(value: unknown): boolean {
  return isError(value) && value !== 0 && value !== '0';
}

interface Reporting {
  readonly error?: unknown;
  readonly choices?: unknown;
  readonly x_groq?: unknown;
  readonly base_resp?: unknown;
  readonly object?: unknown;
  readonly type?: unknown;
  readonly message?: unknown;
  readonly detail?: unknown;
  readonly errors?: unknown;
  readonly error_code?: unknown;
  readonly text?: unknown;
}

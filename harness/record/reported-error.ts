/** Errors that providers report in the body of an answer: what they say, and whether asking again can help. */
import { reportedError } from '../stream/chat-errors.ts';
import { type Fields, isAbsent, isFields, wordOf } from '../stream/json-fields.ts';
import { parsedPayload } from '../stream/reported.ts';

export interface ReportedError {
  /** In the provider's words, as long as they are; it may hold a secret. */
  readonly message: string;
  /** The error can pass: another attempt may help. */
  readonly passing: boolean;
  /** The key is refused: no request will get anything else. */
  readonly forAll: boolean;
}

/**
 * Codes, types and states of errors that pass:
 * - Anthropic ("Errors"): rate_limit_error 429, api_error 500, timeout_error 504, overloaded_error 529;
 * - OpenAI: those of `ResponseError.code` (openai-python, types/responses/response_error.py), and what its streams say of
 *   overload (anomalyco/opencode#25728, router-for-me/CLIProxyAPI#2712);
 * - google.rpc.Code (Gemini's `status`): RESOURCE_EXHAUSTED 429, UNAVAILABLE 503, DEADLINE_EXCEEDED 504, ABORTED 409;
 * - llama.cpp's server: unavailable_error 503.
 * Where no word is known, a number decides that stands in the same places, as OpenRouter's `code` does ("Errors and
 * Debugging"). An error with neither stays: a further request may cost, and the same command asks again.
 */
const PASSING: ReadonlySet<string> = new Set([
  ...['rate_limit_error', 'api_error', 'timeout_error', 'overloaded_error'],
  ...['server_error', 'rate_limit_exceeded', 'vector_store_timeout'],
  ...['service_unavailable_error', 'server_is_overloaded', 'slow_down'],
  ...['resource_exhausted', 'unavailable', 'deadline_exceeded', 'aborted'],
  'unavailable_error',
]);

/**
 * Words of errors that stay though their number is one of those that pass: an allowance that is used up is a 429
 * (langchain-ai/langchainjs#1929, jin-bo/agentao#283), what llama.cpp or Google cannot do is a 501.
 */
const STAYING: ReadonlySet<string> = new Set([
  ...['insufficient_quota', 'credit_balance_exhausted', 'organization_spend_limit_exceeded'],
  ...['project_spend_limit_exceeded', 'organization_usage_limit_exceeded'],
  ...['not_supported_error', 'unimplemented'],
]);

const KEY_REFUSED: ReadonlySet<string> = new Set(['authentication_error', 'invalid_api_key', 'unauthenticated']);

/** @param payload what reports an error: JSON of any wire format, or a text */
export function readReport(payload: string): ReportedError {
  const chunk = parsedPayload(payload);
  if (!isFields(chunk)) return { message: payload, passing: false, forAll: false };
  const error = errorIn(chunk);
  const messages = [isFields(error) ? error['message'] : error, chunk['message']].map(wordOf);
  const said = [error, chunk].filter(isFields).flatMap(({ code, type, status }: Said) => [code, type, status]);
  const words = said.map((value) => wordOf(value).toLowerCase());
  const number = said.map(numberOf).find((value) => value !== null) ?? null;
  const word = words.find((each) => PASSING.has(each) || STAYING.has(each) || KEY_REFUSED.has(each));
  const passing = word === undefined ? number !== null && isPassingStatus(number) : PASSING.has(word);
  const forAll = word === undefined ? number === 401 : KEY_REFUSED.has(word);
  return { message: messages.find((text) => text !== '') ?? payload, passing, forAll };
}

/** Statuses that are worth another attempt (RFC 9110, 15.5.9 and 15.6; RFC 6585, 4). */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status < 600);
}

/** Of a response that failed (Responses) or is wrapped (Gemini), of a choice, or of the chunk in any form of the chat's. */
function errorIn(chunk: Fields): unknown {
  const { response, choices }: Places = chunk;
  const inResponse = isFields(response) ? response['error'] : null;
  const inChoices = Array.isArray(choices) ? choices.filter(isFields).map((choice) => choice['error']) : [];
  const inside = [inResponse, ...inChoices].find((error) => !isAbsent(error));
  if (inside !== undefined) return inside;
  const reported = reportedError(chunk) ?? chunk;
  return isFields(reported) ? (reported['error'] ?? reported) : reported;
}

/** Some servers write numbers as strings. */
function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^[1-5][0-9]{2}$/.test(value) ? Number(value) : null;
}

interface Places {
  readonly response?: unknown;
  readonly choices?: unknown;
}

interface Said {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly status?: unknown;
}

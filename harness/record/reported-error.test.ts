import { describe, expect, test } from 'vitest';
import { readReport } from './reported-error.ts';

describe('an error that can pass', () => {
  test.each([
    ['Anthropic, overloaded', { type: 'error', error: { type: 'overloaded_error', message: 'm' } }],
    ['Anthropic, rate limit', { type: 'error', error: { type: 'rate_limit_error', message: 'm' } }],
    ['Anthropic, its own fault', { type: 'error', error: { type: 'api_error', message: 'm' } }],
    ['chat, code of OpenRouter', { error: { code: 429, message: 'm' } }],
    ['chat, the number as a string', { error: { code: '503', message: 'm' } }],
    ['chat, code of OpenAI', { error: { type: 'tokens', code: 'rate_limit_exceeded', message: 'm' } }],
    ['chat, type of OpenAI', { error: { type: 'server_error', code: null, message: 'm' } }],
    ['chat, in a choice', { choices: [{ index: 0, error: { code: 502, message: 'm' } }] }],
    ['chat, a timeout', { error: { code: 408, message: 'm' } }],
    ['vLLM', { error: { type: 'InternalServerError', code: 500, message: 'm' } }],
    ['llama.cpp', { error: { type: 'unavailable_error', code: 503, message: 'm' } }],
    ['vLLM, in place of choices', { object: 'error', type: 'InternalServerError', code: 500, message: 'm' }],
    ['in a list', { errors: [{ message: 'm', code: 429 }] }],
    ['Groq, beside choices', { choices: [], x_groq: { error: { message: 'm', type: 'server_error' } } }],
    ['Gemini, wrapped', { response: { error: { code: 503, message: 'm' } } }],
    ['Responses, failed', { type: 'response.failed', response: { error: { code: 'server_error', message: 'm' } } }],
    ['Responses, error', { type: 'error', code: 'rate_limit_exceeded', message: 'm', sequence_number: 1 }],
    ['Responses, overloaded', { type: 'error', error: { type: 'service_unavailable_error', code: 'x', message: 'm' } }],
    ['Gemini', { error: { code: 503, status: 'UNAVAILABLE', message: 'm' } }],
    ['Gemini, a number that would not', { error: { code: 409, status: 'ABORTED', message: 'm' } }],
    ['an error in words, a number beside it', { error: 'm', status: 503 }],
  ])('%s', (_, chunk) => {
    expect(readReport(JSON.stringify(chunk))).toEqual({ message: 'm', passing: true, forAll: false });
  });
});

describe('an error that stays', () => {
  test.each([
    ['Anthropic, a wrong request', { type: 'error', error: { type: 'invalid_request_error', message: 'm' } }],
    ['chat, a wrong request', { error: { type: 'BadRequestError', code: 400, message: 'm' } }],
    ['chat, the context is full', { error: { type: 'exceed_context_size_error', code: 400, message: 'm' } }],
    ['an allowance that is used up, a 429', { error: { type: 'insufficient_quota', code: 429, message: 'm' } }],
    ['what a server cannot do, a 501', { error: { type: 'not_supported_error', code: 501, message: 'm' } }],
    ['Responses', { type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'm' } } }],
    ['Gemini', { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'm' } }],
    ['words of FastAPI', { detail: 'm' }],
    ['MiniMax, a number of its own', { choices: null, base_resp: { status_code: 1027, status_msg: 'm' } }],
    ['a number that is no status', { error: { code: 1302, message: 'm' } }],
    ['one of which nothing is known', { error: { message: 'm' } }],
    ['one whose words only say it', { error: { message: 'm', type: 'error', code: null } }],
  ])('%s', (_, chunk) => {
    expect(readReport(JSON.stringify(chunk))).toEqual({ message: 'm', passing: false, forAll: false });
  });

  test.each([
    ['Anthropic', { type: 'error', error: { type: 'authentication_error', message: 'm' } }],
    ['OpenAI', { error: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'm' } }],
    ['OpenRouter', { error: { code: 401, message: 'm' } }],
    ['Gemini', { error: { code: 401, status: 'UNAUTHENTICATED', message: 'm' } }],
  ])('and is the same for every request where the key is refused: %s', (_, chunk) => {
    expect(readReport(JSON.stringify(chunk))).toEqual({ message: 'm', passing: false, forAll: true });
  });
});

test.each([
  ['Service overloaded', 'Service overloaded'],
  ['{"error":{"code":500}}', '{"error":{"code":500}}'],
  ['[1]', '[1]'],
  ['{"error":{"message":7},"message":"outer"}', 'outer'],
])('what has no message is shown as it is: %s', (payload, message) => {
  expect(readReport(payload).message).toBe(message);
});

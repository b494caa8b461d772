import { describe, expect, it } from 'vitest';
import { retryAfter } from './retry-after.ts';
import { clearBody, entryProblem } from './secret-check.ts';

const KEY = 'Zq8rT2-mine-0123456789';
const RULES = { known: [KEY], redact: false };
const HALVES = [KEY.slice(0, 9), KEY.slice(9)] as const;

const sse = (...payloads: readonly (object | string)[]): Uint8Array =>
  Buffer.from(payloads.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join(''));
const choice = (index: number, delta: object) => ({ choices: [{ index, delta }] });

describe('a key in pieces', () => {
  it.each([
    ['of another choice', sse(...HALVES.map((content) => choice(1, { content })))],
    ['behind [DONE]', sse('[DONE]', ...HALVES.map((content) => choice(0, { content })))],
    ['behind an error', sse({ error: { message: 'x' } }, ...HALVES.map((content) => choice(0, { content })))],
    [
      'of the name of a call',
      sse(...HALVES.map((name) => choice(0, { tool_calls: [{ index: 0, function: { name } }] }))),
    ],
    ['of an escape', Buffer.from(`data: {"model":"\\u005a${KEY.slice(1)}"}\n\n`)],
  ])('%s is found', (_, bytes) => {
    expect(clearBody(bytes, 'openai-chat', RULES)).toMatchObject({ problem: expect.stringContaining('known key') });
  });

  it('of two choices is none', () => {
    const bytes = sse(choice(0, { content: HALVES[0] }), choice(1, { content: HALVES[1] }));
    expect(clearBody(bytes, 'openai-chat', RULES)).toEqual({ value: bytes, masked: 0 });
  });
});

it('a key written in hexadecimal is found', () => {
  const bytes = sse(choice(0, { content: Buffer.from(KEY).toString('hex') }));
  expect(clearBody(bytes, 'openai-chat', RULES)).toMatchObject({ problem: expect.stringContaining('known key') });
});

it('a key that was given as a name is in no manifest', () => {
  expect(entryProblem({ model: KEY, task: 't', request: null }, RULES)).toContain('a secret (known key)');
  expect(entryProblem({ model: 'm', task: 't', request: { messages: [KEY] } }, RULES)).toBeNull();
});

describe('Retry-After', () => {
  it.each([
    ['2', 2000],
    ['2 ', 2000],
    ['1.5', undefined],
    ['-5', undefined],
    ['5, 5', undefined],
    ['Wed, 02 Dec 2026 00:00:03 GMT', 3000],
  ])('%j is %s ms', (wanted, ms) => {
    expect(retryAfter({ 'retry-after': wanted, date: 'Wed, 02 Dec 2026 00:00:00 GMT' })).toBe(ms);
  });
});

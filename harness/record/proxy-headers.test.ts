import { expect, test } from 'vitest';
import { bodyFields } from './kept-request.ts';
import { secretsOf } from './proxy-headers.ts';

test.each(['//[/v1/chat/completions', '//gemini-2.0:streamGenerateContent', '%', ''])(
  'the path %s, which is part of no address, has no secrets',
  (path) => {
    expect(secretsOf([], path)).toEqual([]);
  },
);

test('the secrets of a query are those whose name says so', () => {
  expect(secretsOf([], '//[x?alt=sse&api_key=abc%20d#key=e')).toEqual(['abc d', 'abc', 'd']);
});

test('a number beyond doubles in a request is kept as its digits', () => {
  expect(bodyFields('{"seed":12345678901234567890,"temperature":1.0}')).toEqual({
    seed: '12345678901234567890',
    temperature: 1,
  });
});

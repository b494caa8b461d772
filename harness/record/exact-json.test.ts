import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../parsers/parser.ts';
import { parseExact, stringifyExact } from './exact-json.ts';

describe('a number', () => {
  test.each([
    ['12345678901234567890', '"12345678901234567890"'],
    ['-9007199254740993', '"-9007199254740993"'],
    ['0.1000000000000000055', '"0.1000000000000000055"'],
    ['1e999', '"1e999"'],
    ['1.0', '1'],
    ['1e3', '1000'],
    ['-0', '0'],
    ['0.10', '0.1'],
    ['123', '123'],
  ])('%s is sent as it was written, and kept as %s', (text, kept) => {
    const body = parseExact(`{"a":[{"n":${text}}],"s":"1.0"}`) as JsonObject;
    expect(stringifyExact(body)).toBe(`{"a":[{"n":${text}}],"s":"1.0"}`);
    expect(JSON.stringify(body)).toBe(`{"a":[{"n":${kept}}],"s":"1.0"}`);
  });
});

test('numbers in strings are no numbers, whatever stands around them', () => {
  const text = String.raw`{"a\"1.0":"\\","b":"x 1.0, \"2.0\"","c":"\\\" 3.00"}`;
  expect(stringifyExact(parseExact(text) as JsonObject)).toBe(text);
});

test('what is no JSON is an error of its own text', () => {
  expect(() => parseExact('{"a": 1.0, }')).toThrow(/in JSON at position 11/);
  expect(() => parseExact('01')).toThrow(SyntaxError);
});

test('a text of many megabytes, escapes and all, is read', () => {
  const body = parseExact(JSON.stringify([{ text: '\n"'.repeat(4_000_000), n: 1 }]).replace('"n":1', '"n":1.0'));
  expect(stringifyExact(body as JsonObject)).toHaveLength(16_000_021);
});

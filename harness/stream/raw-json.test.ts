import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawValue } from './raw-json.ts';

describe('the source text of a value', () => {
  it.each<[string, string, (string | number)[], string | null]>([
    ['the outermost value', ' {"a": 1} ', [], '{"a": 1}'],
    ['numbers beyond doubles', '{"a":{"id":9007199254740993, "x":1E+2}}', ['a'], '{"id":9007199254740993, "x":1E+2}'],
    ['blanks inside, not around', '{"a" : \n{ "b" : [ 1 ,2 ] }\t, "c":1}', ['a'], '{ "b" : [ 1 ,2 ] }'],
    ['an element', '[1, "]", {"a":[]}, true]', [2, 'a'], '[]'],
    ['the last element', '[1, "]", {"a":[]}, true]', [3], 'true'],
    ['brackets and quotes in strings', '{"x":"}\\"]{","a":"\\\\"}', ['a'], '"\\\\"'],
    ['a key written with escapes', '{"\\u0061":{"z":1}}', ['a'], '{"z":1}'],
    ['the last of a repeated key', '{"a":1,"a":{"b":2}}', ['a'], '{"b":2}'],
    ['a scalar before a bracket', '{"a":[12]}', ['a', 0], '12'],
    ['no such key', '{"a":1}', ['b'], null],
    ['no such element', '[1]', [1], null],
    ['no such element of none', '[]', [0], null],
    ['no such kind of value', '{"a":1}', [0], null],
    ['a key of no object', '[1]', ['a'], null],
  ])('%s', (_, text, path, raw) => {
    expect(rawValue(text, path)).toBe(raw);
  });

  it('parses to what JSON.parse finds there', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.boolean(), (before, value, spread) => {
        const text = JSON.stringify({ b: before, list: [before, { a: value }], z: 0 }, null, spread ? 2 : 0);
        expect(JSON.parse(rawValue(text, ['list', 1, 'a']) ?? '')).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed: 20265, numRuns: 300 },
    );
  });
});

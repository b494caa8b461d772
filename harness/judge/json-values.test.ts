import { describe, expect, it } from 'vitest';
import { canonicalJson } from './json-values.ts';

describe('the one form of a JSON text', () => {
  it.each([
    ['{ "a" : [ 1 , 2 ],\n"b":"x y" }', '{"a":[1,2],"b":"x y"}'],
    ['"\\u00e9\\/\\n"', '"é/\\n"'],
    ['{"\\u0061": "a\\"b : c"}', '{"a":"a\\"b : c"}'],
    ['[1e3, 1.50, -0.0, 1.0]', '[1000.0,1.5,0.0,1.0]'],
    ['[12345678901234567890, -1]', '[12345678901234567890,-1]'],
    ['{"b":1,"a":2,"b":3}', '{"b":1,"a":2,"b":3}'],
  ])('of %s is %s', (json, form) => {
    expect(canonicalJson(json)).toBe(form);
    expect(canonicalJson(form)).toBe(form);
  });

  it('tells 1 from 1.0, and a number from its digits in a string', () => {
    expect(new Set(['1', '1.0', '"1"'].map(canonicalJson)).size).toBe(3);
  });
});

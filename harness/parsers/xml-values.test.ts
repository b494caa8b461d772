import { describe, expect, it } from 'vitest';
import { typedArguments, type XmlValueMode } from './xml-values.ts';

const TOOL = {
  name: 't',
  parameters: {
    type: 'object',
    properties: {
      s: { type: 'string' },
      i: { type: 'integer' },
      n: { type: 'number' },
      b: { type: 'boolean' },
      o: { type: 'object' },
      a: { type: 'array' },
      maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      either: { type: ['integer', 'string'] },
      any: {},
    },
  },
};

function typed(key: string, value: string | Uint8Array, mode: XmlValueMode = 'raw') {
  return typedArguments([{ key, bytes: Buffer.from(value) }], TOOL, mode);
}

describe('raw values', () => {
  it.each([
    ['s', ' 5 \n', ' 5 \n'],
    ['s', 'null', 'null'],
    ['i', '5', 5],
    ['i', ' 5\n', 5],
    ['n', '-1.5e2', -150],
    ['b', 'true', true],
    ['o', '{"k":[1]}', { k: [1] }],
    ['a', '[]', []],
    ['maybe', 'null', null],
    ['maybe', '7', 7],
    ['either', '7', '7'],
    ['any', '7', '7'],
    ['unknown', '7', '7'],
    ['toString', '7', '7'],
  ])('the value of %s, %j, is typed by its schema alone', (key, value, expected) => {
    expect(typed(key, value)).toEqual({ refused: null, args: { [key]: expected } });
  });

  it.each([
    ['i', '5.5'],
    ['i', '"5"'],
    ['i', '05'],
    ['i', ''],
    ['n', 'NaN'],
    ['n', '1e999'],
    ['b', 'True'],
    ['b', '1'],
    ['o', '[]'],
    ['o', 'null'],
    ['o', '{"k":1,"k":2}'],
    ['a', '{}'],
    ['a', '[1,'],
    ['maybe', 'x'],
  ])('the value of %s, %j, does not parse and is refused', (key, value) => {
    expect(typed(key, value)).toEqual({ refused: { key, text: value } });
  });

  it('a string that is no UTF-8 is shown as Base64, and any other type refuses it', () => {
    const bytes = Uint8Array.of(0xff, 0x30);
    expect(typed('s', bytes)).toEqual({ refused: null, args: { s: { base64: '/zA=' } } });
    expect(typed('i', bytes).refused).toEqual({ key: 'i', text: '\ufffd0' });
  });

  it('without a tool every value is a string', () => {
    expect(typedArguments([{ key: 'i', bytes: Buffer.from('5') }], undefined, 'raw')).toEqual({
      refused: null,
      args: { i: '5' },
    });
  });

  it('a key that objects have anyway is a key like any other', () => {
    const answer = typedArguments([{ key: '__proto__', bytes: Buffer.from('x') }], TOOL, 'raw');
    expect(answer.refused === null && Object.entries(answer.args)).toEqual([['__proto__', 'x']]);
  });
});

describe('values as the published guide makes them', () => {
  it.each([
    ['s', ' x \n', 'x'],
    ['s', 'NULL', null],
    ['i', '+1_000', 1000],
    ['i', '5.5', '5.5'],
    ['n', '2.0', 2],
    ['n', 'inf', 'inf'],
    ['b', 'True', true],
    ['b', 'yes', false],
    ['o', '{"k":1}', { k: 1 }],
    ['a', '[1,', '[1,'],
    ['either', '7', 7],
    ['any', ' 7', '7'],
  ])('the value of %s, %j, is stripped and coerced', (key, value, expected) => {
    expect(typed(key, value, 'minimax-guide')).toEqual({ refused: null, args: { [key]: expected } });
  });
});

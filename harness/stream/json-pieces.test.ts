import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stepsOf } from './json-path.ts';
import { JsonPieces, type Steps } from './json-pieces.ts';

describe('a path of Gemini', () => {
  it.each<[string, Steps | null]>([
    ['$.a', ['a']],
    ['$.a.b[10].c', ['a', 'b', 10, 'c']],
    [`$['a b']["c.d"]`, ['a b', 'c.d']],
    [`$['it\\'s']['q"q']`, ["it's", 'q"q']],
    ['$.é_1', ['é_1']],
    ['$', null],
    ['a', null],
    ['$..a', null],
    ['$.a[*]', null],
    ['$.a[-1]', null],
    ['$.a[', null],
    ['$.a[99999999999999999999]', null],
  ])('%s', (path, steps) => {
    expect(stepsOf(path)).toEqual(steps);
  });
});

type Leaf = string | number | boolean | null;
type Tree = Leaf | readonly Tree[] | { readonly [key: string]: Tree };

const key = fc.constantFrom('a', 'b', 'c d', '"', '0', 'é', 'constructor');
const leaf = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 6 }), fc.integer(), fc.boolean(), fc.constant(null));
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(key, tie('tree'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
}));
const object = fc.dictionary(key, tree, { minKeys: 1, maxKeys: 3, noNullPrototype: true });

function* leaves(value: Tree, path: Steps): Generator<[Steps, Leaf]> {
  if (value === null || typeof value !== 'object') yield [path, value];
  else
    for (const [step, inner] of Object.entries(value))
      yield* leaves(inner, [...path, Array.isArray(value) ? Number(step) : step]);
}

describe('an object written from pieces', () => {
  it('is the object whose leaves they are, however its strings are cut', () => {
    fc.assert(
      fc.property(object, fc.nat(6), (value, at) => {
        const pieces = new JsonPieces();
        let text: string | null = '';
        for (const [path, leafValue] of leaves(value, [])) {
          if (typeof leafValue !== 'string') text += pieces.add(path, { source: JSON.stringify(leafValue) }) ?? '!';
          else {
            text += pieces.add(path, { string: leafValue.slice(0, at), more: true }) ?? '!';
            text += pieces.add(path, { string: leafValue.slice(at), more: false }) ?? '!';
          }
        }
        text += pieces.close() ?? '!';
        expect(text).toBe(JSON.stringify(value));
      }),
      { seed: 20267, numRuns: 500 },
    );
  });

  it.each<[string, Steps[]]>([
    ['comes back to a place that it left', [['a', 'x'], ['b'], ['a', 'y']]],
    ['gives a value twice', [['a'], ['a']]],
    ['gives a value inside another', [['a'], ['a', 'b']]],
    [
      'leaves an index out',
      [
        ['a', 0],
        ['a', 2],
      ],
    ],
    [
      'makes an array of an object',
      [
        ['a', 'b'],
        ['a', 0],
      ],
    ],
    ['is an array', [[0]]],
  ])('is refused where a piece %s', (_, paths) => {
    const pieces = new JsonPieces();
    expect(paths.map((path) => pieces.add(path, { source: '1' })).at(-1)).toBeNull();
  });

  it('is nothing without a piece, and unfinished with an open string', () => {
    const pieces = new JsonPieces();
    expect(pieces.close()).toBe('');
    expect(pieces.add(['a'], { string: 'x\ud83d', more: true })).toBe('{"a":"x');
    expect(pieces.close()).toBeNull();
    expect(pieces.add(['a'], { string: '', more: false })).toBeNull();
  });
});

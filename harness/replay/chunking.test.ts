import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it, test } from 'vitest';
import { byteChunks, countTokens, tokenChunks, tokenPieces } from './chunking.ts';
import { seededDraw } from './seeded.ts';

const LONE_SURROGATE = /\p{Surrogate}/u;
const wholeText = fc.string({ unit: 'binary', maxLength: 200 });

test('tokens make the text again, and none ends inside a character', () => {
  fc.assert(
    fc.property(wholeText, (text) => {
      const pieces = tokenPieces(text);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces) expect(LONE_SURROGATE.test(piece)).toBe(false);
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('tokens that split one emoji are joined', () => {
  expect(countTokens('🧑‍🚒')).toBeGreaterThan(tokenPieces('🧑‍🚒').length);
  expect(tokenPieces('🧑‍🚒').join('')).toBe('🧑‍🚒');
});

test('the name of a special token is text', () => {
  expect(tokenPieces('a <|endoftext|> b').join('')).toBe('a <|endoftext|> b');
});

test('a chunk is 1 to 4 tokens, and every size is drawn', () => {
  const text = 'the quick brown fox jumps over the lazy dog '.repeat(40);
  const sizes = new Set(tokenChunks(text, seededDraw('x')).map((chunk) => tokenPieces(chunk).length));
  expect([...sizes].sort()).toEqual([1, 2, 3, 4]);
});

test('the same label draws the same, another label another', () => {
  const draws = (label: string): readonly number[] => {
    const draw = seededDraw(label);
    return Array.from({ length: 20 }, () => draw(1000));
  };
  expect(draws('a')).toEqual(draws('a'));
  expect(draws('a')).not.toEqual(draws('b'));
  expect(draws('a').every((value) => Number.isInteger(value) && value >= 0 && value < 1000)).toBe(true);
});

test('byte chunks make the text again, end on characters, and keep to their size', () => {
  fc.assert(
    fc.property(wholeText, fc.integer({ min: 1, max: 9 }), (text, most) => {
      const chunks = byteChunks(text, most);
      expect(chunks.join('')).toBe(text);
      for (const chunk of chunks) {
        expect(LONE_SURROGATE.test(chunk)).toBe(false);
        expect(Buffer.byteLength(chunk) <= most || [...chunk].length === 1).toBe(true);
      }
    }),
    { seed: 1, numRuns: 300 },
  );
});

describe('a long run', () => {
  it.each(['x', '-', ' ', '😀'])('of %j is cut, so that its tokens are soon counted', (letter) => {
    const text = letter.repeat(2 ** 20 / letter.length);
    expect(countTokens(text)).toBeGreaterThan(1000);
    expect(countTokens(text)).toBeLessThanOrEqual(text.length);
  });

  it('up to 1024 UTF-16 units is counted as the tokenizer does', () => {
    expect(countTokens('x'.repeat(1024))).toBe(encode('x'.repeat(1024)).length);
    expect(tokenPieces(`${'😀'.repeat(3000)} y`).join('')).toBe(`${'😀'.repeat(3000)} y`);
  });
});

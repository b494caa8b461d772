import { describe, expect, it } from 'vitest';
import { delta, text } from '../testing/hand-made-events.ts';
import { pieceOf, wholeCharacters } from './pieces.ts';

describe('a piece of an event', () => {
  const opening = { ...delta(0, 'abcd', { id: 'c', name: 't' }), half: true } as const;

  it('has id and name if it is the first, and the half character if it is the last', () => {
    expect(pieceOf(opening, 0, 2)).toEqual({ ...delta(0, 'ab', { id: 'c', name: 't' }) });
    expect(pieceOf(opening, 1, 3)).toEqual(delta(0, 'bc'));
    expect(pieceOf(opening, 2, 4)).toEqual({ ...delta(0, 'cd'), half: true });
  });

  it('says of the call what its opening says on the first piece alone', () => {
    const custom = { ...delta(0, 'ab', { id: 'c', name: 't' }), input: 'text', closes: 'announced' } as const;
    expect(pieceOf(custom, 0, 1)).toEqual({ ...custom, bytes: Buffer.from('a') });
    expect(pieceOf(custom, 1, 2)).toEqual(delta(0, 'b'));
  });

  it('is the event itself where all of it is asked for', () => {
    expect(pieceOf(opening)).toBe(opening);
    expect(pieceOf(text('abc'), 1, 2)).toEqual(text('b'));
  });
});

describe('the whole characters of some bytes', () => {
  it.each([
    ['', 0],
    ['61', 1],
    ['61c3', 1],
    ['61c3a9', 3],
    ['e282', 0],
    ['e282ac', 3],
    ['f09f98', 0],
    ['f09f9880', 4],
    // What is no UTF-8 will not become it by waiting.
    ['80', 1],
    ['61a9', 2],
    ['ffffffff', 4],
  ])('of %s are %i bytes', (hex, count) => {
    expect(wholeCharacters(Buffer.from(hex, 'hex'))).toBe(count);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guessFraming } from '../replay/guess.ts';
import { TellingLines } from './telling-lines.ts';

const guess = (text: string | Uint8Array) => guessFraming([{ type: 'text', at: 0, bytes: Buffer.from(text) }]);

const part = fc.constantFrom(
  ...['<think>', '</think>', '<thi', '\n', '\n', ' ', 'call c1 t', 'call ', 'arg k 5', 'arg k v', 'arg k <<E', 'end'],
  ...['<minimax:tool_call>', 'some text', 'é', 'x'.repeat(300)],
  ...['<tool_call>', '<tool_call>', '{', '<function=', 't<', '<｜tool▁calls▁begin｜>', '<|channel|>', 'y'.repeat(70)],
);

describe('the telling lines of a text', () => {
  it('have the framing of the whole, in whatever pieces it comes', () => {
    const texts = fc.tuple(fc.array(part, { maxLength: 14 }), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(texts, ([parts, size]) => {
        const bytes = Buffer.from(parts.join(''));
        const lines = new TellingLines();
        for (let from = 0; from < bytes.length; from += size) lines.push(bytes.subarray(from, from + size));
        expect(guess(lines.text())).toBe(guess(bytes));
      }),
      { seed: 20261202, numRuns: 3000 },
    );
  });

  it('are few, whatever the length of the text', () => {
    const lines = new TellingLines();
    for (let i = 0; i < 10_000; i++) lines.push(Buffer.from('a line of text\nand more'));
    lines.push(Buffer.from('\ncall c1 t\narg k 5\n'));
    expect(lines.text()).toBe('.\ncall c1 t\narg k 5');
  });
});

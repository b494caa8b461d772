import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../testing/runs.ts';
import { LineIndex } from './line-index.ts';

describe('a run of lines', () => {
  it('is found wherever it stands, whether its lines are rare or not', () => {
    const letter = fc.constantFrom('a', 'b');
    const lines = fc.array(fc.oneof({ weight: 9, arbitrary: letter }, fc.constantFrom('c')), { maxLength: 300 });
    const run = fc.array(letter, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(lines, run, (file, wanted) => {
        const places = file.flatMap((_, at) => (wanted.every((line, i) => file[at + i] === line) ? [at] : []));
        expect(new LineIndex(file, (line) => line).find(wanted)).toEqual(places);
      }),
      runs(300, 20_000),
    );
  });

  it('of one line repeated is found in linear time', () => {
    const index = new LineIndex(
      Array.from({ length: 200_000 }, () => 'x'),
      (line) => line,
    );
    const half = Array.from({ length: 100_000 }, () => 'x');
    expect(index.find(half)).toHaveLength(100_001);
    expect(index.find([...half, 'y'])).toEqual([]);
  }, 5000);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { cappedOutput } from '../result-frame.ts';
import { BoundedOutput } from './bounded-output.ts';

function taken(keep: number, pieces: readonly Uint8Array[]) {
  const output = new BoundedOutput(keep);
  for (const piece of pieces) output.push(piece);
  return output.take();
}

describe('bounded output', () => {
  it('is all of an output that fits, and head, tail and a count of one that does not', () => {
    const pieces = ['abc', '', 'defg', 'h'].map((text) => Buffer.from(text));
    expect(taken(4, pieces)).toEqual({ output: Buffer.from('abcdefgh') });
    expect(taken(3, pieces)).toEqual({ output: Buffer.from('abcfgh'), omitted: { at: 3, bytes: 2 } });
  });

  it('sets a remark on a line of its own', () => {
    const remarks = ['', 'text', 'text\n'].map((text) => {
      const output = new BoundedOutput(100);
      output.push(Buffer.from(text));
      output.pushLine('[remark]');
      return output.take().output.toString();
    });
    expect(remarks).toEqual(['[remark]\n', 'text\n[remark]\n', 'text\n[remark]\n']);
  });

  it('shows the model what the whole output would, however it arrived', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 20 }).map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 40 }),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(pieces, fc.integer({ min: 16, max: 200 }), (arrived, cap) => {
        const kept = taken(cap, arrived);
        const whole = Buffer.concat(arrived);
        expect(kept.output.length).toBe(Math.min(whole.length, 2 * cap));
        expect(kept.output.length + (kept.omitted?.bytes ?? 0)).toBe(whole.length);
        expect(cappedOutput(kept, cap)).toBe(cappedOutput({ output: whole }, cap));
      }),
      runs(500, 20_000, 921),
    );
  });
});

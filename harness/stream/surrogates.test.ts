import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeltaEncoder } from './surrogates.ts';

function encodeAll(deltas: readonly string[]): { texts: (string | null)[]; holds: boolean } {
  const encoder = new DeltaEncoder();
  const texts = deltas.map((delta) => {
    const bytes = encoder.encode(delta);
    return bytes === null ? null : Buffer.from(bytes).toString('utf8');
  });
  return { texts, holds: encoder.holds };
}

describe('deltas as UTF-8', () => {
  it.each<[string, string[], (string | null)[], boolean]>([
    ['plain deltas', ['a', 'é', '', '語', '😀'], ['a', 'é', '', '語', '😀'], false],
    ['a pair cut in two', ['ok \ud83d', '\ude00 done'], ['ok ', '😀 done'], false],
    ['a high surrogate alone', ['\ud83d', '', '\ude00'], ['', '', '😀'], false],
    ['a high surrogate that waits', ['a\ud83d'], ['a'], true],
    ['two pairs cut in two', ['\ud83d', '\ude00\ud83d', '\ude01'], ['', '😀', '😁'], false],
    ['a high surrogate followed by text', ['\ud83d', 'a'], ['', null], false],
    ['two high surrogates', ['\ud83d', '\ud83d'], ['', null], true],
    ['a low surrogate alone', ['\ude00', 'a'], [null, 'a'], false],
    ['a lone surrogate within', ['a\ud83db'], [null], false],
    ['a replacement character that was sent', ['\ufffd'], ['\ufffd'], false],
  ])('%s', (_, deltas, texts, holds) => {
    expect(encodeAll(deltas)).toEqual({ texts, holds });
  });

  it('gives the bytes of the whole text, wherever it is cut', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('x'.repeat(6000), '😀'.repeat(4000)),
    );
    fc.assert(
      fc.property(piece, fc.array(fc.nat(8000), { maxLength: 6 }), (text, drawn) => {
        const cuts = drawn.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b);
        const deltas = [...cuts, text.length].map((to, i) => text.slice(i === 0 ? 0 : cuts[i - 1], to));
        const { texts, holds } = encodeAll(deltas);
        expect({ text: texts.join(''), holds }).toEqual({ text, holds: false });
      }),
      { seed: 20264, numRuns: 300 },
    );
  });

  it('gives bytes that stay as they are', () => {
    const encoder = new DeltaEncoder();
    const first = encoder.encode('abc');
    encoder.encode('xyz');
    expect(first).toEqual(Uint8Array.from([97, 98, 99]));
  });
});

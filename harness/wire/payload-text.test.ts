import { describe, expect, it } from 'vitest';
import { payloadText } from './payload-text.ts';

function text(payload: Uint8Array): string | null {
  const bytes = Buffer.concat([Buffer.from('<<'), payload, Buffer.from('>>')]);
  return payloadText({ bytes, start: 2, end: bytes.length - 2, name: '', at: 0 });
}

describe('payload text', () => {
  it.each([1, 2000])('is the payload decoded, %d times repeated', (times) => {
    for (const piece of ['', 'abc', 'é', '語', '😀', '\uFEFF', '\uFFFD', '\0']) {
      expect(text(Buffer.from(piece.repeat(times)))).toBe(piece.repeat(times));
    }
  });

  it.each([0, 2000])('is null for bytes that are no UTF-8, after %d good ones', (good) => {
    for (const bad of [
      [0x80],
      [0xff],
      [0xc3],
      [0xe2, 0x82],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
    ]) {
      expect(text(Buffer.concat([Buffer.alloc(good, 'a'), Uint8Array.from(bad)]))).toBeNull();
    }
  });

  it('carries nothing over from a refused payload', () => {
    text(Buffer.concat([Buffer.alloc(2000, 'a'), Uint8Array.from([0xe2, 0x82])]));
    expect(text(Buffer.from('é'.repeat(2000)))).toBe('é'.repeat(2000));
  });
});

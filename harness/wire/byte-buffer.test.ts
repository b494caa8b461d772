import { describe, expect, it } from 'vitest';
import { ByteBuffer } from './byte-buffer.ts';

describe('the byte buffer', () => {
  it('keeps its content as it grows, and grows by doubling', () => {
    const buffer = new ByteBuffer();
    const sizes = new Set<number>();
    for (let i = 0; i < 100_000; i++) {
      buffer.appendByte(i % 251);
      sizes.add(buffer.bytes.length);
    }
    expect(buffer.bytes.subarray(0, buffer.length)).toEqual(
      Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251)),
    );
    expect(sizes.size).toBeLessThanOrEqual(12);
  });

  it('is reused, but for a huge one', () => {
    const buffer = new ByteBuffer();
    for (const [size, kept] of [
      [1_000, true],
      [1_000_000, true],
      [1_100_000, false],
    ] as const) {
      buffer.append(Buffer.alloc(size), 0, size);
      const { bytes } = buffer;
      buffer.clear();
      expect([buffer.length, buffer.bytes === bytes && bytes.length >= size]).toEqual([0, kept]);
    }
  });
});

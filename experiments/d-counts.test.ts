import { describe, expect, it } from 'vitest';
import { countMade, countsOf, sizeBucketOf } from './d-counts.ts';

function counts(text: string) {
  return countsOf(Buffer.from(text));
}

describe('countsOf', () => {
  it('counts bytes, code points, UTF-16 units, lines, words and JSON bytes apart', () => {
    expect(counts('é "😀"\nb\n')).toEqual({
      bytes: 12,
      codePoints: 8,
      utf16Units: 9,
      lines: 2,
      lineFeeds: 2,
      nonAsciiBytes: 6,
      endsWithLf: true,
      words: 3,
      tokens: counts('é "😀"\nb\n').tokens,
      jsonBytes: 16,
    });
    expect(counts('hello world').tokens).toBe(2);
  });

  it('counts a last line without LF, and none in an empty value', () => {
    expect(counts('a\nb')).toMatchObject({ lines: 2, endsWithLf: false });
    expect(counts('')).toMatchObject({ bytes: 0, lines: 0, words: 0, tokens: 0, endsWithLf: false });
  });

  it('counts bytes that are no UTF-8 as characters of their own', () => {
    expect(countsOf(Uint8Array.of(0xff, 0x61, 0xc3))).toMatchObject({ bytes: 3, codePoints: 3, nonAsciiBytes: 2 });
  });
});

describe('countMade', () => {
  const value = counts('né\nb\n');
  it.each([
    [6, 'bytes'],
    [7, 'bytes + LF'],
    [5, 'bytes - LF'],
    [4, 'code points - LF'],
    [8, 'bytes, CRLF'],
    [2, 'lines'],
    [99, 'none of these'],
  ])('of %i is %s', (declared, made) => {
    expect(countMade(declared, value)).toBe(made);
  });

  it('puts a length down to code points only where they are not the bytes', () => {
    expect(countMade(5, counts('ébcde'))).toBe('code points');
    expect(countMade(5, counts('abcde'))).toBe('bytes');
  });

  it('puts a length down to UTF-16 units only where they are not the code points', () => {
    expect(countMade(6, counts('a😀😀b'))).toBe('utf16 units');
    expect(countMade(4, counts('a😀😀b'))).toBe('code points');
  });
});

it('sizes fall into buckets with both ends included', () => {
  expect([0, 1, 16, 17, 64, 65, 256, 257, 1024, 1025, 4096, 4097].map(sizeBucketOf)).toEqual([
    '0',
    '1-16',
    '1-16',
    '17-64',
    '17-64',
    '65-256',
    '65-256',
    '257-1024',
    '257-1024',
    '1025-4096',
    '1025-4096',
    '>4096',
  ]);
});

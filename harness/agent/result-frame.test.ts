import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../testing/runs.ts';
import { cappedOutput, cutOutput, readOutputCap, resultFrame } from './result-frame.ts';
import { readableText } from './utf8.ts';

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'utf8'));
const MARKER = /^(?<head>.*?)\n?\[(?<count>[\d,]+) bytes left out\]\n(?<tail>.*)$/su;
const LONGEST_MARKER = '\n[1,000,000 bytes left out]\n'.length;

/** Characters of every length, control characters, and bytes that are no UTF-8 in all mixtures. */
const someBytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }).map(bytesOf),
      fc.constantFrom('é', '€', '𝄞', '\n', '\ufeff', '\0').map(bytesOf),
      fc.uint8Array({ maxLength: 6 }),
      fc
        .constantFrom([0xe2, 0x82], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80])
        .map((bytes) => Uint8Array.from(bytes)),
    ),
    { maxLength: 40 },
  )
  .map((parts) => new Uint8Array(Buffer.concat(parts)));

describe('the result frame', () => {
  it('carries a short output as it is', () => {
    expect(resultFrame('c1', 0, cappedOutput({ output: bytesOf('héllo\n') }, 256))).toBe(
      'result c1 exit=0 7\nhéllo\n\nend\n',
    );
  });

  it('says 0 for an empty output', () => {
    expect(resultFrame('c1', 130, '')).toBe('result c1 exit=130 0\n\nend\n');
  });

  it('cuts a megabyte of é to 60 % and 40 % of the cap and counts what stands in it', () => {
    const output = cappedOutput({ output: bytesOf('é'.repeat(500_000)) }, 16 * 1024);
    const head = 'é'.repeat(4915);
    const tail = 'é'.repeat(3277);
    expect(output).toBe(`${head}\n[983,616 bytes left out]\n${tail}`);
    const frame = resultFrame('c1', 0, output);
    expect(frame.startsWith(`result c1 exit=0 ${9830 + 26 + 6554}\né`)).toBe(true);
    expect(Buffer.byteLength(frame)).toBe(Buffer.byteLength('result c1 exit=0 16410\n') + 16_410 + '\nend\n'.length);
  });

  it('sets the marker on a line of its own, also where the head ends with a line feed', () => {
    const lines = 'line\n'.repeat(100);
    expect(cappedOutput({ output: bytesOf(lines) }, 25)).toBe(
      `${'line\n'.repeat(3)}[475 bytes left out]\nline\nline\n`,
    );
    expect(cappedOutput({ output: bytesOf(lines) }, 20)).toBe('line\nline\nli\n[480 bytes left out]\nne\nline\n');
  });

  it('counts what a tool did not keep', () => {
    const output = bytesOf('a'.repeat(300) + 'b'.repeat(300));
    const text = cappedOutput({ output, omitted: { at: 300, bytes: 5_000_000_000 } }, 256);
    expect(text).toBe(`${'a'.repeat(153)}\n[5,000,000,344 bytes left out]\n${'b'.repeat(103)}`);
  });

  it('shows a byte that is no UTF-8 as U+FFFD, and counts it as it is sent', () => {
    const text = cappedOutput({ output: Uint8Array.of(0x61, 0xff, 0xe2, 0x82, 0x62) }, 256);
    expect(resultFrame('c1', 0, text)).toBe('result c1 exit=0 11\na\ufffd\ufffd\ufffdb\nend\n');
  });

  it('keeps its promises for any bytes and any cap', () => {
    fc.assert(
      fc.property(someBytes, fc.nat({ max: 300 }), (output, cap) => {
        const text = cappedOutput({ output }, cap);
        const frame = Buffer.from(resultFrame('c1', 7, text));
        const header = frame.subarray(0, frame.indexOf('\n') + 1);
        const declared = Number(header.toString().split(' ')[3]);
        const body = frame.subarray(header.length, header.length + declared);
        expect(frame.subarray(header.length + declared).toString()).toBe('\nend\n');
        expect(body.toString()).toBe(text);

        const whole = readableText(output);
        const cut = cutOutput({ output }, cap);
        if (cut === null) {
          expect(text).toBe(whole);
          expect(declared).toBeLessThanOrEqual(cap);
          return;
        }
        expect(Buffer.byteLength(whole)).toBeGreaterThan(cap);
        expect(declared).toBeLessThanOrEqual(cap + LONGEST_MARKER);
        expect(output.subarray(0, cut.head.length)).toEqual(cut.head);
        expect(output.subarray(output.length - cut.tail.length)).toEqual(cut.tail);
        expect(cut.head.length + cut.leftOut + cut.tail.length).toBe(output.length);
        const middle = output.subarray(cut.head.length, output.length - cut.tail.length);
        expect([cut.head, middle, cut.tail].map(readableText).join('')).toBe(whole);
        expect(text).toMatch(MARKER);
      }),
      runs(500, 20_000, 901),
    );
  });

  it('fills head and tail as far as whole characters allow', () => {
    fc.assert(
      fc.property(someBytes, fc.nat({ max: 100 }), (output, cap) => {
        const cut = cutOutput({ output }, cap);
        if (cut === null) return;
        const headCap = Math.floor(cap * 0.6);
        const size = (bytes: Uint8Array) => Buffer.byteLength(readableText(bytes));
        expect(size(cut.head)).toBeLessThanOrEqual(headCap);
        expect(size(cut.head)).toBeGreaterThan(headCap - 4);
        expect(size(cut.tail)).toBeLessThanOrEqual(cap - headCap);
        expect(size(cut.tail)).toBeGreaterThan(cap - headCap - 4);
      }),
      runs(500, 20_000, 902),
    );
  });
});

describe('readable text', () => {
  it('is what the platform decodes, but for the number of replacements in a row', () => {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const once = (text: string) => text.replace(/\ufffd+/g, '\ufffd');
    fc.assert(
      fc.property(someBytes, (bytes) => {
        expect(once(readableText(bytes))).toBe(once(decoder.decode(bytes)));
      }),
      runs(500, 20_000, 903),
    );
  });
});

describe('the output cap', () => {
  it('is 16 KiB unless a number is given', () => {
    expect([readOutputCap(undefined), readOutputCap(''), readOutputCap('4096')]).toEqual([
      { cap: 16_384 },
      { cap: 16_384 },
      { cap: 4096 },
    ]);
  });

  it.each(['16k', '-1', '0', '255', '16777217', '1e4', ' 4096', '0x400', '99999999999999999999'])(
    'is not %j',
    (text) => {
      expect(readOutputCap(text)).toEqual({
        problem: `${JSON.stringify(text)} is no output cap: wanted is a number of bytes from 256 to 16777216`,
      });
    },
  );
});

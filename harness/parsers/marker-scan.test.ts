import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEED } from '../testing/runs.ts';
import { MarkerScan } from './marker-scan.ts';

const MARKERS = { open: '<a>', close: '</a>', twin: '<<b' };

interface Scanned {
  /** Released bytes as text, and markers in braces with their content offset, in order. */
  readonly log: string;
  readonly offsets: readonly number[];
  readonly held: number;
}

/** Scans `pieces`; the offset of each is that of the content, with a gap of 100 bytes before every piece. */
function scanned(pieces: readonly string[], markers: Readonly<Record<string, string>> = MARKERS): Scanned {
  let log = '';
  const offsets: number[] = [];
  const scan = new MarkerScan(markers, (bytes, from, to, offset) => {
    log += Buffer.from(bytes.subarray(from, to)).toString('latin1');
    for (let i = from; i < to; i++) offsets.push(offset + (i - from));
  });
  let offset = 0;
  for (const piece of pieces) {
    offset += 100;
    const bytes = Buffer.from(piece, 'latin1');
    for (let at = 0; at < bytes.length; ) {
      at = scan.scan(bytes, at, bytes.length, offset + at);
      if (scan.found !== null) log += `{${scan.found}@${scan.start}+${scan.length}}`;
    }
    offset += bytes.length;
  }
  return { log, offsets, held: scan.held };
}

describe('a marker scan', () => {
  it('releases what is in no marker, and tells markers apart', () => {
    expect(scanned(['x<a>y</a>z']).log).toBe('x{open@101+3}y{close@105+4}z');
  });

  it('finds a marker that is split anywhere, and knows where its first byte was', () => {
    expect(scanned(['x<', '/', 'a>y']).log).toBe('x{close@101+4}y');
  });

  it('holds back only what can still become a marker', () => {
    expect(scanned(['x<']).held).toBe(1);
    expect(scanned(['x</a']).held).toBe(3);
    expect(scanned(['x</b'])).toMatchObject({ log: 'x</b', held: 0 });
  });

  it('lets a beginning that fails be the beginning of another', () => {
    expect(scanned(['<<a>']).log).toBe('<{open@101+3}');
    expect(scanned(['<', '<', 'a>'])).toMatchObject({ log: '<{open@201+3}', offsets: [100] });
    expect(scanned(['<</a<<b']).log).toBe('<</a{twin@104+3}');
  });

  it('gives every released byte its own offset, over gaps too', () => {
    expect(scanned(['a<', 'b'])).toMatchObject({ log: 'a<b', offsets: [100, 101, 202] });
  });

  it('releases what is held when the message ends', () => {
    let log = '';
    const scan = new MarkerScan(MARKERS, (bytes, from, to) => {
      log += Buffer.from(bytes.subarray(from, to)).toString();
    });
    scan.scan(Buffer.from('x</a'), 0, 4, 0);
    scan.flush();
    expect([log, scan.held]).toEqual(['x</a', 0]);
  });

  it('reads markers that begin with different bytes', () => {
    expect(scanned(['x to=y', '|z'], { to: ' to=', bar: '|' }).log).toBe('x{to@101+4}y{bar@206+1}z');
  });

  it('refuses a marker that is empty or part of another', () => {
    expect(() => scanned([], { a: '' })).toThrow(RangeError);
    expect(() => scanned([], { a: '<a>', b: 'x<a>y' })).toThrow(RangeError);
  });

  it('says of every text what a search over the whole says, in whatever pieces it comes', () => {
    const text = fc.array(fc.constantFrom('<', '</', '<a', '>', 'a>', '<<', 'b', 'x', '<<b', '</a>'), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 4 }), (parts, size) => {
        const whole = parts.join('');
        const pieces = whole.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
        const { log, held } = scanned(pieces);
        const seen = log.replaceAll(/@\d+\+\d+/g, '');
        const rest = whole.slice(whole.length - held);
        const wanted = whole.slice(0, whole.length - held).replaceAll(/<a>|<\/a>|<<b/g, nameOf);
        expect(seen).toBe(wanted);
        expect(Object.values(MARKERS).some((marker) => marker !== rest && marker.startsWith(rest))).toBe(true);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });
});

function nameOf(marker: string): string {
  const found = Object.entries(MARKERS).find(([, text]) => text === marker);
  return `{${found?.[0] ?? ''}}`;
}

/** What could have been counted of a value: the counts, and the hypotheses that a wrong length is tried against. */
import { countTokens } from '../harness/replay/chunking.ts';

export interface Counts {
  readonly bytes: number;
  readonly codePoints: number;
  readonly utf16Units: number;
  /** Lines; a last one without LF counts. */
  readonly lines: number;
  readonly lineFeeds: number;
  readonly nonAsciiBytes: number;
  readonly endsWithLf: boolean;
  /** Words between blanks. */
  readonly words: number;
  /** Tokens of o200k_base. */
  readonly tokens: number;
  /** Bytes of the value as a JSON string, quotes not counted. */
  readonly jsonBytes: number;
}

/** Bytes that are no UTF-8 count as U+FFFD where characters are counted. */
export function countsOf(value: Uint8Array): Counts {
  const text = Buffer.from(value).toString('utf8');
  const lineFeeds = value.reduce((sum, byte) => sum + (byte === LF ? 1 : 0), 0);
  const endsWithLf = value.at(-1) === LF;
  return {
    bytes: value.length,
    codePoints: [...text].length,
    utf16Units: text.length,
    lines: lineFeeds + (value.length > 0 && !endsWithLf ? 1 : 0),
    lineFeeds,
    nonAsciiBytes: value.reduce((sum, byte) => sum + (byte >= 0x80 ? 1 : 0), 0),
    endsWithLf,
    words: text.split(/\s+/).filter((word) => word !== '').length,
    tokens: countTokens(text),
    jsonBytes: Buffer.byteLength(JSON.stringify(text)) - 2,
  };
}

const LF = 0x0a;

/** Something that might have been counted instead of the bytes; `null` where it is no other number than the bytes. */
export interface Hypothesis {
  readonly name: string;
  /** As in a table: what is counted. */
  readonly about: string;
  readonly count: (counts: Counts) => number | null;
}

/** The nearest to the contract first: a length that fits several is put down to the first. */
export const HYPOTHESES: readonly Hypothesis[] = [
  { name: 'bytes + LF', about: 'bytes and the separator', count: ({ bytes }) => bytes + 1 },
  {
    name: 'bytes - LF',
    about: 'bytes without the final LF',
    count: ({ bytes, endsWithLf }) => (endsWithLf ? bytes - 1 : null),
  },
  { name: 'code points', about: 'Unicode code points', count: (counts) => unlessBytes(counts, counts.codePoints) },
  {
    name: 'code points + LF',
    about: 'code points and the separator',
    count: (counts) => nonAsciiOnly(counts, counts.codePoints + 1),
  },
  {
    name: 'code points - LF',
    about: 'code points without the final LF',
    count: (counts) => (counts.endsWithLf ? nonAsciiOnly(counts, counts.codePoints - 1) : null),
  },
  {
    name: 'utf16 units',
    about: 'UTF-16 units (not code points)',
    count: (counts) => (counts.utf16Units === counts.codePoints ? null : unlessBytes(counts, counts.utf16Units)),
  },
  {
    name: 'bytes - all LFs',
    about: 'bytes without any LF',
    count: ({ bytes, lineFeeds }) => (lineFeeds > 1 ? bytes - lineFeeds : null),
  },
  {
    name: 'bytes, CRLF',
    about: 'bytes with each LF as CR LF',
    count: ({ bytes, lineFeeds }) => (lineFeeds > 1 ? bytes + lineFeeds : null),
  },
  { name: 'json bytes', about: 'bytes of the JSON string', count: (counts) => unlessBytes(counts, counts.jsonBytes) },
  { name: 'lines', about: 'lines', count: (counts) => unlessBytes(counts, counts.lines) },
  { name: 'words', about: 'words', count: (counts) => unlessBytes(counts, counts.words) },
  { name: 'tokens', about: 'tokens (o200k_base)', count: (counts) => unlessBytes(counts, counts.tokens) },
];

function unlessBytes({ bytes }: Counts, count: number): number | null {
  return count === bytes ? null : count;
}

function nonAsciiOnly({ nonAsciiBytes }: Counts, count: number): number | null {
  return nonAsciiBytes > 0 ? count : null;
}

/** `bytes` for a right length, else the first hypothesis that gives exactly the declared number, else `none of these`. */
export function countMade(declared: number, counts: Counts): string {
  if (declared === counts.bytes) return 'bytes';
  return HYPOTHESES.find(({ count }) => count(counts) === declared)?.name ?? 'none of these';
}

/** Sizes in bytes that a bucket holds, both ends included. */
export interface SizeBucket {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** An empty value is no short one: its length is right without counting. */
export const SIZE_BUCKETS: readonly SizeBucket[] = [
  { name: '0', from: 0, to: 0 },
  { name: '1-16', from: 1, to: 16 },
  { name: '17-64', from: 17, to: 64 },
  { name: '65-256', from: 65, to: 256 },
  { name: '257-1024', from: 257, to: 1024 },
  { name: '1025-4096', from: 1025, to: 4096 },
  { name: '>4096', from: 4097, to: Number.POSITIVE_INFINITY },
];

export function sizeBucketOf(bytes: number): string {
  return SIZE_BUCKETS.find(({ to }) => bytes <= to)!.name;
}

/**
 * How a text becomes the deltas of a stream: a real tokenizer cuts it into tokens, and a seeded draw groups 1 to 4 of
 * them into a chunk (recordings.md, suite `replies`).
 */
import { decodeGenerator, encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { Draw } from './seeded.ts';

/** Named in the manifest: other ranks would cut elsewhere. */
export const TOKENIZER = 'gpt-tokenizer o200k_base';

const MOST_TOKENS_PER_CHUNK = 4;

/**
 * The tokens of `text` as strings that concatenate to it. A token that ends inside a character is joined with the ones
 * that complete it: a JSON string cannot hold half of a UTF-8 sequence.
 */
export function tokenPieces(text: string): readonly string[] {
  const tokens = tokensOf(text);
  const pieces = [...decodeGenerator(tokens)].filter((piece) => piece !== '');
  if (pieces.join('') !== text) throw new Error('the tokens do not make the text again');
  return pieces;
}

/** Groups of 1 to 4 tokens, as drawn. */
export function tokenChunks(text: string, draw: Draw): readonly string[] {
  const pieces = tokenPieces(text);
  const chunks: string[] = [];
  for (let at = 0; at < pieces.length; ) {
    const end = at + 1 + draw(MOST_TOKENS_PER_CHUNK);
    chunks.push(pieces.slice(at, end).join(''));
    at = end;
  }
  return chunks;
}

/** Number of tokens, for the usage chunk. */
export function countTokens(text: string): number {
  return tokensOf(text).length;
}

/** UTF-16 units of a run, of blanks or of anything else, that the tokenizer is given in one piece. */
const LONGEST_RUN = 1024;
const LONG_RUN = new RegExp(`\\S{${LONGEST_RUN + 1},}|\\s{${LONGEST_RUN + 1},}`, 'g');

/**
 * The tokenizer's time grows with the square of a run (a megabyte of one letter would take minutes): longer runs are cut,
 * which makes at most one token more a cut.
 */
function tokensOf(text: string): readonly number[] {
  const tokens: number[] = [];
  let from = 0;
  const encodeUpTo = (to: number): void => {
    for (const token of encode(text.slice(from, to), { allowedSpecial: new Set(), disallowedSpecial: new Set() })) {
      tokens.push(token);
    }
    from = to;
  };
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    for (let to = index + LONGEST_RUN; to < index + run.length; to += LONGEST_RUN) {
      const isInPair = (text.charCodeAt(to) & 0xfc00) === 0xdc00;
      encodeUpTo(isInPair ? to - 1 : to);
    }
  }
  encodeUpTo(text.length);
  return tokens;
}

/** Pieces of at most `most` bytes of UTF-8 that end on character boundaries (a longer character stands alone). */
export function byteChunks(text: string, most: number): readonly string[] {
  const chunks: string[] = [];
  let start = 0;
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) ?? 0;
    const width = utf8Width(point);
    if (bytes > 0 && bytes + width > most) {
      chunks.push(text.slice(start, at));
      start = at;
      bytes = 0;
    }
    bytes += width;
    at += point > 0xffff ? 2 : 1;
  }
  if (start < text.length) chunks.push(text.slice(start));
  return chunks;
}

function utf8Width(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

/** Other people's parsers. */
import { JSONParser } from '@streamparser/json';
import { parse as parseRiver } from 'jsonriver';
import { parse as parsePartial } from 'partial-json';

/** UTF-8 decode and JSON.parse of the whole: what any JSON protocol pays at least. */
export function decodeAndParse(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString('utf8'));
}

/** `views`: each piece is a view, made as it is fed. `reused`: one array. `buffered`: also its option for long strings. */
export type StreamparserFeed = 'views' | 'reused' | 'buffered';

export function streamparser(bytes: Uint8Array, piece: number, how: StreamparserFeed): unknown {
  const parser = new JSONParser(how === 'buffered' ? { stringBufferSize: STRING_BUFFER } : {});
  let result: unknown;
  parser.onValue = ({ value }) => {
    result = value;
  };
  if (how !== 'views') writeInPieces(bytes, piece, (part) => parser.write(part));
  else for (let from = 0; from < bytes.length; from += piece) parser.write(bytes.subarray(from, from + piece));
  return result;
}

const STRING_BUFFER = 64 * 1024;

/** Calls `write` with each piece; all but the last stand in one reused array. */
export function writeInPieces(bytes: Uint8Array, piece: number, write: (part: Uint8Array) => void): void {
  if (piece >= bytes.length) {
    write(bytes);
    return;
  }
  const part = new Uint8Array(piece);
  let from = 0;
  for (; from + piece <= bytes.length; from += piece) {
    for (let i = 0; i < piece; i++) part[i] = bytes[from + i]!;
    write(part);
  }
  if (from < bytes.length) write(bytes.subarray(from));
}

/** It takes strings: pieces of `piece` UTF-16 units, decoded before the clock starts. */
export async function jsonriver(text: string, piece: number): Promise<unknown> {
  let result: unknown;
  for await (const value of parseRiver(pieces(text, piece))) result = value;
  return result;
}

async function* pieces(text: string, piece: number): AsyncGenerator<string> {
  for (let from = 0; from < text.length; from += piece) yield text.slice(from, from + piece);
}

/**
 * It keeps nothing between two deltas: all of the text is parsed at each. Every `every`-th delta is looked at, from the
 * middle of the first `every` on, and the result of the last parse is returned.
 */
export function partialJson(text: string, piece: number, every: number): unknown {
  const step = piece * every;
  for (let end = Math.ceil(step / 2); end < text.length; end += step) parsePartial(text.slice(0, end));
  return text.length;
}

export function wholePartialJson(text: string): unknown {
  return parsePartial(text);
}

/** One value to decoded arguments: our parsers and their peers, in three feeds. */
import { isDeepStrictEqual } from 'node:util';
import type { Feed, Figure } from './figures.ts';
import { decodedArguments, eventOf, fedParser, messageOf, writeFile } from './framings.ts';
import { decodeAndParse, jsonriver, partialJson, streamparser, wholePartialJson } from './peers.ts';
import { type Contestant, type Effort, race } from './race.ts';
import { sourceCode } from './source-code.ts';

export const PARSING_FEEDS = ['whole', '4-byte pieces', 'byte by byte'] as const satisfies readonly Feed[];
export type ParsingFeed = (typeof PARSING_FEEDS)[number];

interface Entrant extends Contestant {
  readonly who: string;
}

export async function measureParsing(sizes: readonly number[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const bytes of sizes) {
    const content = sourceCode(bytes);
    for (const feed of PARSING_FEEDS) {
      const entrants = entrantsFor(content, feed);
      await checkAnswers(entrants, content);
      const times = await race(entrants, effort);
      for (const [i, { who, standsFor }] of entrants.entries()) {
        figures.push({ topic: 'parsing', who, feed, bytes, ms: times[i]!, ...shareOf(standsFor) });
      }
    }
  }
  return figures;
}

function shareOf(standsFor: number | undefined): { share?: number } {
  return standsFor === undefined ? {} : { share: 1 / standsFor };
}

function entrantsFor(content: string, feed: ParsingFeed): readonly Entrant[] {
  const json = messageOf('json-object', content);
  const bytes = new Uint8Array(Buffer.from(json));
  const buffer = Buffer.from(json);
  const piece = pieceSize(feed, bytes.length);
  return [
    ...OURS.map((protocol) => ourEntrant(protocol, content, feed)),
    ...(feed === 'whole' ? [{ who: DECODE_AND_PARSE, run: () => decodeAndParse(buffer) }] : []),
    ...(feed === 'whole' ? [{ who: 'JSON.parse of a ready string', run: () => JSON.parse(json) as unknown }] : []),
    { who: STREAMPARSER, run: () => streamparser(bytes, piece, 'views') },
    ...(feed === 'whole'
      ? []
      : [{ who: `${STREAMPARSER}, one array reused`, run: () => streamparser(bytes, piece, 'reused') }]),
    { who: `${STREAMPARSER}, stringBufferSize`, run: () => streamparser(bytes, piece, 'buffered') },
    { who: 'jsonriver', run: () => jsonriver(json, piece) },
    partialJsonEntrant(json, piece),
  ];
}

export const STREAMPARSER = '@streamparser/json';
export const DECODE_AND_PARSE = 'UTF-8 decode + JSON.parse';
const OURS = ['ctl', 'ctl-heredoc', 'xml', 'json-whole', 'json-object'] as const;

function ourEntrant(protocol: (typeof OURS)[number], content: string, feed: ParsingFeed): Entrant {
  const event = eventOf(protocol, content);
  const size = event.bytes.length;
  const cut = { size, piece: pieceSize(feed, size) };
  return { who: protocol, run: () => decodedArguments(fedParser(protocol, event, cut)) };
}

/** Deltas of a quadratic parser that are really run. */
const SAMPLED_DELTAS = 24;

function partialJsonEntrant(json: string, piece: number): Entrant {
  const who = 'partial-json, all again at each delta';
  if (piece >= json.length) return { who, run: () => wholePartialJson(json) };
  const every = Math.max(1, Math.floor(json.length / piece / SAMPLED_DELTAS));
  return { who, standsFor: every, run: () => partialJson(json, piece, every) };
}

function pieceSize(feed: ParsingFeed, whole: number): number {
  if (feed === 'whole') return whole;
  return feed === 'byte by byte' ? 1 : 4;
}

/** A wrong answer is not worth timing. */
async function checkAnswers(entrants: readonly Entrant[], content: string): Promise<void> {
  for (const { who, run, standsFor } of entrants) {
    if (standsFor !== undefined) continue;
    if (!isDeepStrictEqual({ ...((await run()) as object) }, { ...writeFile(content) })) {
      throw new Error(`${who} gives other arguments`);
    }
  }
}

/** Wire bytes to SSE payloads as strings: our decoder and eventsource-parser behind a TextDecoder. */
import { createParser } from 'eventsource-parser';
import { payloadText } from '../../harness/wire/payload-text.ts';
import { SseDecoder } from '../../harness/wire/sse.ts';
import type { Feed, Figure } from './figures.ts';
import { writeInPieces } from './peers.ts';
import { type Effort, race } from './race.ts';
import { callStream, oneLineStream } from './streams.ts';

export const SSE_FEEDS = ['whole', '64-byte pieces', 'byte by byte'] as const satisfies readonly Feed[];

export const OUR_DECODER = 'our SSE decoder';
export const EVENTSOURCE_PARSER = 'eventsource-parser + TextDecoder';

export async function measureDecoding(size: number, effort: Effort): Promise<readonly Figure[]> {
  const streams = [
    { topic: 'sse-small', bytes: callStream('ctl', size) },
    { topic: 'sse-line', bytes: oneLineStream(size) },
  ] as const;
  const figures: Figure[] = [];
  for (const { topic, bytes } of streams) {
    for (const feed of SSE_FEEDS) {
      const piece = pieceSize(feed, bytes.length);
      if (ourPayloads(bytes, piece) !== theirPayloads(bytes, piece)) throw new Error('the decoders disagree');
      const [ours, theirs] = await race(
        [{ run: () => ourPayloads(bytes, piece) }, { run: () => theirPayloads(bytes, piece) }],
        effort,
      );
      const place = { topic, feed, bytes: size } as const;
      figures.push({ ...place, who: OUR_DECODER, ms: ours! }, { ...place, who: EVENTSOURCE_PARSER, ms: theirs! });
    }
  }
  return figures;
}

function pieceSize(feed: Feed, whole: number): number {
  if (feed === 'whole') return whole;
  return feed === 'byte by byte' ? 1 : 64;
}

/** Total length of the payloads: each was a string. */
function ourPayloads(bytes: Uint8Array, piece: number): number {
  let length = 0;
  const decoder = new SseDecoder({
    event: (event) => {
      length += payloadText(event)?.length ?? 0;
    },
    tooLong: () => {
      throw new Error('too long');
    },
  });
  for (let from = 0; from < bytes.length; from += piece) {
    decoder.push(bytes, from, Math.min(bytes.length, from + piece));
  }
  return length;
}

function theirPayloads(bytes: Uint8Array, piece: number): number {
  let length = 0;
  const text = new TextDecoder();
  const parser = createParser({
    onEvent: ({ data }) => {
      length += data.length;
    },
  });
  writeInPieces(bytes, piece, (part) => parser.feed(text.decode(part, { stream: true })));
  return length;
}

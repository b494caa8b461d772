/** The every-prefix check against a fresh parse at each prefix, and the whole chain against its cheapest part. */

import { ORACLES } from '../../harness/oracles/oracles.ts';
import { DEFAULT_OPTIONS } from '../../harness/parsers/parser.ts';
import type { Protocol } from '../../harness/parsers/protocols.ts';
import { SseDecoder } from '../../harness/wire/sse.ts';
import { checkContent, checkedStream, checkWire, freshContentParse, freshWireParse } from './checks.ts';
import type { Figure } from './figures.ts';
import { eventOf, type MessageEvent } from './framings.ts';
import { decodeAndParse } from './peers.ts';
import { type Contestant, type Effort, race } from './race.ts';
import { sourceCode } from './source-code.ts';
import { callStream } from './streams.ts';

export const CHECK = 'check';
export const FRESH = 'fresh parses';
export const CHAIN = 'whole chain';
export const EVENT_LOOP = 'UTF-8 decode + JSON.parse of each event';

const CHECKED_PROTOCOLS = ['ctl', 'json-object'] as const satisfies readonly Protocol[];

/** Prefixes that are really parsed afresh; the others are scaled. */
const SAMPLED_PREFIXES = 100;

export async function measurePrefixes(sizes: readonly number[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const bytes of sizes) {
    for (const protocol of CHECKED_PROTOCOLS) {
      const stream = checkedStream(protocol, callStream(protocol, bytes));
      const fresh = sampled(stream.bytes.length, (size) => freshWireParse(stream, size));
      figures.push(...(await pair(`${protocol}, wire`, bytes, [{ run: () => checkWire(stream) }, fresh], effort)));
    }
    const { stream, calls, event } = contentSubject('ctl', bytes);
    const fresh = sampled(event.bytes.length, (size) => freshContentParse('ctl', event, size));
    const check = { run: () => checkContent('ctl', stream, calls) };
    figures.push(...(await pair('ctl, content', bytes, [check, fresh], effort)));
  }
  return figures;
}

export function contentSubject(protocol: Protocol, bytes: number) {
  const event: MessageEvent = eventOf(protocol, sourceCode(bytes));
  const stream = { events: [event], end: 'complete' } as const;
  const { calls } = ORACLES[protocol](stream.events, stream.end, DEFAULT_OPTIONS);
  return { event, stream, calls };
}

async function pair(
  subject: string,
  bytes: number,
  [check, fresh]: readonly [Contestant, Contestant],
  effort: Effort,
): Promise<readonly Figure[]> {
  const [ours, theirs] = await race([check, fresh], effort);
  const place = { topic: 'every-prefix', feed: 'byte by byte', bytes } as const;
  return [
    { ...place, who: `${subject}: ${CHECK}`, ms: ours! },
    { ...place, who: `${subject}: ${FRESH}`, ms: theirs!, share: 1 / (fresh.standsFor ?? 1) },
  ];
}

/** Every nth prefix, from the middle of the first n on. */
function sampled(total: number, parse: (size: number) => number): Contestant {
  const every = Math.max(1, Math.floor(total / SAMPLED_PREFIXES));
  const first = Math.ceil(every / 2);
  const count = Math.floor((total - first) / every) + 1;
  return {
    standsFor: total / count,
    run: () => {
      let sum = 0;
      for (let size = first; size <= total; size += every) sum += parse(size);
      return sum;
    },
  };
}

/** Of `size` wire bytes. */
export async function measureChain(size: number, effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const protocol of CHECKED_PROTOCOLS) {
    const stream = checkedStream(protocol, callStream(protocol, size));
    const payloads = payloadsOf(stream.bytes);
    const loop = (): unknown => {
      let last: unknown;
      for (const payload of payloads) last = decodeAndParse(payload);
      return last;
    };
    const [ours, theirs] = await race([{ run: () => checkWire(stream) }, { run: loop }], effort);
    const place = { topic: 'chain', feed: 'byte by byte', bytes: size } as const;
    figures.push(
      { ...place, who: `${protocol}: ${CHAIN}`, ms: ours! },
      { ...place, who: `${protocol}: ${EVENT_LOOP}`, feed: 'whole', ms: theirs! },
    );
  }
  return figures;
}

/** The JSON payloads of a stream, found before the clock starts. */
function payloadsOf(bytes: Uint8Array): readonly Buffer[] {
  const payloads: Buffer[] = [];
  const decoder = new SseDecoder({
    event: (event) => payloads.push(Buffer.from(event.bytes.subarray(event.start, event.end))),
    tooLong: () => {},
  });
  decoder.push(bytes);
  return payloads.filter((payload) => payload.toString('latin1') !== '[DONE]');
}

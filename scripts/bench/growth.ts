/** Does doubling a value double the time? Arguments are left as bytes: decoding steps at 128 KB in V8. */
import type { Protocol } from '../../harness/parsers/protocols.ts';
import { checkContent, checkedStream, checkWire } from './checks.ts';
import type { Growth } from './figures.ts';
import { eventOf, fedParser } from './framings.ts';
import { PARSING_FEEDS } from './parsing.ts';
import { contentSubject } from './prefixes.ts';
import { type Effort, race } from './race.ts';
import { sourceCode } from './source-code.ts';
import { callStream } from './streams.ts';

const GROWTH_PROTOCOLS = [
  'ctl',
  'ctl-heredoc',
  'xml',
  'json-whole',
  'json-object',
] as const satisfies readonly Protocol[];

export async function measureGrowth(sizes: readonly number[], effort: Effort): Promise<readonly Growth[]> {
  const growths: Growth[] = [];
  for (const protocol of GROWTH_PROTOCOLS) {
    const events = sizes.map((size) => eventOf(protocol, sourceCode(size)));
    for (const feed of PARSING_FEEDS) {
      const contestants = events.map((event) => {
        // Without its last byte a JSON object stays open: it is scanned, and not parsed.
        const size = event.bytes.length - 1;
        const piece = feed === 'whole' ? size : feed === 'byte by byte' ? 1 : 4;
        return { run: () => fedParser(protocol, event, { size, piece }) };
      });
      growths.push({ who: protocol, feed, bytes: sizes, ms: await race(contestants, effort) });
    }
  }
  growths.push({
    who: CONTENT_CHECK,
    feed: 'byte by byte',
    bytes: sizes,
    ms: await race(contentChecks(sizes), effort),
  });
  growths.push({ who: WIRE_CHECK, feed: 'byte by byte', bytes: sizes, ms: await race(wireChecks(sizes), effort) });
  return growths;
}

export const CONTENT_CHECK = 'every-prefix check, content level (ctl)';
export const WIRE_CHECK = 'every-prefix check, wire level (ctl)';

function contentChecks(sizes: readonly number[]) {
  return sizes.map((size) => {
    const { stream, calls } = contentSubject('ctl', size);
    return { run: () => checkContent('ctl', stream, calls) };
  });
}

function wireChecks(sizes: readonly number[]) {
  return sizes.map((size) => {
    const stream = checkedStream('ctl', callStream('ctl', size));
    return { run: () => checkWire(stream) };
  });
}

/** What the speed of this project must be, as data: every target is measured in the run that judges it. */
import { EVENTSOURCE_PARSER, OUR_DECODER } from './decoding.ts';
import { type Feed, growthExponent, type Measurements, msAt, type Topic } from './figures.ts';
import { DECODE_AND_PARSE, STREAMPARSER } from './parsing.ts';
import { CHAIN, CHECK, EVENT_LOOP, FRESH } from './prefixes.ts';

/** `ours` must be at least `least` times as fast as `peer` (ratio of median times, at every size). */
export interface RatioTarget {
  readonly topic: Topic;
  readonly ours: string;
  readonly peer: string;
  readonly feed: Feed;
  /** Feed of the peer, if it is another one. */
  readonly peerFeed?: Feed;
  /** Least ratio by size in bytes. */
  readonly least: Readonly<Record<number, number>>;
}

const KB = 1000;
const MB = 1_000_000;

export const RATIO_TARGETS: readonly RatioTarget[] = [
  parsing('ctl', 'byte by byte', STREAMPARSER, { [10 * KB]: 8, [100 * KB]: 14, [MB]: 14 }),
  parsing('ctl', '4-byte pieces', STREAMPARSER, { [10 * KB]: 3.5, [100 * KB]: 12, [MB]: 12 }),
  parsing('ctl', 'whole', DECODE_AND_PARSE, { [10 * KB]: 1, [100 * KB]: 1.4, [MB]: 1.4 }),
  parsing('ctl-heredoc', 'byte by byte', STREAMPARSER, { [10 * KB]: 8, [100 * KB]: 12, [MB]: 12 }),
  parsing('json-object', 'byte by byte', STREAMPARSER, { [10 * KB]: 8, [100 * KB]: 8, [MB]: 8 }),
  parsing('json-object', '4-byte pieces', STREAMPARSER, { [10 * KB]: 4.5, [100 * KB]: 4.5, [MB]: 4.5 }),
  decoding('sse-small', 'byte by byte', 10),
  decoding('sse-line', 'byte by byte', 15),
  decoding('sse-small', '64-byte pieces', 1),
  decoding('sse-line', '64-byte pieces', 1),
  everyPrefix('ctl, wire'),
  everyPrefix('json-object, wire'),
  chain('ctl'),
  chain('json-object'),
];

/** Largest fitted exponent: 1 is linear. */
export const MOST_GROWTH = 1.2;

export interface Judgement {
  readonly what: string;
  readonly bytes: number | null;
  readonly measured: number;
  readonly target: string;
  readonly met: boolean;
}

/** Every target that the measurements speak of: a smoke run has fewer sizes. */
export function judge(measurements: Measurements): readonly Judgement[] {
  return [...RATIO_TARGETS.flatMap((target) => judgeRatio(target, measurements)), ...judgeGrowth(measurements)];
}

export function ratio(
  target: Omit<RatioTarget, 'least'>,
  bytes: number,
  { figures }: Measurements,
): number | undefined {
  const { topic, ours, peer, feed, peerFeed = feed } = target;
  const oursMs = msAt(figures, { topic, who: ours, feed, bytes });
  const peerMs = msAt(figures, { topic, who: peer, feed: peerFeed, bytes });
  return oursMs === undefined || peerMs === undefined ? undefined : peerMs / oursMs;
}

/** What was read, where the contestants do not say it. */
const STREAM: Partial<Record<Topic, string>> = { 'sse-small': ', small events', 'sse-line': ', one long line' };

function judgeRatio(target: RatioTarget, measurements: Measurements): Judgement[] {
  return Object.entries(target.least).flatMap(([size, least]) => {
    const bytes = Number(size);
    const measured = ratio(target, bytes, measurements);
    if (measured === undefined) return [];
    const what = `${target.ours}${STREAM[target.topic] ?? ''}, ${target.feed}, against ${target.peer}`;
    return [{ what, bytes, measured, target: `≥ ${least}×`, met: measured >= least }];
  });
}

function judgeGrowth({ growths }: Measurements): Judgement[] {
  return growths.map((growth) => {
    const measured = growthExponent(growth);
    const what = `growth exponent of ${growth.who}, ${growth.feed}`;
    return { what, bytes: null, measured, target: `≤ ${MOST_GROWTH}`, met: measured <= MOST_GROWTH };
  });
}

function parsing(ours: string, feed: Feed, peer: string, least: RatioTarget['least']): RatioTarget {
  return { topic: 'parsing', ours, peer, feed, least };
}

function decoding(topic: 'sse-small' | 'sse-line', feed: Feed, least: number): RatioTarget {
  return { topic, ours: OUR_DECODER, peer: EVENTSOURCE_PARSER, feed, least: { [MB]: least } };
}

function everyPrefix(subject: string): RatioTarget {
  const least = { [2 * KB]: 300, [20 * KB]: 4000, [200 * KB]: 40_000 };
  const who = { ours: `${subject}: ${CHECK}`, peer: `${subject}: ${FRESH}` };
  return { topic: 'every-prefix', ...who, feed: 'byte by byte', least };
}

function chain(protocol: string): RatioTarget {
  const who = { ours: `${protocol}: ${CHAIN}`, peer: `${protocol}: ${EVENT_LOOP}` };
  return { topic: 'chain', ...who, feed: 'byte by byte', peerFeed: 'whole', least: { [MB]: 0.3 } };
}

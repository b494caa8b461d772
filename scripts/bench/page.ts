/** The measurements as docs/bench.md. */
import { availableParallelism, cpus } from 'node:os';
import { EVENTSOURCE_PARSER, OUR_DECODER, SSE_FEEDS } from './decoding.ts';
import { type Feed, type Figure, growthExponent, type Measurements, msAt, type Topic, worstStep } from './figures.ts';
import { DECODE_AND_PARSE, PARSING_FEEDS, STREAMPARSER } from './parsing.ts';
import { CHAIN, CHECK, EVENT_LOOP, FRESH } from './prefixes.ts';
import { type Judgement, judge, MOST_GROWTH } from './targets.ts';

/** Peers of our parsers, in the order of the ratio table. */
const PEERS = [DECODE_AND_PARSE, STREAMPARSER, 'jsonriver'] as const;

export function benchPage(measurements: Measurements): string {
  const judgements = judge(measurements);
  const met = judgements.filter((judgement) => judgement.met).length;
  return [
    '# How fast it is',
    `Written by \`npm run bench\`; do not edit. ${availableParallelism()} cores (${cpuModel()}), Node ${process.version}, one process.`,
    HOW_TO_READ,
    `## Targets: ${met} of ${judgements.length} met`,
    targetTable(judgements),
    '## One value to decoded arguments, MB/s of the value',
    PARSING_NOTE,
    ...PARSING_FEEDS.map((feed) => speedTable(measurements.figures, 'parsing', feed)),
    '## How many times as fast as',
    ratioTable(measurements.figures),
    '## SSE bytes to payloads, MB/s of the stream',
    'Small events of 24 content bytes each, and one event of a single long line.',
    sseTable(measurements.figures),
    '## The check at every prefix against a fresh parse of each prefix',
    PREFIX_NOTE,
    prefixTable(measurements.figures),
    '## The whole chain',
    CHAIN_NOTE,
    chainTable(measurements.figures),
    '## Growth',
    `Exponent e of time ~ size^e from ${sizeName(measurements.growths[0]?.bytes[0] ?? 0)} to ${sizeName(
      measurements.growths[0]?.bytes.at(-1) ?? 0,
    )}: fitted over all sizes (target ≤ ${MOST_GROWTH}), and the worst between two neighbouring sizes. Arguments are left as bytes, and JSON objects stay open: decoding steps at 128 KB in V8.`,
    growthTable(measurements),
  ]
    .map((block) => `${block.trim()}\n`)
    .join('\n');
}

const HOW_TO_READ = `Times are medians of rounds in which all contestants take turns, after a warm-up. They differ from machine to machine and from run to run
(by tens of percent on a busy one); ratios within one run differ less, and only they are targets. KB and MB are powers of ten. The values are generated
TypeScript source, 0.6 % of its characters beyond ASCII.`;

const PARSING_NOTE = `Every contestant ends with the arguments as strings, and is checked to give the right ones. Our parsers take ranges of one event. \`@streamparser/json\` takes
arrays: it is fed with a view of each piece, as its users would; the row "one array reused" spares it that, and the row "stringBufferSize" also sets
its option for long strings. jsonriver takes strings, decoded beforehand. partial-json parses all of the text again at each delta; some deltas are
run and the rest is scaled.`;

const PREFIX_NOTE = `Check: S1 to S3 and K at every byte prefix of one stream, incrementally. Fresh: the same prefixes, each read from its first byte by a new reader and a new
parser; where the share is below 100 %, every nth prefix was run and the time scaled. Wire: bytes of an SSE stream. Content: bytes of the message (a
fresh parser gets the prefix in one piece, which is the best case for it).`;

const CHAIN_NOTE = `SSE, stream events, parser, S1 to S3 and K at every wire byte, against a loop over the payloads of the same stream, found beforehand, that only decodes UTF-8
and runs \`JSON.parse\`. The oracle's reading of the stream is not in it.`;

function targetTable(judgements: readonly Judgement[]): string {
  const rows = judgements.map(({ what, bytes, measured, target, met }) => [
    what,
    bytes === null ? '' : sizeName(bytes),
    target,
    significant(measured),
    met ? 'met' : '**missed**',
  ]);
  return table(['', 'size', 'target', 'measured', ''], rows);
}

function speedTable(figures: readonly Figure[], topic: Topic, feed: Feed): string {
  const own = figures.filter((figure) => figure.topic === topic && figure.feed === feed);
  const sizes = unique(own.map((figure) => figure.bytes));
  const rows = unique(own.map((figure) => figure.who)).map((who) => [
    who,
    ...sizes.map((bytes) => speed(bytes, msAt(figures, { topic, who, feed, bytes }))),
  ]);
  return table([feed, ...sizes.map(sizeName)], rows);
}

function ratioTable(figures: readonly Figure[]): string {
  const sizes = unique(figures.filter(({ topic }) => topic === 'parsing').map(({ bytes }) => bytes));
  const rows = ['ctl', 'ctl-heredoc', 'json-object'].flatMap((ours) =>
    PARSING_FEEDS.flatMap((feed) =>
      PEERS.filter((peer) => feed === 'whole' || peer !== DECODE_AND_PARSE).map((peer) => [
        `${ours}, ${feed}`,
        peer,
        ...sizes.map((bytes) => {
          const place = { topic: 'parsing', feed, bytes } as const;
          return times(msAt(figures, { ...place, who: peer }), msAt(figures, { ...place, who: ours }));
        }),
      ]),
    ),
  );
  return table(['', 'peer', ...sizes.map(sizeName)], rows);
}

function sseTable(figures: readonly Figure[]): string {
  const rows = (['sse-small', 'sse-line'] as const).flatMap((topic) =>
    SSE_FEEDS.map((feed) => {
      const bytes = figures.find((figure) => figure.topic === topic)?.bytes ?? 0;
      const ours = msAt(figures, { topic, who: OUR_DECODER, feed, bytes });
      const theirs = msAt(figures, { topic, who: EVENTSOURCE_PARSER, feed, bytes });
      const what = topic === 'sse-small' ? 'small events' : 'one line';
      return [what, feed, sizeName(bytes), speed(bytes, ours), speed(bytes, theirs), times(theirs, ours)];
    }),
  );
  return table(['', '', 'size', OUR_DECODER, EVENTSOURCE_PARSER, 'ratio'], rows);
}

function prefixTable(figures: readonly Figure[]): string {
  const fresh = figures.filter(({ topic, who }) => topic === 'every-prefix' && who.endsWith(FRESH));
  const rows = fresh.map(({ who, bytes, ms, share = 1 }) => {
    const subject = who.slice(0, -FRESH.length - 2);
    const check = msAt(figures, { topic: 'every-prefix', who: `${subject}: ${CHECK}`, feed: 'byte by byte', bytes });
    const percent = `${significant(Math.min(1, share) * 100)} %`;
    return [subject, sizeName(bytes), significant(check ?? 0), significant(ms), percent, times(ms, check)];
  });
  return table(['', 'size', 'check, ms', 'fresh, ms', 'share of them run', 'ratio'], rows);
}

function chainTable(figures: readonly Figure[]): string {
  const chains = figures.filter(({ topic, who }) => topic === 'chain' && who.endsWith(CHAIN));
  const rows = chains.map(({ who, bytes, ms }) => {
    const protocol = who.slice(0, -CHAIN.length - 2);
    const loop = msAt(figures, { topic: 'chain', who: `${protocol}: ${EVENT_LOOP}`, feed: 'whole', bytes });
    return [protocol, sizeName(bytes), speed(bytes, ms), speed(bytes, loop), times(loop, ms)];
  });
  return table(['', 'size', 'whole chain, MB/s', `${EVENT_LOOP}, MB/s`, 'ratio'], rows);
}

function growthTable({ growths }: Measurements): string {
  const sizes = growths[0]?.bytes ?? [];
  const rows = growths.map((growth) => [
    growth.who,
    growth.feed,
    growthExponent(growth).toFixed(2),
    worstStep(growth).toFixed(2),
    ...growth.ms.map(significant),
  ]);
  return table(['', '', 'fitted', 'worst step', ...sizes.map((size) => `${sizeName(size)}, ms`)], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

function sizeName(bytes: number): string {
  return bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : `${bytes / 1000} KB`;
}

/** MB/s. */
function speed(bytes: number, ms: number | undefined): string {
  return ms === undefined ? '' : significant(bytes / 1000 / ms);
}

function times(theirs: number | undefined, ours: number | undefined): string {
  return theirs === undefined || ours === undefined ? '' : `${significant(theirs / ours)}×`;
}

/** Two significant digits at least, and no exponent. */
function significant(value: number): string {
  if (value >= 99.95) return Math.round(value).toLocaleString('en');
  if (value >= 9.95) return value.toFixed(1);
  return value.toPrecision(2).includes('e') ? value.toFixed(7) : value.toPrecision(2);
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)];
}

function cpuModel(): string {
  return cpus()[0]?.model.replace(/\s+/g, ' ').trim() ?? 'unknown';
}

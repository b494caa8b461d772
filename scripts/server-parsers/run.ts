/** One parser of a server over the streams of its dialect: what was violated, and what ran in the end. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCommand } from '../../harness/judge/command-parser.ts';
import type { ForeignParser, JudgedParser } from '../../harness/judge/judged-parser.ts';
import { callDifference } from '../../harness/parsers/call.ts';
import { DEFAULT_OPTIONS } from '../../harness/parsers/parser.ts';
import { checkStream } from '../../harness/properties/check.ts';
import type { CheckedRecording, Outcome } from '../../harness/properties/recording-check.ts';
import { protocolSubject } from '../../harness/properties/subjects.ts';
import { DEFAULT_SEED } from '../../harness/replay/seeded.ts';
import { readStream } from '../../harness/stream/reader.ts';
import type { Feed, Pair } from './pairs.ts';
import { type DialectStream, toolsOf } from './streams.ts';

/** Ms for one answer: a parser that reads its buffer anew at each token is slow, not stuck. */
const TIMEOUT = 60_000;

export interface ServerRow extends Pair {
  readonly feed: Feed;
  readonly suite: string;
  readonly file: string;
  readonly contentBytes: number;
  readonly end: 'complete' | 'cut';
  /** Properties violated, at whatever level. */
  readonly violated: readonly string[];
  /** Calls of the oracle that did not run; calls that ran and are none of the oracle's; calls that ran otherwise. */
  readonly lost: number;
  readonly extra: number;
  readonly other: number;
  /** Calls handed over at a complete end whose arguments are no JSON object, or without a name: no client can run them. */
  readonly broken: number;
  /** What was violated first, in the words of the check. */
  readonly what: string;
}

interface Compared extends CheckedRecording {
  readonly lost: number;
  readonly extra: number;
  readonly other: number;
  readonly broken: number;
}

/** @param python the interpreter that has the packages of docs/server-parsers.md */
export async function runPair(
  pair: Pair,
  feed: Feed,
  { streams, python }: { readonly streams: readonly DialectStream[]; readonly python: string },
): Promise<readonly ServerRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'server-parsers-'));
  try {
    const tools = join(folder, 'tools.json');
    writeFileSync(tools, JSON.stringify(toolsOf(pair.dialect, streams)));
    const script = join(import.meta.dirname, 'server_parser.py');
    const command = `'${python}' '${script}' --server ${pair.server} --parser ${pair.parser} --feed ${feed} --broken skip --tools '${tools}'`;
    return await runCommand(command, { pair, feed, streams });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Task {
  readonly pair: Pair;
  readonly feed: Feed;
  readonly streams: readonly DialectStream[];
}

async function runCommand(command: string, { pair, feed, streams }: Task): Promise<readonly ServerRow[]> {
  const open = (): Promise<JudgedParser> => {
    return openCommand(command, { protocol: pair.dialect, timeout: TIMEOUT, onStderr: () => undefined });
  };
  const rows: ServerRow[] = [];
  let parser = await open();
  try {
    for (const stream of streams) {
      const { outcomes, report, lost, extra, other, broken } = await parser.check((foreign) =>
        compare(stream, pair, foreign),
      );
      const violated = outcomes.flatMap(({ verdict }) => (verdict.status === 'violated' ? [verdict.property] : []));
      const { suite, file, contentBytes } = stream;
      const what = firstWhat(outcomes);
      const { end } = report;
      rows.push({
        ...pair,
        feed,
        suite,
        file,
        contentBytes,
        end,
        violated: unique(violated),
        lost,
        extra,
        other,
        broken,
        what,
      });
      // After a fault the command is started anew anyway; a parser that is opened anew does not count faults in a row.
      if (violated.includes('answers')) {
        await parser.close();
        parser = await open();
      }
    }
  } finally {
    await parser.close();
  }
  return rows;
}

/** Every property of the check, with arguments compared as JSON values, and the calls in the end. */
function compare(source: DialectStream, { dialect }: Pair, foreign: ForeignParser): Compared {
  const { bytes, wire, file } = source;
  const stream = readStream(bytes, wire);
  const checked = { bytes, wire, stream, expectation: null, label: file };
  const standard = protocolSubject(dialect, DEFAULT_OPTIONS, DEFAULT_SEED);
  const create = foreign.parser;
  const oracle = foreign.ofOracle?.(standard.oracle) ?? standard.oracle;
  const subject = { ...standard, oracle, create, reports: foreign.reports };
  const report = checkStream(checked, subject, foreign.scope);
  const outcomes: Outcome[] = [...report.levels.flatMap(({ verdicts }) => verdicts), ...report.verdicts].map(
    (verdict) => ({ level: null, verdict, accepted: null }),
  );
  const parser = create(DEFAULT_OPTIONS);
  for (const event of stream.events) parser.push(event);
  parser.end(stream.end);
  const wanted = subject.oracle(stream.events, stream.end, DEFAULT_OPTIONS).calls;
  const ran = new Map(parser.calls.map((call) => [call.ordinal, call]));
  const same = wanted.flatMap((call) => {
    const own = ran.get(call.ordinal);
    return own === undefined ? [] : [callDifference(own, call) === null];
  });
  const other = same.filter((isSame) => !isSame).length;
  const lost = wanted.length - same.length;
  const extra = ran.size - same.length;
  const broken = parser.unfinished?.arrived ?? 0;
  return { protocol: dialect, checked, subject, report, outcomes, lost, extra, other, broken };
}

function firstWhat(outcomes: readonly Outcome[]): string {
  const found = outcomes.flatMap(({ verdict }) => (verdict.status === 'violated' ? [verdict] : []));
  const first = found.find(({ property }) => property === 'answers') ?? found[0];
  return first === undefined ? '' : `${first.property}: ${first.first.what}`;
}

function unique(properties: readonly string[]): readonly string[] {
  return [...new Set(properties)];
}

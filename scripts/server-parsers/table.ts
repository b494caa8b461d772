/**
 * `npx tsx scripts/server-parsers/table.ts [--run PYTHON] [--write FILE | --check FILE]`: the tables of docs/server-parsers.md.
 *
 * With `--run`, every parser is run over its streams by that interpreter (SERVER_PACKAGES names the unpacked wheels) and
 * `findings.jsonl` is written anew; else the tables are made of what stands there. They are printed, put between the markers
 * in FILE, or compared with what stands there.
 * Exit codes: 0 done, 1 FILE is stale or a finding is not explained, 2 wrong usage, 3 something cannot be read or run.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { ParserUnusable } from '../../harness/judge/judged-parser.ts';
import { type Findings, readFindings, writeFindings } from './findings.ts';
import { kindOf } from './kinds.ts';
import { FEEDS, PAIRS } from './pairs.ts';
import { runPair, type ServerRow } from './run.ts';
import { pairStreams } from './streams.ts';
import { tables } from './tables.ts';

const BEGIN = '<!-- server parsers: begin -->';
const END = '<!-- server parsers: end -->';
export const FINDINGS_FILE = join(import.meta.dirname, 'findings.jsonl');
const USAGE = 'usage: npx tsx scripts/server-parsers/table.ts [--run PYTHON] [--write FILE | --check FILE]';

class TableError extends Error {}

/** Two at once: each is a process of Python and one of the check. */
const AT_ONCE = 2;

async function runAll(python: string): Promise<Findings> {
  const limit = pLimit(AT_ONCE);
  const wanted = PAIRS.flatMap((pair) => FEEDS.map((feed) => ({ ...pair, feed })));
  const found = await limit.map(wanted, async ({ feed, ...pair }) => {
    const rows = await runPair(pair, feed, { streams: await pairStreams(pair), python });
    process.stderr.write(`${pair.server} ${pair.parser}, ${feed}: ${rows.length} streams\n`);
    return { run: { ...pair, feed, streams: rows.length }, rows };
  });
  const isTold = ({ violated, broken }: ServerRow): boolean => violated.length > 0 || broken > 0;
  return { runs: found.map(({ run }) => run), rows: found.flatMap(({ rows }) => rows.filter(isTold)) };
}

/** `document` with the tables between its markers. */
export function withTables(document: string, text: string, file: string): string {
  const from = document.indexOf(BEGIN);
  const to = document.indexOf(END);
  if (from === -1 || to < from) throw new TableError(`${file}: the markers ${BEGIN} and ${END} are not there`);
  return `${document.slice(0, from + BEGIN.length)}\n\n${text}\n\n${document.slice(to)}`;
}

async function main(args: readonly string[]): Promise<number> {
  const values = readArguments(args);
  if (values === null || (values.write !== undefined && values.check !== undefined)) return refuse(USAGE, 2);
  const { run, write, check } = values;
  try {
    if (run !== undefined) writeFindings(FINDINGS_FILE, await runAll(run));
    const findings = readFindings(FINDINGS_FILE);
    const text = tables(findings);
    const file = write ?? check;
    if (file === undefined) process.stdout.write(`${text}\n`);
    else if (!update(file, text, check !== undefined)) return refuse(`${file}: the tables are stale: use --write`, 1);
    return unexplained(findings.rows);
  } catch (error) {
    const isTold = error instanceof TableError || error instanceof ParserUnusable;
    if (isTold || (error instanceof Error && 'code' in error)) return refuse(error.message, 3);
    throw error;
  }
}

function readArguments(args: readonly string[]): { run?: string; write?: string; check?: string } | null {
  const options = { run: { type: 'string' }, write: { type: 'string' }, check: { type: 'string' } } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch {
    return null;
  }
}

/** @returns false if the file is stale and only to be checked. */
function update(file: string, text: string, isCheck: boolean): boolean {
  const before = readFileSync(file, 'utf8');
  const after = withTables(before, text, file);
  if (isCheck) return after === before;
  writeFileSync(file, after);
  return true;
}

function unexplained(rows: readonly ServerRow[]): number {
  const left = rows.filter((row) => kindOf(row) === null);
  for (const { server, parser, feed, file, what } of left) {
    process.stderr.write(`not explained: ${server} ${parser}, ${feed}, ${file}: ${what}\n`);
  }
  return left.length === 0 ? 0 : 1;
}

function refuse(message: string, code: number): number {
  process.stderr.write(`${message}\n`);
  return code;
}

if (import.meta.filename === process.argv[1]) process.exitCode = await main(process.argv.slice(2));

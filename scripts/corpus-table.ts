/**
 * `npx tsx scripts/corpus-table.ts FOLDER [--write FILE | --check FILE]`: how the streams in `FOLDER/<wire format>/*.sse`
 * end, and why, as two Markdown tables; printed, or put between the markers in FILE, or compared with what stands there.
 * Exit codes: 0 done, 1 FILE is stale, 2 wrong usage, 3 a folder or file that cannot be read.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { detectWireFormat } from '../harness/stream/dialect.ts';
import { readStream, type StreamReading } from '../harness/stream/reader.ts';
import { WIRE_FORMATS, type WireFormat } from '../harness/stream/wire-format.ts';

const BEGIN = '<!-- corpus table: begin -->';
const END = '<!-- corpus table: end -->';
/** UTF-16 units shown of what a provider reports. */
const MOST_DETAIL = 90;
const USAGE = 'usage: npx tsx scripts/corpus-table.ts FOLDER [--write FILE | --check FILE]';

/** What the reader made of one stream. */
export interface CorpusRow {
  readonly wire: WireFormat;
  readonly name: string;
  readonly end: 'complete' | 'cut' | 'in error';
  readonly why: string;
  readonly calls: number;
  readonly refused: number;
  /** The format was told from the content. */
  readonly told: boolean;
}

export class CorpusError extends Error {}

/** Every stream of every wire format below `folder`, by format and name. */
export function corpusRows(folder: string): readonly CorpusRow[] {
  const rows = WIRE_FORMATS.flatMap((wire) => {
    const dir = join(folder, wire);
    if (!existsSync(dir)) return [];
    const files = readdirSync(dir).filter((file) => file.endsWith('.sse'));
    return files.sort().map((file) => corpusRow(wire, join(dir, file)));
  });
  if (rows.length === 0) throw new CorpusError(`${folder}: no .sse file in ${WIRE_FORMATS.join('/, ')}/`);
  return rows;
}

function corpusRow(wire: WireFormat, file: string): CorpusRow {
  const bytes = readFileSync(file);
  const reading = readStream(bytes, wire);
  const failure = reading.events.find((event) => event.type === 'failure');
  return {
    wire,
    name: basename(file, '.sse'),
    end: failure === undefined ? reading.end : 'in error',
    why: failure === undefined ? whyEnded(reading) : `\`${failure.kind}\`: ${shorten(failure.detail)}`,
    calls: new Set(reading.events.flatMap((event) => (event.type === 'tool-delta' ? [event.call] : []))).size,
    refused: reading.events.filter(({ type }) => type === 'refused-delta').length,
    told: detectWireFormat(bytes) === wire,
  };
}

function shorten(text: string): string {
  return text.length > MOST_DETAIL ? `${text.slice(0, MOST_DETAIL)}…` : text;
}

function whyEnded({ events, end, heldAtEnd }: StreamReading): string {
  const reasons = events.flatMap((event) => (event.type === 'finish' ? [event] : []));
  const decisive = reasons.find(({ meaning }) => meaning === 'cut') ?? reasons.at(-1);
  const isDone = events.at(-1)?.type === 'done';
  if (end === 'complete') return decisive === undefined ? '`[DONE]` without a reason' : `\`${decisive.reason}\``;
  if (decisive?.meaning === 'cut') return `\`${decisive.reason}\``;
  const missing =
    heldAtEnd > 0 ? 'the last event has no blank line behind it and is discarded' : 'the stream just ends';
  const before = decisive === undefined ? '' : `after \`${decisive.reason}\`, `;
  return isDone ? `${before}its end gives no reason` : `${before}${missing}`;
}

/** The tables, in Markdown. */
export function corpusTables(rows: readonly CorpusRow[]): string {
  const formats = WIRE_FORMATS.filter((wire) => rows.some((row) => row.wire === wire));
  const summary = formats.map((wire) => {
    const own = rows.filter((row) => row.wire === wire);
    const count = (end: CorpusRow['end']): number => own.filter((row) => row.end === end).length;
    const sum = (of: (row: CorpusRow) => number): number => own.reduce((total, row) => total + of(row), 0);
    const ends = [count('complete'), count('cut'), count('in error')];
    const told = sum((row) => Number(row.told));
    return [`\`${wire}\``, own.length, told, ...ends, sum((row) => row.calls), sum((row) => row.refused)];
  });
  const head = [
    'format',
    'streams',
    'format told from content',
    'complete',
    'cut',
    'in error',
    'calls opened',
    'deltas refused',
  ];
  return `${table(head, summary)}\n\n${table(['format', 'end', 'why', 'streams'], reasons(rows))}`;
}

function reasons(rows: readonly CorpusRow[]): (string | number)[][] {
  const counts = new Map<string, { row: CorpusRow; count: number }>();
  for (const row of rows) {
    const key = [WIRE_FORMATS.indexOf(row.wire), row.end, row.why].join('\n');
    counts.set(key, { row, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { row, count }]) => [`\`${row.wire}\``, row.end, row.why.replaceAll('|', '\\|'), count]);
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** `document` with the tables between its markers. */
export function withTables(document: string, tables: string, file: string): string {
  const from = document.indexOf(BEGIN);
  const to = document.indexOf(END);
  if (from === -1 || to < from) throw new CorpusError(`${file}: the markers ${BEGIN} and ${END} are not there`);
  return `${document.slice(0, from + BEGIN.length)}\n\n${tables}\n\n${document.slice(to)}`;
}

function main(args: readonly string[]): number {
  const { values, positionals } = readArguments(args);
  const [folder] = positionals;
  const { write, check } = values;
  if (folder === undefined || positionals.length > 1 || (write !== undefined && check !== undefined))
    return refuse(USAGE, 2);
  try {
    const tables = corpusTables(corpusRows(folder));
    const file = write ?? check;
    if (file === undefined) process.stdout.write(`${tables}\n`);
    else return update(file, tables, check !== undefined);
    return 0;
  } catch (error) {
    if (error instanceof CorpusError || (error instanceof Error && 'code' in error)) return refuse(error.message, 3);
    throw error;
  }
}

function readArguments(args: readonly string[]) {
  const options = { write: { type: 'string' }, check: { type: 'string' } } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch {
    return { values: {} as { write?: string; check?: string }, positionals: [] };
  }
}

function update(file: string, tables: string, isCheck: boolean): number {
  const before = readFileSync(file, 'utf8');
  const after = withTables(before, tables, file);
  if (isCheck && after !== before) return refuse(`${file}: the corpus table is stale: run it again with --write`, 1);
  if (!isCheck) writeFileSync(file, after);
  return 0;
}

function refuse(message: string, code: number): number {
  process.stderr.write(`${message}\n`);
  return code;
}

if (import.meta.filename === process.argv[1]) process.exitCode = main(process.argv.slice(2));

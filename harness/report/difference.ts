/** Where committed results and produced ones part: a value, and its prose for `--check`. */
import { extname } from 'node:path';

export type Difference =
  | { readonly kind: 'missing'; readonly path: string }
  | { readonly kind: 'extra'; readonly path: string }
  | {
      readonly kind: 'differs';
      readonly path: string;
      /** 1 + the LF bytes before the line, or before the CSV record, that differs first. */
      readonly line: number;
      /** CSV only: the first column that differs; absent if the header or the number of cells does. */
      readonly column?: string;
      /** The line, or the cell of `column`; `null` where that side has ended. */
      readonly committed: string | null;
      readonly produced: string | null;
    };

/** One line of prose (several, if both sides are shown). */
export function describeDifference(difference: Difference): string {
  switch (difference.kind) {
    case 'missing':
      return `${difference.path}: missing (the experiment produces it)`;
    case 'extra':
      return `${difference.path}: extra (the experiment does not produce it)`;
    case 'differs': {
      const column = difference.column === undefined ? '' : `, column ${difference.column}`;
      return [
        `${difference.path}, line ${difference.line}${column}:`,
        `  committed ${shown(difference.committed)}`,
        `  produced  ${shown(difference.produced)}`,
      ].join('\n');
    }
  }
}

const MAX_SHOWN = 200;

function shown(text: string | null): string {
  if (text === null) return '(the end)';
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

/** The first difference between two texts, by line, or by record and column for `.csv`; `null` if all bytes are equal. */
export function firstDifference(path: string, committed: Uint8Array, produced: Uint8Array): Difference | null {
  if (Buffer.compare(committed, produced) === 0) return null;
  const texts = [committed, produced].map((bytes) => Buffer.from(bytes).toString('utf8')) as [string, string];
  const difference = extname(path) === '.csv' ? firstCsvDifference(path, ...texts) : null;
  return difference ?? firstLineDifference(path, ...texts);
}

function firstLineDifference(path: string, committed: string, produced: string): Difference {
  const ours = committed.split('\n');
  const theirs = produced.split('\n');
  const length = Math.max(ours.length, theirs.length);
  let i = 0;
  while (i < length && ours[i] === theirs[i]) i++;
  return { kind: 'differs', path, line: i + 1, committed: ours[i] ?? null, produced: theirs[i] ?? null };
}

/** `null` if all cells are equal: then only the quoting differs, and the lines show it. */
function firstCsvDifference(path: string, committed: string, produced: string): Difference | null {
  const ours = readCsv(committed);
  const theirs = readCsv(produced);
  const header = theirs[0]?.cells ?? [];
  for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
    const [a, b] = [ours[i], theirs[i]];
    const line = (b ?? a)?.line ?? 1;
    if (a === undefined || b === undefined || i === 0 || a.cells.length !== b.cells.length) {
      if (a?.text === b?.text) continue;
      return { kind: 'differs', path, line, committed: a?.text ?? null, produced: b?.text ?? null };
    }
    const at = b.cells.findIndex((cell, c) => cell !== a.cells[c]);
    if (at < 0) continue;
    const column = header[at] ?? String(at + 1);
    return { kind: 'differs', path, line, column, committed: a.cells[at] ?? null, produced: b.cells[at] ?? null };
  }
  return null;
}

interface CsvRecord {
  readonly line: number;
  readonly text: string;
  readonly cells: readonly string[];
}

/** RFC 4180 with LF, as `table.ts` writes it; anything else is read as it comes, since it is only to be shown. */
function readCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  // One cell and what ends it: a quoted one (its LF bytes are its own), or a bare one.
  const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^,\n]*))(,|\n|$)/y;
  let [start, line, cells] = [0, 1, [] as string[]];
  while (start < text.length) {
    const match = cell.exec(text);
    if (match === null) break;
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    const source = text.slice(start, cell.lastIndex).replace(/\n$/, '');
    records.push({ line, text: source, cells });
    line += source.split('\n').length;
    start = cell.lastIndex;
    cells = [];
  }
  return records;
}

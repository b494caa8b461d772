/**
 * Tables: rows of typed objects → CSV (RFC 4180, LF, UTF-8) and plain text for a terminal.
 *
 * The same rows give the same bytes, in whatever order they come (properties.md "Reproducible"): rows are sorted by the
 * table's keys without a locale, and every column has one number format.
 */
import CliTable from 'cli-table3';
import { stringify } from 'csv-stringify/sync';

/** `integer`: no decimals are accepted. `decimals`: exactly so many (0 to 6), zeros at the end included. */
export type NumberFormat = 'integer' | { readonly decimals: number };

type FormatOf<Value> = [Value] extends [number | null]
  ? NumberFormat
  : [Value] extends [string | null]
    ? 'text'
    : never;

/** A column shows one member of the row. `null` is an empty cell. */
export type Column<Row> = {
  [Key in keyof Row & string]: {
    readonly key: Key;
    /** Name in the header; the key itself if absent. */
    readonly name?: string;
    readonly format: FormatOf<Row[Key]>;
  };
}[keyof Row & string];

/** A key to sort by: plain (numbers by size, strings by code unit, `null` first), or in a given order. */
export type SortKey<Row> =
  | (keyof Row & string)
  | { readonly key: keyof Row & string; readonly order: readonly string[] };

export interface Table<Row> {
  readonly columns: readonly Column<Row>[];
  /** Rows that are equal in all keys are ordered by their formatted cells. */
  readonly sortBy: readonly SortKey<Row>[];
}

/** A cell or a sort key that no table may hold: a bug of the program, never of a recording. */
export class TableError extends Error {
  override readonly name = 'TableError';
}

const MAX_DECIMALS = 6;
// RFC 4180 asks for quotes around CR and LF only; readers differ in what they make of other bare control characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** The rows as CSV: a header, then the sorted rows, each line ended by LF. */
export function csvTable<Row extends object>(table: Table<Row>, rows: readonly Row[]): string {
  const records = sortRows(table, rows).map((row) => table.columns.map((column) => formatCell(column, row)));
  return stringify([table.columns.map(columnName), ...records], {
    record_delimiter: '\n',
    quoted_match: CONTROL_CHARACTER,
  });
}

/** The rows as text with aligned columns, in the order given; numbers to the right. No colour, no blanks at line ends. */
export function textTable<Row extends object>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const table = new CliTable({
    head: columns.map(columnName),
    colAligns: columns.map((column) => (column.format === 'text' ? 'left' : 'right')),
    chars: PLAIN_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push(columns.map((column) => visible(formatCell(column, row))));
  return `${table.toString().replace(/ +$/gm, '')}\n`;
}

const PLAIN_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Sorted copy of the rows, as the table wants them. */
export function sortRows<Row extends object>(table: Table<Row>, rows: readonly Row[]): Row[] {
  const keyed = rows.map((row) => ({ row, keys: table.sortBy.map((key) => sortValue(key, row)) }));
  return keyed
    .sort((a, b) => compareAll(a.keys, b.keys) || compareAll(allCells(table, a.row), allCells(table, b.row)))
    .map(({ row }) => row);
}

function sortValue<Row extends object>(key: SortKey<Row>, row: Row): unknown {
  if (typeof key !== 'object') return row[key];
  const rank = key.order.indexOf(String(row[key.key]));
  if (rank < 0) throw new TableError(`${key.key} ${JSON.stringify(row[key.key])} is not in the order of the table`);
  return rank;
}

function allCells<Row extends object>(table: Table<Row>, row: Row): string[] {
  return table.columns.map((column) => formatCell(column, row));
}

function compareAll(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [i, value] of a.entries()) {
    const order = compareValues(value, b[i]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : 1;
  throw new TableError(`cannot sort ${typeof a} and ${typeof b} together`);
}

function columnName<Row>(column: Column<Row>): string {
  return column.name ?? column.key;
}

function formatCell<Row extends object>(column: Column<Row>, row: Row): string {
  const value: unknown = row[column.key];
  if (value === null) return '';
  if (typeof value === 'string' && column.format === 'text') return escapeLoneSurrogates(value);
  if (typeof value === 'number' && column.format !== 'text') return formatNumber(value, column.format);
  throw new TableError(`column ${columnName(column)} cannot hold ${typeof value}`);
}

/**
 * A number as it stands in every table: no locale, no exponent, no sign on a zero.
 * Throws {@link TableError} on NaN, an infinity, -0, beyond the safe integers, or decimals where an integer is asked for.
 */
export function formatNumber(value: number, format: NumberFormat): string {
  if (Object.is(value, -0) || !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
    throw new TableError(`${Object.is(value, -0) ? '-0' : value} is no number for a table`);
  }
  if (format === 'integer') {
    if (!Number.isInteger(value)) throw new TableError(`${value} stands in a column of integers`);
    return value.toFixed(0);
  }
  if (!(Number.isInteger(format.decimals) && format.decimals >= 0 && format.decimals <= MAX_DECIMALS)) {
    throw new TableError(`a column shows 0 to ${MAX_DECIMALS} decimals, not ${format.decimals}`);
  }
  return value.toFixed(format.decimals).replace(/^-(0(?:\.0+)?)$/, '$1');
}

/** A lone surrogate has no UTF-8 and would silently become U+FFFD in the file. */
function escapeLoneSurrogates(text: string): string {
  return text.replace(/\p{Surrogate}/gu, escapeCharacter);
}

/** Control characters as escapes: in a terminal they would break the lines, or command it. */
function visible(text: string): string {
  return text.replace(/[\p{Control}\p{Format}]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

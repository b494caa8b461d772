/** Tables from the embedded CSV: sorted by any column, filtered, a page at a time, and downloaded as the file that they are. */
import { parseCsv } from '../csv.ts';
import { embeddedCsv } from './embedded.ts';
import { element } from './scrubber-dom.ts';

const ROWS_A_PAGE = 50;
const PRINTED_ROWS = 250;
/** Rows beyond which a table is scrolled within its own frame. */
const TALL = 20;
/** UTF-16 units; a column whose cells are all this short, and those with blanks shorter, is not broken into lines. */
const SHORT = 36;
const SHORT_WORDS = 14;
/** Up to this, a few lines are enough. */
const MEDIUM = 60;
const RANGE = /^(?:all|>?\d+(?:-\d+)?)$/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A table within a closed `<details>` is made when it is opened. */
export function mountTables(): void {
  for (const host of document.querySelectorAll<HTMLElement>('.table')) {
    const fold = host.closest('details');
    if (fold === null || fold.open) mountTable(host);
    else fold.addEventListener('toggle', () => mountTable(host), { once: true });
  }
}

interface Sorting {
  readonly column: number;
  readonly direction: 'ascending' | 'descending';
}

function mountTable(host: HTMLElement): void {
  const body = host.querySelector<HTMLElement>('.table-body');
  const path = host.dataset['table'];
  if (body === null || path === undefined) return;
  const csv = embeddedCsv(path);
  const [head = [], ...records] = parseCsv(csv);
  body.replaceChildren(...new TableView(host.dataset['title'] ?? path, head, records).parts, downloadButton(path, csv));
}

class TableView {
  readonly parts: readonly HTMLElement[];
  readonly #records: readonly (readonly string[])[];
  readonly #isNumeric: readonly boolean[];
  /** Size buckets, `65-256` or `>4096`: they sort by where they begin. */
  readonly #isRanged: readonly boolean[];
  /** `number`, `short`, `medium` or `long`, by column. */
  readonly #classes: readonly string[];
  readonly #headers: readonly HTMLElement[];
  readonly #rows = element('tbody');
  readonly #filter = element('input', { type: 'search', placeholder: 'Filter rows', 'aria-label': 'Filter rows' });
  readonly #count = element('span', { class: 'table-count', role: 'status' });
  readonly #before = element('button', { type: 'button' }, ['Previous']);
  readonly #next = element('button', { type: 'button' }, ['Next']);
  #sorting: Sorting | null = null;
  #page = 0;
  #rowsShown = ROWS_A_PAGE;

  constructor(title: string, head: readonly string[], records: readonly (readonly string[])[]) {
    this.#records = records;
    this.#isNumeric = head.map((_, i) => records.every((record) => record[i] === '' || NUMBER.test(record[i] ?? '')));
    this.#isRanged = head.map((_, i) => records.every((record) => RANGE.test(record[i] ?? '')));
    this.#classes = head.map((_, i) =>
      this.#isNumeric[i] ? 'number' : lengthClass(records.map((record) => record[i] ?? '')),
    );
    this.#headers = head.map((name, column) => this.#header(name, column));
    const table = element('table', {}, [element('thead', {}, [element('tr', {}, this.#headers)]), this.#rows]);
    const frame = records.length > TALL ? 'table-scroll is-tall' : 'table-scroll';
    const scroll = element('div', { class: frame, tabindex: '0', role: 'region', 'aria-label': title }, [table]);
    const isLong = records.length > ROWS_A_PAGE;
    const tools = element(
      'div',
      { class: 'table-tools' },
      isLong ? [this.#filter, this.#count, this.#before, this.#next] : [],
    );
    this.parts = isLong ? [tools, scroll] : [scroll];
    this.#filter.addEventListener('input', () => this.#show(0));
    this.#before.addEventListener('click', () => this.#show(this.#page - 1));
    this.#next.addEventListener('click', () => this.#show(this.#page + 1));
    this.#show(0);
    if (isLong) addEventListener('beforeprint', () => this.#printing(true));
    if (isLong) addEventListener('afterprint', () => this.#printing(false));
  }

  /** Paper has no buttons: all rows that it is reasonable to print, and how many they are of how many. */
  #printing(isPrinting: boolean): void {
    this.#rowsShown = isPrinting ? PRINTED_ROWS : ROWS_A_PAGE;
    this.#show(isPrinting ? 0 : this.#page);
  }

  #header(name: string, column: number): HTMLElement {
    const button = element('button', { type: 'button' }, breakable(name));
    button.addEventListener('click', () => this.#sortBy(column));
    const header = element('th', { scope: 'col', 'aria-sort': 'none' }, [button]);
    if (this.#isNumeric[column]) header.className = 'number';
    return header;
  }

  /** Ascending, descending, and back to the order of the file. */
  #sortBy(column: number): void {
    const { column: now, direction } = this.#sorting ?? { column: -1, direction: 'descending' };
    if (now !== column) this.#sorting = { column, direction: 'ascending' };
    else this.#sorting = direction === 'ascending' ? { column, direction: 'descending' } : null;
    for (const [i, header] of this.#headers.entries()) {
      header.setAttribute('aria-sort', this.#sorting?.column === i ? this.#sorting.direction : 'none');
    }
    this.#show(0);
  }

  #show(page: number): void {
    const shown = this.#shown();
    const pages = Math.max(1, Math.ceil(shown.length / this.#rowsShown));
    this.#page = Math.min(Math.max(0, page), pages - 1);
    const from = this.#page * this.#rowsShown;
    const rows = shown.slice(from, from + this.#rowsShown);
    this.#rows.replaceChildren(...rows.map((record) => this.#row(record)));
    this.#count.textContent =
      shown.length === 0 ? 'no row' : `rows ${from + 1} to ${from + rows.length} of ${shown.length}`;
    this.#before.disabled = this.#page === 0;
    this.#next.disabled = this.#page === pages - 1;
  }

  #row(record: readonly string[]): HTMLElement {
    const cells = record.map((cell, i) => element('td', { class: this.#classes[i] ?? '', ...verdict(cell) }, [cell]));
    return element('tr', {}, cells);
  }

  #shown(): readonly (readonly string[])[] {
    // Every word must be in some cell of the row.
    const words = this.#filter.value.trim().toLowerCase().split(/\s+/);
    const found = this.#records.filter((record) => {
      const cells = record.map((cell) => cell.toLowerCase());
      return words.every((word) => cells.some((cell) => cell.includes(word)));
    });
    const { column, direction } = this.#sorting ?? { column: -1, direction: 'ascending' };
    if (column < 0) return found;
    const sign = direction === 'ascending' ? 1 : -1;
    return found.toSorted((one, other) => {
      const [a, b] = [one[column] ?? '', other[column] ?? ''];
      // Empty cells come last in both directions: they say nothing.
      if (a === '' || b === '') return Number(a === '') - Number(b === '');
      return this.#compare(a, b, column) * sign;
    });
  }

  /** Numbers by size, sizes by where they begin, text by code unit. */
  #compare(a: string, b: string, column: number): number {
    if (a === b) return 0;
    if (this.#isNumeric[column]) return Number(a) - Number(b);
    if (this.#isRanged[column]) return rangeStart(a) - rangeStart(b);
    return a < b ? -1 : 1;
  }
}

/** A name may go on on the next line behind each `_`. */
function breakable(name: string): (string | HTMLElement)[] {
  return name.split(/(?<=_)/).flatMap((part, i) => (i === 0 ? [part] : [element('wbr'), part]));
}

/** `all` comes before every size. */
function rangeStart(range: string): number {
  return range === 'all' ? -1 : Number.parseInt(range.replace('>', ''), 10) + (range.startsWith('>') ? 1 : 0);
}

function lengthClass(cells: readonly string[]): string {
  if (cells.every((cell) => cell.length <= (cell.includes(' ') ? SHORT_WORDS : SHORT))) return 'short';
  return cells.every((cell) => cell.length <= MEDIUM) ? 'medium' : 'long';
}

/** Words that a table may hold anywhere, and always in the same sense. */
function verdict(cell: string): { 'data-verdict'?: string } {
  if (cell === 'holds') return { 'data-verdict': 'holds' };
  if (cell.startsWith('violated') || cell === 'expected finding') return { 'data-verdict': 'violated' };
  return cell === 'no promise' || cell === 'not-run' ? { 'data-verdict': 'none' } : {};
}

function downloadButton(path: string, csv: string): HTMLElement {
  const name = path.replaceAll('/', '-').replace(/^results-/, '');
  const button = element('button', { type: 'button', class: 'download' }, ['Download CSV']);
  button.addEventListener('click', () => {
    const url = URL.createObjectURL(new Blob([csv], { type: 'text/csv;charset=utf-8' }));
    element('a', { href: url, download: name.endsWith('.csv') ? name : `${name}.csv` }).click();
    URL.revokeObjectURL(url);
  });
  return button;
}

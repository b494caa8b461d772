/** Tables of the page: the CSV text, as it is, and the place where the page builds a table from it. */
import { parseCsv } from './csv.ts';
import { type Html, html, scriptJson } from './html.ts';

export interface PageTable {
  /** Path of the file, or the name of a table that is made here from others. */
  readonly path: string;
  readonly csv: string;
  readonly title: string;
  /** What a row is. */
  readonly about: string;
  readonly command: string;
  /** The files that a table made here is counted from. */
  readonly from?: readonly string[];
}

/** Rows beyond which a table is not written into the page as HTML too. */
const MOST_STATIC_ROWS = 40;

/** Shown open: readable without a script as well, if it is short. */
export function openTable(table: PageTable): Html {
  return html`<div class="table" data-table="${table.path}" data-title="${table.title}">
<p class="table-about"><strong>${table.title}.</strong> ${table.about}</p>
<div class="table-body">${staticRows(table)}</div>
<p class="source">${origin(table)}</p>
</div>`;
}

/** Shown on demand. */
export function foldedTable(table: PageTable): Html {
  const rows = parseCsv(table.csv).length - 1;
  return html`<details class="fold"><summary>${table.title} <span class="quiet">${rows} rows</span></summary>
<div class="table" data-table="${table.path}" data-title="${table.title}">
<p class="table-about">${table.about}</p>
<div class="table-body"><noscript>The rows are in the file.</noscript></div>
<p class="source">${origin(table)}</p>
</div></details>`;
}

function origin({ path, command, from }: PageTable): Html {
  if (from === undefined) return html`<code>${path}</code>, made by <code>${command}</code>`;
  return html`Counted from ${sourceFiles(from)}, made by <code>${command}</code>`;
}

/** `a`, `b`, each as code. */
export function sourceFiles(paths: readonly string[]): Html {
  return html`${paths.map((path, i) => html`${i === 0 ? '' : ', '}<code>${path}</code>`)}`;
}

function staticRows({ csv, title }: PageTable): Html {
  const [head = [], ...rows] = parseCsv(csv);
  if (rows.length > MOST_STATIC_ROWS) return html`<noscript>The rows are in the file.</noscript>`;
  const cells = (record: readonly string[]) => record.map((cell) => html`<td>${cell}</td>`);
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="${title}"><table>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map((record) => html`<tr>${cells(record)}</tr>`)}</tbody></table></div>`;
}

/** The bytes of the file, for the page and for whoever downloads it. */
export function embeddedCsv({ path, csv }: PageTable): Html {
  return html`<script type="application/json" data-csv="${path}">${scriptJson(csv)}</script>
`;
}

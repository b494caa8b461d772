/** Reading CSV as `harness/report/table.ts` writes it (RFC 4180, LF), at build time and in the page. */

/** Records of cells, the header first; every cell as it stands in the file, unquoted. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  // A cell is quoted, with doubled quotes in it, or holds neither comma, quote nor LF.
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,"\n]*))(,|\n|$)/g)) {
    if (end === '' && cells.length === 0 && quoted === undefined && plain === '') break;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    records.push(cells);
    cells = [];
    if (end === '') break;
  }
  return records;
}

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

function file(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

/** Rows of a CSV file without quoted line breaks, by column name. */
function rowsOf(path: string): readonly Readonly<Record<string, string>>[] {
  const [head = '', ...lines] = file(path).trimEnd().split('\n');
  const names = head.split(',');
  const cells = (line: string) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) => cell);
  return lines.map((line) => Object.fromEntries(names.map((name, i) => [name, cells(line)[i] ?? ''])));
}

/** Cells of a README table, the head left out. */
function tableAfter(heading: string): readonly (readonly string[])[] {
  const text = README.slice(README.indexOf(heading));
  const lines = text.slice(text.indexOf('\n|') + 1).split('\n');
  const table = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('|')),
  );
  return table.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const README = file('README.md');

function percent(share: string | undefined): string {
  return (Number(share) * 100).toFixed(1);
}

describe('the README', () => {
  it("has experiment D's figures", () => {
    const summary = rowsOf('results/d/summary.csv').filter(({ text, size }) => text === 'all' && size !== 'all');
    const shown = summary.map((row) => [
      row['n'],
      `${row['exact']} [${percent(row['exact_low'])}, ${percent(row['exact_high'])} %]`,
      Number(row['median_abs_error']).toFixed(0),
    ]);
    expect(tableAfter('**D: are declared lengths right?**').map((cells) => cells.slice(1))).toEqual(shown);
  });

  it("has experiment C's figures", () => {
    const safety = rowsOf('results/c/safety.csv').filter(({ level }) => level === 'content');
    const pending = rowsOf('results/c/pending.csv').filter(({ level }) => level === 'content');
    for (const [protocol = '', ...cells] of tableAfter('**C: is it safe?**')) {
      const name = /`([\w-]+)`/.exec(protocol)?.[1];
      const own = safety.filter(({ parser }) => parser === name);
      const sum = (column: string) => own.reduce((total, row) => total + Number(row[column]), 0);
      expect(cells.at(-2)).toBe(`${sum('calls_executed')} / ${sum('calls_oracle')}`);
      const most = Math.max(...pending.filter(({ parser }) => parser === name).map(({ max }) => Number(max)));
      expect(Number(cells.at(-1)?.replace(/[, B]/g, ''))).toBe(most);
      for (const [i, property] of ['s1', 's2', 's3'].entries()) {
        const violating = own.filter((row) => row[property] !== '0').length;
        expect(cells[i + 1]).toBe(violating === 0 ? 'holds' : `violated, ${violating} streams`);
      }
    }
  });

  it("has experiment E's figures", () => {
    const gain = rowsOf('results/e/gain.csv').filter(({ calls }) => calls === 'several calls');
    const row = (suite: string, tools: string, protocol: string) =>
      gain.find(
        (candidate) =>
          candidate['suite'] === suite && candidate['tools'] === tools && candidate['protocol'] === protocol,
      )!;
    const seconds = (ms: string | undefined) => (Math.round(Math.abs(Number(ms)) / 100) / 10).toFixed(1);
    const saved = (of: Readonly<Record<string, string>>, what: string) =>
      `${seconds(of[`mean_${what}_saved_ms`])} s [${seconds(of[`${what}_saved_low`])}, ${seconds(of[`${what}_saved_high`])}]`;
    const told = README.slice(
      README.indexOf('**E: what does it buy?**'),
      README.indexOf('**Limits of the evidence.**'),
    );
    const figures = [
      `${saved(row('reframed', 'drawn', 'ctl'), 'first')} sooner`,
      `\`native-inc\` ${saved(row('reframed', 'drawn', 'native-inc'), 'first')}`,
      `${saved(row('reframed', 'drawn', 'ctl'), 'last')} sooner`,
      saved(row('reframed', '2 s each', 'ctl'), 'last'),
      `${seconds(row('replies', 'drawn', 'ctl')['mean_last_saved_ms'])} s later`,
      `${seconds(row('replies', '2 s each', 'ctl')['mean_last_saved_ms'])} s sooner`,
      `only ${row('replies', 'drawn', 'ctl')['tasks']} tasks`,
    ];
    for (const figure of figures) expect(told.replaceAll('\n', ' ')).toContain(figure);
  });
});

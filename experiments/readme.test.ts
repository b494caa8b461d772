import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { wilson } from './statistics.ts';

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

/** Of the counts, since the shares in the files are rounded already. */
function interval(successes: string | undefined, trials: string | undefined): string {
  const { low, high } = wilson(Number(successes), Number(trials))!;
  return `[${(low * 100).toFixed(1)}, ${(high * 100).toFixed(1)} %]`;
}

describe('the README', () => {
  it("has experiment D's figures", () => {
    const summary = rowsOf('results/d/summary.csv').filter(({ text }) => text === 'all');
    const cells = (model: RegExp, size: string): readonly string[] => {
      const row = summary.find((candidate) => model.test(candidate['model'] ?? '') && candidate['size'] === size);
      if (row === undefined) return ['–', '–', '–'];
      const exact = `${row['exact']} ${interval(row['exact'], row['n'])}`;
      return [row['n'] ?? '', exact, Number(row['median_abs_error']).toFixed(0)];
    };
    const sizes = ['0', '1-16', '17-64', '65-256', '257-1024', '1025-4096', '>4096'];
    const shown = sizes.map((size) => [...cells(/^claude/, size), ...cells(/^smollm2/, size)]);
    expect(tableAfter('**D: are declared lengths right?**').map((row) => row.slice(1))).toEqual(shown);
  });

  it("tells experiment D's effect on calls", () => {
    const rows = rowsOf('results/d/separator.csv').filter(
      (row) => row['separator'] === 'optional' && row['of'] === 'calls',
    );
    const [large, small] = [/^claude/, /^smollm2/].map((model) => rows.find((row) => model.test(row['model'] ?? ''))!);
    const altered = (row: Readonly<Record<string, string>>) => interval(row['altered'], row['n']);
    const told = README.replaceAll('\n', ' ');
    expect(large!['altered']).toBe('0');
    expect(told).toContain(
      `${large!['lost']} of its ${large!['n']} calls are lost to that, **none ran altered** ${altered(large!)}`,
    );
    expect(told).toContain(
      `Of the small model's ${small!['n']} calls ${small!['lost']} are lost, and **${small!['altered']} ran altered** ${altered(small!)}`,
    );
  });

  it('counts the streams, and those on which json-object takes a call back', () => {
    const safety = rowsOf('results/c/safety.csv').filter(({ level }) => level === 'content');
    const streams = new Set(safety.map(({ suite, recording }) => `${suite}/${recording}`));
    expect(README).toContain(`(${streams.size} streams:`);
    const own = safety.filter(({ parser }) => parser === 'json-object');
    const reopened = own.filter(({ reopening }) => reopening === 'violated');
    expect(README).toContain(`On ${reopened.length} of ${own.length} streams a continuation was drawn`);
  });

  it('tells what repaired JSON would have run', () => {
    const repaired = rowsOf('results/peers/peers.csv').filter(
      ({ suite, a_call_runs_when }) => suite === 'replies' && /repaired/.test(a_call_runs_when ?? ''),
    );
    expect(repaired.length).toBe(5);
    for (const { streams_harmed, streams } of repaired) {
      expect(README.replaceAll('\n', ' ')).toContain(
        `in ${streams_harmed} of ${streams} of the large model's native answers`,
      );
    }
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
    const gain = rowsOf('results/e/gain.csv');
    const row = (suite: string, tools: string, protocol: string, calls = 'several calls') =>
      gain.find(
        (candidate) =>
          candidate['suite'] === suite &&
          candidate['tools'] === tools &&
          candidate['protocol'] === protocol &&
          candidate['calls'] === calls,
      )!;
    const seconds = (ms: string | undefined) => (Math.round(Math.abs(Number(ms)) / 100) / 10).toFixed(1);
    const saved = (of: Readonly<Record<string, string>>, what: string) =>
      `${seconds(of[`mean_${what}_saved_ms`])} s [${seconds(of[`${what}_saved_low`])}, ${seconds(of[`${what}_saved_high`])}]`;
    const told = README.slice(
      README.indexOf('**E: what does it buy?**'),
      README.indexOf('**Limits of the evidence.**'),
    );
    expect(row('replies', 'drawn', 'ctl', 'all')['tasks']).toBe('4');
    const figures = [
      `${saved(row('reframed', 'drawn', 'ctl'), 'first')} sooner`,
      `\`native-inc\` ${saved(row('reframed', 'drawn', 'native-inc'), 'first')}`,
      `${saved(row('reframed', 'drawn', 'ctl'), 'last')} sooner`,
      saved(row('reframed', '2 s each', 'ctl'), 'last'),
      `${seconds(row('replies', 'drawn', 'ctl', 'all')['mean_last_saved_ms'])} s later`,
    ];
    for (const figure of figures) expect(told.replaceAll('\n', ' ')).toContain(figure);
  });
});

/** What every section of findings is made of: charts with a word on each, and where numbers in prose come from. */
import { chartFigure } from './charts.ts';
import { type Html, html } from './html.ts';
import type { Letter, Results } from './results.ts';
import { sourceFiles } from './tables.ts';

export interface FigureNote {
  /** Name of the chart. */
  readonly chart: string;
  /** What there is to see in it. */
  readonly note?: string;
  /** What follows it. */
  readonly after?: Html | readonly Html[];
}

/** All charts of the results: those with a note first, in their order, then any other. */
export function figures({ letter, charts }: Results, notes: readonly FigureNote[]): readonly Html[] {
  const known = notes.flatMap(({ chart: name, note, after = [] }) => {
    const chart = charts.find((candidate) => candidate.name === name);
    return chart === undefined ? [] : [chartFigure(letter, chart, note), html`${after}`];
  });
  const others = charts.filter(({ name }) => notes.every(({ chart }) => chart !== name));
  return [...known, ...others.map((chart) => chartFigure(letter, chart))];
}

/** Under prose with numbers: the files that have them, and the command that makes these. */
export function source(letter: Letter, files: readonly string[]): Html {
  const paths = files.map((file) => `results/${letter}/${file}`);
  return html`<p class="source">Numbers: ${sourceFiles(paths)}, made by <code>npm run exp:${letter}</code>.</p>`;
}

/** The same within a sentence. */
export function briefSource(letter: Letter, files: readonly string[]): Html {
  const paths = files.map((file) => `results/${letter}/${file}`);
  return html`<span class="quiet">(${sourceFiles(paths)}, <code>npm run exp:${letter}</code>)</span>`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The same, each name as code. */
export function codes(names: readonly string[]): Html {
  const between = (i: number): string => (i === 0 ? '' : i === names.length - 1 ? ' and ' : ', ');
  return html`${names.map((name, i) => html`${between(i)}<code>${name}</code>`)}`;
}

/** A share of four decimals as `51.74 %`: as many digits as the file has, since rounding twice is wrong. */
export function percent(share: string): string {
  return `${(Number(share) * 100).toFixed(2)} %`;
}

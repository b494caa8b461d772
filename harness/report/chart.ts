/**
 * Charts are data: a Vega-Lite view over table rows, rendered to SVG and PNG without a browser.
 *
 * The specification and the SVG are the same bytes on every machine: no system font, no canvas to measure text with, no
 * locale, coordinates rounded so that the last bit of a logarithm cannot show. What Vega merely warns of is an error.
 */
import { Resvg } from '@resvg/resvg-js';
import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { ResultFiles } from './files.ts';
import { FONT_FILES, THEME } from './theme.ts';

type DistributiveOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;

export interface Chart {
  /** File name without extension. */
  readonly name: string;
  /** What is seen, as a statement. */
  readonly title: string;
  /** How to read it: units, what is left out. */
  readonly subtitle: readonly string[];
  /** The alternative text, for those who cannot see the chart. */
  readonly description: string;
  /** Rows by name; the view refers to them by `data: { name }`. */
  readonly datasets: { readonly [name: string]: readonly object[] };
  readonly view: DistributiveOmit<TopLevelSpec, 'title' | 'description' | 'datasets' | 'config' | '$schema'>;
}

export interface RenderedChart {
  /** The Vega-Lite specification with its data, one row a line. */
  readonly spec: string;
  readonly svg: string;
  readonly png: Uint8Array;
}

/** A chart that Vega cannot draw as it stands: a bug of the chart. */
export class ChartError extends Error {
  override readonly name = 'ChartError';
}

const SCHEMA = 'https://vega.github.io/schema/vega-lite/v6.json';
/** Pixels of the PNG per unit of the SVG. */
const PNG_ZOOM = 2;

/** Adds `<folder>/<name>.vl.json`, `.svg` and `.png` to the results. */
export async function addChart(files: ResultFiles, folder: string, chart: Chart): Promise<void> {
  const { spec, svg, png } = await renderChart(chart);
  files.add(`${folder}/${chart.name}.vl.json`, spec);
  files.add(`${folder}/${chart.name}.svg`, svg);
  files.add(`${folder}/${chart.name}.png`, png);
}

/** Throws {@link ChartError} where Vega or Vega-Lite has so much as a warning. */
export async function renderChart(chart: Chart): Promise<RenderedChart> {
  const svg = tidySvg(await drawSvg(chart), chart.description);
  return { spec: specText(chart), svg, png: drawPng(svg) };
}

function topLevelSpec(chart: Chart): TopLevelSpec {
  const { title, subtitle, description, datasets, view } = chart;
  return {
    $schema: SCHEMA,
    title: { text: title, subtitle: [...subtitle] },
    description,
    config: THEME,
    ...view,
    datasets,
  } as TopLevelSpec;
}

async function drawSvg(chart: Chart): Promise<string> {
  const logger = strictLogger(chart.name);
  measureByEstimate();
  // Vega marks the rows that it is given.
  const { spec } = compile(structuredClone(topLevelSpec(chart)), { logger });
  const view = new vega.View(vega.parse(spec), { renderer: 'none', logger });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

function strictLogger(name: string): vega.LoggerInterface {
  const refuse = (...messages: readonly unknown[]): never => {
    throw new ChartError(`${name}: ${messages.map(String).join(' ')}`);
  };
  const logger: vega.LoggerInterface = {
    level: () => logger,
    error: refuse,
    warn: refuse,
    info: () => logger,
    debug: () => logger,
  };
  return logger;
}

/** Average width of a character of the shipped font, per unit of font size; Vega's own guess (0.8) leaves gaps. */
const CHARACTER_WIDTH = 0.58;

/** Vega would measure with a canvas if the machine happened to have that package, and lay the chart out by it. */
function measureByEstimate(): void {
  const { textMetrics } = vega as unknown as { textMetrics: { width: (item: unknown, text: unknown) => number } };
  textMetrics.width = (item, text) => {
    const fontSize = (item as { fontSize?: number }).fontSize ?? 11;
    return Math.round(CHARACTER_WIDTH * String(text ?? '').trim().length * fontSize);
  };
}

function tidySvg(svg: string, description: string): string {
  return `${svg
    .replace('<svg ', `<svg role="img" aria-label="${escapeAttribute(description)}" `)
    .replace(/ (?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"/g, (attribute) =>
      attribute.replace(/-?\d*\.\d+(?:e[+-]?\d+)?/g, (number) => String(roundCoordinate(Number(number)))),
    )
    // Lines, so that two versions can be compared; between these tags blanks have no meaning.
    .replace(/>(?=<(?:text|\/?(?:g|path|rect|line|defs|clipPath|svg))\b)/g, '>\n')}\n`;
}

function roundCoordinate(value: number): number {
  const rounded = Math.round(value * 100) / 100;
  return rounded === 0 ? 0 : rounded;
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function drawPng(svg: string): Uint8Array {
  const font = { loadSystemFonts: false, fontFiles: [...FONT_FILES], defaultFontFamily: 'DejaVu Sans' };
  return new Resvg(svg, { font, fitTo: { mode: 'zoom', value: PNG_ZOOM } }).render().asPng();
}

/** JSON of the specification, with one line for each data row: a changed row is a changed line. */
function specText(chart: Chart): string {
  const { datasets, ...rest } = topLevelSpec(chart) as TopLevelSpec & { datasets: Chart['datasets'] };
  const head = JSON.stringify(rest, null, 2).replace(/\n\}$/, '');
  const sets = Object.entries(datasets).map(([name, rows]) => {
    const lines = rows.map((row) => `      ${JSON.stringify(row)}`);
    return `    ${JSON.stringify(name)}: [${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n    `}]`;
  });
  return `${head},\n  "datasets": {\n${sets.join(',\n')}\n  }\n}\n`;
}

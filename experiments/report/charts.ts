/** Charts for the page: compiled to Vega, so that Vega-Lite need not be in it, and drawn as SVG for where no script runs. */

import { compile, type TopLevelSpec } from 'vega-lite';
import { InputError } from '../../harness/cli/run-command.ts';
import { type Html, html, raw } from './html.ts';
import type { PageChart } from './page-chart.ts';
import type { Letter, ResultChart } from './results.ts';

/** Pixels around a chart; in a picture there are more. */
const PADDING = 4;
/** Least width in pixels of a plot whose x axis counts; of others, the least share of the full width. */
const LEAST_PLOT = 185;
const LEAST_SHARE = { child: 0.45, bands: 0.62, grid: 0.94 };
/** Of the invisible points on lines, in square pixels. */
const POINT_SIZE = 80;

interface VegaSpec {
  readonly width?: number;
  readonly signals?: readonly { readonly name: string; readonly value?: unknown }[];
  readonly scales?: readonly { readonly name: string; readonly type?: string }[];
  readonly layout?: object;
}

/** Throws {@link InputError} where a specification is none. */
export function pageChart({ name, spec }: ResultChart): PageChart {
  try {
    return compiledChart(name, spec);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new InputError(`charts/${name}.vl.json is no Vega-Lite specification (${why}): its experiment makes it anew`);
  }
}

function compiledChart(name: string, spec: string): PageChart {
  const { title: _, ...chart } = JSON.parse(spec) as TopLevelSpec & { title: unknown };
  const config = {
    ...chart.config,
    padding: PADDING,
    // The page's own colour shows through: it is light or dark.
    background: 'transparent',
    // In a page every mark can say what it is; in a picture the specification need not.
    mark: { tooltip: { content: 'data' } },
  };
  const compiled = compile(withPointsOnLines({ ...chart, config }) as TopLevelSpec).spec as VegaSpec;
  return { name, spec: compiled, stretch: stretchOf(compiled) };
}

function stretchOf({ width, signals, scales, layout }: VegaSpec): PageChart['stretch'] {
  const child = signals?.find((signal) => signal.name === 'child_width')?.value;
  if (typeof child === 'number') {
    return { signal: 'child_width', most: child, least: Math.round(child * LEAST_SHARE.child) };
  }
  const most = width ?? LEAST_PLOT;
  if (layout !== undefined) return { signal: 'width', most, least: Math.round(most * LEAST_SHARE.grid) };
  const isBanded = scales?.some(({ name, type }) => name === 'x' && type === 'band') ?? false;
  return { signal: 'width', most, least: isBanded ? Math.round(most * LEAST_SHARE.bands) : Math.min(most, LEAST_PLOT) };
}

/**
 * A line is one mark, which could only speak of its first row: each row gets an invisible point. A line of one fixed
 * colour is a reference and no data.
 */
function withPointsOnLines(view: unknown): unknown {
  if (Array.isArray(view)) return view.map(withPointsOnLines);
  if (typeof view !== 'object' || view === null) return view;
  if ('mark' in view && isDataLine(view.mark)) {
    const { mark, encoding = {}, ...around } = view as { mark: object; encoding?: { x?: object; y?: object } };
    const { x, y } = encoding;
    const place = { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) };
    const points = { mark: { type: 'point', opacity: 0, size: POINT_SIZE }, encoding: place };
    return { ...around, layer: [{ mark, encoding }, points] };
  }
  const isDrawn = (key: string): boolean => key !== 'datasets' && key !== 'data' && key !== 'config';
  return Object.fromEntries(
    Object.entries(view).map(([key, value]) => [key, isDrawn(key) ? withPointsOnLines(value) : value]),
  );
}

function isDataLine(mark: unknown): mark is { readonly type: 'line' } {
  return typeof mark === 'object' && mark !== null && 'type' in mark && mark.type === 'line' && !('color' in mark);
}

/** @param note what to see in it, in a sentence or two. */
export function chartFigure(letter: Letter, { name, spec, svg }: ResultChart, note = ''): Html {
  const { description, title } = JSON.parse(spec) as {
    description: string;
    title: { text: string; subtitle: readonly string[] };
  };
  return html`
<figure class="chart" id="chart-${name}" data-chart="${name}">
  <div class="chart-head"><h3>${title.text}</h3><p>${title.subtitle.join(' ')}</p></div>
  <div class="chart-frame" tabindex="0" role="group" aria-label="Chart: ${title.text}">
    <div class="chart-svg">${raw(withOwnIds(svg, name))}</div>
    <div class="chart-vega" role="img" aria-label="${description}" hidden></div>
  </div>
  <figcaption>
    ${note === '' ? '' : html`<p class="note">${note}</p>`}
    <details><summary>In words</summary><p class="words">${description}</p></details>
    <p class="source"><code>results/${letter}/charts/${name}.svg</code>, made by <code>npm run exp:${letter}</code></p>
  </figcaption>
</figure>`;
}

/** Names within an SVG count for the whole page: each chart's get its own prefix. */
function withOwnIds(svg: string, name: string): string {
  return svg.replace(/(\bid="|url\(#|href="#)(?=[\w-])/g, `$1${name}-`);
}

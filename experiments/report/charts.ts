/** Charts for the page: compiled to Vega, so that Vega-Lite need not be in it, and drawn as SVG for where no script runs. */
import { compile, type TopLevelSpec } from 'vega-lite';
import { type Html, html, raw } from './html.ts';
import type { PageChart } from './page-chart.ts';
import type { Letter, ResultChart } from './results.ts';

export function pageChart({ name, spec }: ResultChart): PageChart {
  const chart = JSON.parse(spec) as TopLevelSpec;
  // In a page every mark can say what it is; in a picture the specification need not.
  const compiled = compile({ ...chart, config: { ...chart.config, mark: { tooltip: true } } }).spec;
  // The page's own colour shows through: it is light or dark.
  return { name, spec: { ...compiled, background: 'transparent' } };
}

export function chartFigure(letter: Letter, { name, spec, svg }: ResultChart): Html {
  const { description, title } = JSON.parse(spec) as { description: string; title: { text: string } };
  return html`
<figure class="chart" id="chart-${name}" data-chart="${name}">
  <div class="chart-frame" tabindex="0" role="group" aria-label="Chart: ${title.text}">
    <div class="chart-svg">${raw(withOwnIds(svg, name))}</div>
    <div class="chart-vega" role="img" aria-label="${description}" hidden></div>
  </div>
  <figcaption>
    <details><summary>In words</summary><p>${description}</p></details>
    <span class="source"><code>results/${letter}/charts/${name}.svg</code>, made by <code>npm run exp:${letter}</code></span>
  </figcaption>
</figure>`;
}

/** Names within an SVG count for the whole page: each chart's get its own prefix. */
function withOwnIds(svg: string, name: string): string {
  return svg.replace(/(\bid="|url\(#|href="#)(?=[\w-])/g, `$1${name}-`);
}

/** Charts drawn by Vega, with tooltips. The drawn SVG stays in its place until that has been done, and for print. */
import { parse, type Spec, View } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { escapeHTML, Handler } from 'vega-tooltip';
import type { PageChart } from '../page-chart.ts';
import { inTheme } from './chart-theme.ts';
import { embeddedJson } from './embedded.ts';
import type { Theme } from './theme.ts';

/** Pixels: below it a legend stands under the plot, not beside it. */
const NARROW = 620;
const COLUMN = 145;
/** In ms: a window that is being resized is drawn for once it rests. */
const REST = 150;

export interface Charts {
  /** Settles when every chart has been drawn once. */
  readonly drawn: Promise<void>;
  show(theme: Theme): void;
}

interface Drawing extends PageChart {
  readonly figure: HTMLElement;
  readonly frame: HTMLElement;
  readonly host: HTMLElement;
  view: View | null;
  /** Width in pixels of the frame that it was drawn for. */
  width: number;
}

export function drawCharts(): Charts {
  const drawings = embeddedJson<readonly PageChart[]>('#chart-data').flatMap(drawingOf);
  const tooltip = new Handler({ theme: 'custom', disableDefaultStyle: true, sanitize: tooltipText }).call;
  let settle = (): void => {};
  const drawn = new Promise<void>((resolve) => {
    settle = resolve;
  });
  let theme: Theme = 'light';
  let round = 0;
  const showAll = async (): Promise<void> => {
    const mine = ++round;
    for (const drawing of drawings) {
      if (mine !== round) return;
      await draw(drawing, theme, tooltip);
    }
    settle();
  };
  onRestOf('resize', () => {
    if (drawings.some(({ frame, width }) => frame.clientWidth !== width)) void showAll();
  });
  return {
    drawn,
    show: (chosen) => {
      theme = chosen;
      void showAll();
    },
  };
}

function drawingOf(chart: PageChart): Drawing[] {
  const figure = document.querySelector<HTMLElement>(`figure[data-chart="${chart.name}"]`);
  const frame = figure?.querySelector<HTMLElement>('.chart-frame');
  const host = figure?.querySelector<HTMLElement>('.chart-vega');
  if (!(figure && frame && host)) return [];
  return [{ ...chart, figure, frame, host, view: null, width: 0 }];
}

async function draw(drawing: Drawing, theme: Theme, tooltip: Handler['call']): Promise<void> {
  const { figure, frame, host } = drawing;
  const width = frame.clientWidth;
  drawing.view?.finalize();
  drawing.width = width;
  const spec = forWidth(inTheme(drawing.spec, theme) as Spec, width);
  // No eval: the page's policy forbids it.
  const runtime = parse(spec, undefined, { ast: true });
  const view = new View(runtime, { expr: expressionInterpreter, renderer: 'svg', container: host, tooltip });
  drawing.view = view;
  host.hidden = false;
  await view.runAsync();
  await adjustWidth(drawing, view, width);
  host.querySelector('svg')?.setAttribute('aria-hidden', 'true');
  figure.classList.add('is-drawn');
}

/** Makes the plot as wide as the frame allows, and no wider than it is in the picture. */
async function adjustWidth({ stretch, host }: Drawing, view: View, available: number): Promise<void> {
  const { signal, most, least } = stretch;
  const atMost = drawnWidth(host);
  if (atMost <= available) return;
  await view.signal(signal, least).resize().runAsync();
  const atLeast = drawnWidth(host);
  if (atLeast >= available || atLeast === atMost) return;
  // Plots side by side each grow by the same: what the whole gains for a pixel of one is their number.
  const gain = (atMost - atLeast) / (most - least);
  let width = Math.floor(least + (available - atLeast) / gain);
  await view.signal(signal, width).resize().runAsync();
  // Labels that stand out may be other ones at another width.
  for (let over = drawnWidth(host) - available; over > 0 && width > least; over = drawnWidth(host) - available) {
    width = Math.max(least, width - Math.ceil(over / gain));
    await view.signal(signal, width).resize().runAsync();
  }
}

function drawnWidth(host: HTMLElement): number {
  return Number(host.querySelector('svg')?.getAttribute('width'));
}

/** Where there is little room, legends stand below, and titles of axes in two lines. */
function forWidth(spec: Spec, width: number): Spec {
  if (width >= NARROW) return spec;
  const { legends = [], axes = [] } = spec;
  const columns = Math.max(1, Math.floor(width / COLUMN));
  return {
    ...spec,
    legends: legends.map((legend) => ({ ...legend, orient: 'bottom', direction: 'horizontal', columns })),
    axes: axes.map((axis) => {
      const { title } = axis;
      return typeof title === 'string' ? { ...axis, title: title.split(/ (?=\()/) } : axis;
    }),
  };
}

/** A label of two lines is written with a `|` between them. */
function tooltipText(value: unknown): string {
  return escapeHTML(value).replaceAll('|', ': ');
}

function onRestOf(event: 'resize', act: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  addEventListener(event, () => {
    clearTimeout(timer);
    timer = setTimeout(act, REST);
  });
}

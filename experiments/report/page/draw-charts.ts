/** Charts drawn by Vega, with tooltips. The drawn SVG stays in its place until that has been done, and for print. */
import { parse, type Spec, View } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { Handler } from 'vega-tooltip';
import type { PageChart } from '../page-chart.ts';
import { embeddedJson } from './embedded.ts';
import type { Theme } from './theme.ts';

/** The light theme's colours and what they are in the dark one: the charts know no others but those of the protocols. */
const DARK: { readonly [light: string]: string } = {
  '#222222': '#E7E9EA',
  '#5F5F5F': '#A9B0B5',
  '#E4E4E4': '#33393E',
  '#8A8A8A': '#8D959B',
  '#D0D0D0': '#454C52',
  '#B8B8B8': '#596168',
  '#FFFFFF': '#15191C',
  '#CFE4F3': '#1D4A68',
  '#F2CC6B': '#6B4F00',
  '#EFEFEF': '#2A3035',
  '#C24A00': '#F28A4B',
  '#0072B2': '#8AA4FF',
  '#D55E00': '#FF8F4A',
  '#009E73': '#2FC99D',
};

export interface Charts {
  /** Settles when every chart has been drawn once. */
  readonly drawn: Promise<void>;
  show(theme: Theme): void;
}

export function drawCharts(): Charts {
  const charts = embeddedJson<readonly PageChart[]>('#chart-data').flatMap((chart) => {
    const figure = document.querySelector<HTMLElement>(`figure[data-chart="${chart.name}"]`);
    return figure === null ? [] : [{ figure, spec: chart.spec, view: null as View | null }];
  });
  const tooltip = new Handler({ theme: 'custom' }).call;
  let settle = (): void => {};
  const drawn = new Promise<void>((resolve) => {
    settle = resolve;
  });
  let round = 0;
  const show = async (theme: Theme): Promise<void> => {
    const mine = ++round;
    for (const chart of charts) {
      if (mine !== round) return;
      const host = chart.figure.querySelector<HTMLElement>('.chart-vega');
      if (host === null) continue;
      chart.view?.finalize();
      const spec = theme === 'dark' ? inDark(chart.spec) : chart.spec;
      // No eval: the page's policy forbids it.
      const runtime = parse(spec as Spec, undefined, { ast: true });
      const view = new View(runtime, {
        expr: expressionInterpreter,
        renderer: 'svg',
        container: host,
        hover: true,
        tooltip,
      });
      chart.view = view;
      await view.runAsync();
      host.querySelector('svg')?.setAttribute('aria-hidden', 'true');
      host.hidden = false;
      chart.figure.classList.add('is-drawn');
    }
    settle();
  };
  return { drawn, show: (theme) => void show(theme) };
}

function inDark(spec: unknown): unknown {
  const colours = new RegExp(Object.keys(DARK).join('|'), 'gi');
  return JSON.parse(JSON.stringify(spec).replace(colours, (colour) => DARK[colour.toUpperCase()] ?? colour));
}

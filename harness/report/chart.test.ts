import { describe, expect, it } from 'vitest';
import { type Chart, ChartError, renderChart } from './chart.ts';

const BARS: Chart = {
  name: 'bars',
  title: 'Two bars',
  subtitle: ['of one and of two thirds'],
  description: 'Bars: a is "1", b < 1 & > 0',
  datasets: {
    rows: [
      { name: 'a', value: 1 },
      { name: 'b', value: 2 / 3 },
    ],
  },
  view: {
    data: { name: 'rows' },
    width: 100,
    height: 100,
    mark: 'bar',
    encoding: { x: { field: 'name', type: 'nominal' }, y: { field: 'value', type: 'quantitative' } },
  },
};

function pngSize(png: Uint8Array): { signature: string; width: number; height: number } {
  const bytes = Buffer.from(png);
  return { signature: bytes.toString('latin1', 1, 4), width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

describe('renderChart', () => {
  it('gives the same specification, SVG and pixels each time', async () => {
    expect(await renderChart(BARS)).toEqual(await renderChart(BARS));
  });

  it('writes a specification that is JSON with one line a row', async () => {
    const { spec } = await renderChart(BARS);
    expect(JSON.parse(spec)).toMatchObject({
      title: { text: 'Two bars' },
      description: BARS.description,
      datasets: BARS.datasets,
    });
    expect(spec).toContain('\n      {"name":"a","value":1},\n');
  });

  it('gives the SVG its description as alternative text, escaped', async () => {
    const { svg } = await renderChart(BARS);
    expect(svg).toContain('<svg role="img" aria-label="Bars: a is &quot;1&quot;, b &lt; 1 &amp; > 0" ');
  });

  it('rounds every coordinate to hundredths', async () => {
    const { svg } = await renderChart(BARS);
    const coordinates = [...svg.matchAll(/ (?:d|transform|x|y)="([^"]*)"/g)].map(([, value]) => value);
    expect(coordinates.some((value) => value?.includes('.33'))).toBe(true);
    expect(coordinates.filter((value) => /\.\d{3}/.test(value ?? ''))).toEqual([]);
  });

  it('draws text with the shipped font: letters are pixels', async () => {
    const [named, nameless] = [await renderChart(BARS), await renderChart({ ...BARS, title: ' ', subtitle: [] })];
    expect(named.png.length).toBeGreaterThan(nameless.png.length + 1000);
    expect(pngSize(named.png)).toMatchObject({ signature: 'PNG' });
    const [, width] = /viewBox="0 0 ([\d.]+)/.exec(named.svg) ?? [];
    expect(pngSize(named.png).width).toBe(Number(width) * 2);
  });

  it('refuses what Vega-Lite only warns of', async () => {
    const view = { ...BARS.view, encoding: { x: { field: 'name', type: 'nominal' }, shape: { field: 'name' } } };
    await expect(renderChart({ ...BARS, view: view as Chart['view'] })).rejects.toThrow(ChartError);
  });

  it('refuses what Vega only warns of when it draws', async () => {
    const encoding = { y: { field: 'value', type: 'quantitative', scale: { type: 'log', domain: [-1, 1] } } };
    await expect(renderChart({ ...BARS, view: { ...BARS.view, encoding } as Chart['view'] })).rejects.toThrow(
      ChartError,
    );
  });
});

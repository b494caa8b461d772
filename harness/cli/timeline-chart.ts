/** A timeline as a chart: bytes confirmed and pending along the stream, and a rule where each call became executable. */
import type { Chart } from '../report/chart.ts';
import { INK } from '../report/theme.ts';
import { plural, thousands } from './glyphs.ts';
import type { Timeline } from './timeline.ts';

/** Points along the stream; each shows the byte of its part at which most is pending. */
const MOST_POINTS = 800;
const MOST_LABELS = 12;

const STATES = ['confirmed', 'pending'] as const;
const COLOURS = ['#0072B2', '#E69F00'];

interface Point {
  readonly at: number;
  readonly bytes: number;
  readonly state: (typeof STATES)[number];
  /** Order of stacking, from below. */
  readonly order: number;
}

export function timelineChart(timeline: Timeline, about: { file: string; protocol: string }): Chart {
  const { level, bytes, runs, end } = timeline;
  const points = pointsOf(timeline);
  const most = timeline.pending.reduce((high, count) => Math.max(high, count), 0);
  const calls = runs.map(({ call, after }, i) => ({ at: after, label: i < MOST_LABELS ? call.name : '' }));
  const atEnd = runs.filter((run) => run.atEnd).length;
  return {
    name: 'timeline',
    title: `${about.file}, read as ${about.protocol}`,
    subtitle: [
      `${plural(runs.length, 'call')} executable (rules)${atEnd > 0 ? `, ${thousands(atEnd)} of them at the end of the ${end} stream` : ''}; pending at most ${thousands(most)} bytes.`,
      `Content bytes received so far, confirmed and pending, after each ${level} byte.`,
    ],
    description: `Bytes confirmed and pending along ${about.file}, read as ${about.protocol}: pending at most ${most} bytes, ${runs.length} calls executable.`,
    datasets: { points, calls },
    view: {
      width: 720,
      height: 320,
      layer: layers(level, bytes.length),
    },
  };
}

function layers(level: Timeline['level'], length: number): Extract<Chart['view'], { layer: unknown }>['layer'] {
  const x = {
    type: 'quantitative' as const,
    title: `${level} bytes received`,
    scale: { domain: [0, Math.max(1, length)], nice: false },
  };
  return [
    {
      data: { name: 'points' },
      mark: { type: 'area', interpolate: 'step-after' },
      encoding: {
        x: { field: 'at', ...x },
        y: { field: 'bytes', type: 'quantitative', title: 'content bytes', stack: 'zero' },
        color: {
          field: 'state',
          type: 'nominal',
          title: null,
          scale: { domain: [...STATES], range: COLOURS },
        },
        order: { field: 'order', type: 'quantitative' },
      },
    },
    {
      data: { name: 'calls' },
      mark: { type: 'rule', color: INK, strokeWidth: 1.5, strokeDash: [4, 3] },
      encoding: { x: { field: 'at', ...x } },
    },
    {
      data: { name: 'calls' },
      mark: {
        type: 'text',
        color: INK,
        align: 'right',
        baseline: 'bottom',
        dx: -4,
        dy: -4,
        angle: 270,
        fontSize: 11,
      },
      encoding: { x: { field: 'at', ...x }, y: { value: 0 }, text: { field: 'label', type: 'nominal' } },
    },
  ];
}

function pointsOf({ bytes, delivered, pending }: Timeline): Point[] {
  const width = Math.min(MOST_POINTS, bytes.length);
  const points: Point[] = [...stacked(0, 0, 0)];
  for (let part = 0; part < width; part++) {
    const from = Math.floor((part * bytes.length) / width);
    const to = Math.floor(((part + 1) * bytes.length) / width);
    let peak = from;
    for (let i = from; i < to; i++) if ((pending[i] ?? 0) > (pending[peak] ?? 0)) peak = i;
    points.push(...stacked(peak + 1, delivered[peak] ?? 0, pending[peak] ?? 0));
  }
  const last = bytes.length - 1;
  // One point a place: two would be stacked upon each other.
  if (last >= 0 && points.at(-1)?.at !== bytes.length)
    points.push(...stacked(bytes.length, delivered[last] ?? 0, pending[last] ?? 0));
  return points;
}

function stacked(at: number, delivered: number, pending: number): Point[] {
  return [
    { at, bytes: delivered - pending, state: 'confirmed', order: 0 },
    { at, bytes: pending, state: 'pending', order: 1 },
  ];
}

/** The charts of experiment E. */
import { CONTROL_NAMES } from '../harness/controls/controls.ts';
import type { Chart } from '../harness/report/chart.ts';
import { INK, QUIET_INK } from '../harness/report/theme.ts';
import { type CallRow, type GainRow, type HarmRow, RUNTIME_PROTOCOLS, type TimingRow } from './e-rows.ts';
import type { ExperimentERows } from './e-run.ts';

const PROTOCOL = { field: 'protocol', type: 'nominal', sort: [...RUNTIME_PROTOCOLS], title: null } as const;
const BLUE = '#0072B2';
const VERMILION = '#D55E00';
const SECOND = 1000;

/** One that has nothing to show is left out. */
export function chartsOfE({ gain, timing, calls, harm }: ExperimentERows): Chart[] {
  const suite = gain.some((row) => row.suite === 'reframed') ? 'reframed' : (gain[0]?.suite ?? '');
  const compared = gain.filter((row) => row.suite === suite && row.protocol !== 'native-eos' && row.calls !== 'all');
  return [
    ...(compared.length === 0 ? [] : [timeSaved(compared)]),
    ...timeline(timing, calls, suite),
    ...(harm.length === 0 ? [] : [wrongCalls(harm)]),
  ];
}

const MEASURES = ['to the first call', 'to the last result'];

/** Two points a protocol: what it saves until the first call starts, and until the last result is there. */
function timeSaved(gain: readonly GainRow[]): Chart {
  const saved = gain.flatMap((row) => {
    const of = { protocol: row.protocol, calls: `${row.calls} (${row.tasks} tasks)`, tools: `tools: ${row.tools}` };
    const point = (measure: string, mean: number, low: number | null, high: number | null) => ({
      ...of,
      measure,
      mean: mean / SECOND,
      low: (low ?? mean) / SECOND,
      high: (high ?? mean) / SECOND,
    });
    return [
      point(MEASURES[0]!, row.firstSaved, row.firstSavedLow, row.firstSavedHigh),
      point(MEASURES[1]!, row.lastSaved, row.lastSavedLow, row.lastSavedHigh),
    ];
  });
  const inWords = saved.map((s) => `${s.protocol}, ${s.calls}, ${s.tools}, ${s.measure}: ${s.mean.toFixed(1)} s`);
  const color = {
    field: 'measure',
    type: 'nominal',
    title: null,
    scale: { domain: MEASURES, range: [BLUE, VERMILION] },
  } as const;
  const shape = {
    field: 'measure',
    type: 'nominal',
    title: null,
    scale: { domain: MEASURES, range: ['circle', 'triangle-up'] },
  } as const;
  const y = { ...PROTOCOL, axis: { ticks: false, domain: false } };
  const yOffset = { field: 'measure', type: 'nominal', sort: MEASURES } as const;
  const x = { type: 'quantitative', title: 'saved against native-eos (s)', axis: { tickCount: 6 } } as const;
  return {
    name: 'time-saved',
    title: 'What it saves to run calls before the answer ends',
    subtitle: [
      'Mean over the same tasks, in virtual time; bars: 95 % bootstrap intervals by task. Right of 0 is faster than native-eos.',
      'Framings need different numbers of tokens for the same calls; that is part of what is shown.',
    ],
    description: `Time saved against native-eos by protocol. ${inWords.join('; ')}.`,
    datasets: { saved, zero: [{ mean: 0 }] },
    view: {
      data: { name: 'saved' },
      facet: {
        row: {
          field: 'calls',
          type: 'nominal',
          title: null,
          header: { labelAngle: 0, labelAnchor: 'start', labelOrient: 'top', labelPadding: 4 },
        },
        column: {
          field: 'tools',
          type: 'nominal',
          title: null,
          sort: ['tools: instant', 'tools: drawn', 'tools: 2 s each'],
        },
      },
      spec: {
        width: 230,
        height: 150,
        layer: [
          {
            mark: { type: 'rule', strokeWidth: 2 },
            encoding: { y, yOffset, x: { ...x, field: 'low' }, x2: { field: 'high' }, color },
          },
          {
            mark: { type: 'point', filled: true, size: 60, opacity: 1 },
            encoding: { y, yOffset, x: { ...x, field: 'mean' }, color, shape },
          },
          {
            data: { name: 'zero' },
            mark: { type: 'rule', color: QUIET_INK, strokeDash: [4, 3] },
            encoding: { x: { ...x, field: 'mean' } },
          },
        ],
      },
    } as Chart['view'],
  };
}

/** The task with the most calls, tools of two seconds: generation as a thin bar, each call as a box. */
function timeline(timing: readonly TimingRow[], calls: readonly CallRow[], suite: string): Chart[] {
  const own = timing.filter((row) => row.suite === suite && row.tools === '2 s each');
  const most = own.reduce<TimingRow | null>(
    (best, row) => (best === null || row.calls > best.calls ? row : best),
    null,
  );
  if (most === null || most.calls === 0) return [];
  const { task, calls: count } = most;
  const answers = RUNTIME_PROTOCOLS.flatMap(
    (protocol) => own.find((row) => row.task === task && row.protocol === protocol) ?? [],
  ).map(({ protocol, generated, done }) => ({ protocol, start: 0, end: generated / SECOND, done: done / SECOND }));
  const boxes = calls
    .filter((row) => row.suite === suite && row.task === task && row.tools === '2 s each')
    .map(({ protocol, call, name, started, ended }) => ({
      protocol,
      call,
      name,
      start: started / SECOND,
      end: ended / SECOND,
      label: String(call + 1),
    }));
  const doneInWords = answers.map(({ protocol, done }) => `${protocol} ${done.toFixed(1)} s`).join(', ');
  const y = { ...PROTOCOL, axis: { ticks: false, domain: false } };
  const x = { type: 'quantitative', title: 'virtual time since the request (s)' } as const;
  return [
    {
      name: 'one-answer',
      title: `Task ${task}: ${count} calls of two seconds each, by protocol`,
      subtitle: ['Grey: the answer is generated. Boxes: calls, in their order.', `All done after: ${doneInWords}.`],
      description: `Timeline of task ${task} under each protocol. All done after: ${doneInWords}.`,
      datasets: { answers, boxes },
      view: {
        width: 640,
        height: 46 * new Set(answers.map(({ protocol }) => protocol)).size,
        layer: [
          {
            data: { name: 'answers' },
            mark: { type: 'bar', color: '#B8B8B8', height: 8, yOffset: 15 },
            encoding: { y, x: { ...x, field: 'start' }, x2: { field: 'end' } },
          },
          {
            data: { name: 'boxes' },
            mark: { type: 'bar', color: '#56B4E9', stroke: '#FFFFFF', strokeWidth: 1, height: 20 },
            encoding: {
              y,
              x: { ...x, field: 'start' },
              x2: { field: 'end' },
              tooltip: [
                { field: 'name', type: 'nominal' },
                { field: 'start', type: 'quantitative' },
                { field: 'end', type: 'quantitative' },
              ],
            },
          },
          {
            data: { name: 'boxes' },
            mark: { type: 'text', align: 'left', dx: 4, fontSize: 11, color: INK },
            encoding: { y, x: { ...x, field: 'start' }, text: { field: 'label', type: 'nominal' } },
          },
        ],
      } as Chart['view'],
    },
  ];
}

function wrongCalls(harm: readonly HarmRow[]): Chart {
  const suites = [...new Set(harm.map(({ suite }) => suite))];
  const shares = harm.map(({ suite, control, streams, harmed, harmedShare, harmedLow, harmedHigh }) => ({
    suite,
    control,
    share: rounded(harmedShare),
    low: rounded(harmedLow),
    high: rounded(harmedHigh),
    label: `${harmed}/${streams}`,
  }));
  const inWords = shares.map(({ suite, control, label }) => `${suite}, ${control}: ${label}`).join('; ');
  const y = {
    field: 'control',
    type: 'nominal',
    sort: [...CONTROL_NAMES],
    title: null,
    axis: { ticks: false, domain: false },
  };
  const x = {
    type: 'quantitative',
    title: 'streams with a wrong call',
    scale: { domain: [0, 1] },
    axis: { format: '.0%', tickCount: 4 },
  };
  return {
    name: 'wrong-calls',
    title: 'What an unsafe early trigger would have run',
    subtitle: [
      'Streams on which it runs a call that the answer does not hold, of all that it reads; bars: 95 % Wilson intervals.',
      'Crafted streams are made to be hard. Right calls that run too early are not counted here.',
    ],
    description: `Share of streams on which an unsafe trigger runs a wrong call. ${inWords}.`,
    datasets: { shares },
    view: {
      data: { name: 'shares' },
      facet: { column: { field: 'suite', type: 'nominal', title: null, sort: suites } },
      spec: {
        width: 220,
        height: 34 * new Set(harm.map(({ control }) => control)).size,
        layer: [
          {
            mark: { type: 'rule', strokeWidth: 2, color: VERMILION },
            encoding: { y, x: { ...x, field: 'low' }, x2: { field: 'high' } },
          },
          {
            mark: { type: 'point', filled: true, size: 70, opacity: 1, color: VERMILION },
            encoding: { y, x: { ...x, field: 'share' } },
          },
          {
            mark: { type: 'text', dy: -11, fontSize: 11, color: INK },
            encoding: { y, x: { ...x, field: 'share' }, text: { field: 'label', type: 'nominal' } },
          },
        ],
      },
    } as Chart['view'],
  };
}

/** To six decimals, as the tables have at most. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** The chart of the peers: on how many streams each policy executes a call wrongly. */
import type { Chart } from '../harness/report/chart.ts';
import { ALL, POLICY_ORDER } from './peers-order.ts';
import type { PeerSummary } from './peers-rows.ts';

const BLUE = '#0072B2';

/** None if there is nothing to show. */
export function chartsOfPeers(summaries: readonly PeerSummary[]): Chart[] {
  const own = summaries.filter(({ suite }) => suite !== ALL);
  if (own.length === 0) return [];
  const harmed = own.map(({ suite, policy, streams, harmedShare, harmedLow, harmedHigh }) => ({
    suite,
    streams,
    policy,
    share: harmedShare,
    low: harmedLow ?? harmedShare,
    high: harmedHigh ?? harmedShare,
  }));
  const inWords = own.map(({ suite, policy, harmed: count, streams }) => `${suite}, ${policy}: ${count} of ${streams}`);
  const order = POLICY_ORDER.map(({ name }) => name);
  const y = {
    field: 'policy',
    type: 'nominal',
    title: null,
    sort: order,
    axis: { ticks: false, domain: false },
  } as const;
  const x = {
    type: 'quantitative' as const,
    title: 'streams harmed',
    axis: { format: '.0%', tickCount: 5 },
    scale: { domain: [0, 1] },
  };
  return [
    {
      name: 'streams-harmed',
      title: 'Streams on which a call would run wrongly, by when it runs',
      subtitle: [
        'Share of streams on which a call runs that is none, or has another id, name or value in the whole stream.',
        'Policies built on the libraries: none of them claims to say when a call may be executed.',
        'Lines: 95 % intervals; none for crafted streams, one of each fault, which are no sample of anything.',
      ],
      description: `Streams harmed by policy and suite. ${inWords.join('; ')}.`,
      datasets: { harmed },
      view: {
        data: { name: 'harmed' },
        facet: { column: { field: 'suite', type: 'nominal', title: null } },
        spacing: 40,
        spec: {
          width: 180,
          height: 24 * order.length,
          layer: [
            {
              mark: { type: 'rule', strokeWidth: 2, color: BLUE },
              encoding: { y, x: { ...x, field: 'low' }, x2: { field: 'high' } },
            },
            {
              mark: { type: 'point', filled: true, size: 60, opacity: 1, color: BLUE },
              encoding: { y, x: { ...x, field: 'share' } },
            },
          ],
        },
      } as Chart['view'],
    },
  ];
}

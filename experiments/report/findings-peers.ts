/** The peers in the page: what would run, and when, on the say-so of the JSON libraries that people use. */
import { figures, source } from './figures.ts';
import { type Html, html } from './html.ts';
import { type Results, rowsOf } from './results.ts';

/** Streams that a model wrote: of the crafted ones each is a fault, and no share of them means anything. */
const ANSWERS = 'replies';

export function findingsOfPeers(peers: Results): Html {
  const rows = rowsOf(peers, 'peers.csv', ['suite', 'policy', 'streams', 'streams_harmed']).filter(
    ({ suite }) => suite === ANSWERS,
  );
  const harmed = rows.filter(({ streams_harmed }) => Number(streams_harmed) > 0);
  const names = (own: typeof rows): Html =>
    html`${own.map(({ policy, streams, streams_harmed }, i) => html`${i === 0 ? '' : '; '}${policy} (${streams_harmed} of ${streams})`)}`;
  const told =
    harmed.length === 0
      ? html`No policy runs a wrong call on the answers of suite <code>${ANSWERS}</code>.`
      : html`On the answers of suite <code>${ANSWERS}</code> these policies run a call with other arguments than the model’s: ${names(harmed)}. The ${rows.length - harmed.length} others run none wrongly there; what they do on streams that
were written to be hard is in the chart.`;
  return html`<section id="peers" aria-labelledby="peers-title"><h2 id="peers-title">Peers: JSON libraries as triggers</h2>
<p>What if a call ran as soon as a library says that what has arrived parses, or can be repaired? None of these libraries claims to say when a call may be executed: measured is the policy, not the library.</p>
<p>${told}</p>
${source('peers', ['peers.csv'])}
${figures(peers, [])}
</section>`;
}

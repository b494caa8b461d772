/** What stands at the top of the page: what the evidence is, and what it is not. */
import { plural, thousands } from '../../harness/cli/glyphs.ts';
import type { Recording } from '../../harness/replay/recording.ts';
import { sum } from './derived-tables.ts';
import { distinct, evidenceCsv, type SuiteEvidence } from './evidence.ts';
import { listed } from './figures.ts';
import { type Html, html } from './html.ts';
import { type Results, rowsOf } from './results.ts';
import { openTable, type PageTable } from './tables.ts';

type Source = Recording['source'];

/** How streams of a source came about (recordings.md). */
const SOURCES: Record<Source, string> = {
  recorded: 'these bytes came over HTTP from a model server',
  enveloped: 'the text is a model’s; the SSE envelope, the chunking and the call ids were made here, seeded',
  crafted: 'written by hand, each the smallest that pins one rule or one fault: made to be hard, and by no model',
  reframed:
    'made here: the calls of the model’s good native answers written again in every framing, and one call growing from 16 bytes to 1 MiB',
  unknown: 'bare files, of which nothing is known',
};

export function evidenceTable(suites: readonly SuiteEvidence[]): PageTable {
  return {
    path: 'streams-by-suite',
    csv: evidenceCsv(suites),
    title: 'Streams by suite',
    about: '',
    command: 'npm run exp:c',
    from: ['results/c/manifest.json', 'recordings/*/manifest.json'],
  };
}

export function limits(suites: readonly SuiteEvidence[], d: Results): Html {
  const models = distinct(suites.flatMap((suite) => suite.models));
  const runs = distinct(suites.flatMap((suite) => suite.runs));
  const written = suites.filter((suite) => suite.models.length > 0);
  const streams = written.reduce((total, suite) => total + suite.streams, 0);
  const sources = distinct(suites.flatMap((suite) => suite.sources));
  const coverage = rowsOf(d, 'coverage.csv', ['in_figures', 'ambiguous', 'unrecoverable']).filter(
    ({ in_figures }) => in_figures === 'yes',
  );
  return html`<section class="limits" id="evidence" aria-labelledby="evidence-title"><h2 id="evidence-title">Limits of the evidence</h2>
<ul>
<li>${models.length === 1 ? 'One model' : plural(models.length, 'model')} wrote the ${thousands(streams)} answers: ${listed(models)}. They come from ${plural(runs.length, 'run')}; answers of one run share a context, so they are not independent, and no interval here knows of it.</li>
${sources.includes('recorded') ? '' : html`<li>No stream was recorded from a server. Nothing here measures a provider: not its chunking, not its timing.</li>`}
<li>Wire formats: ${listed(suites.map(({ suite, wires }) => `${suite} in ${listed(wires)}`))}.</li>
<li>The large model’s answers (suite replies) were written in one go, without tools for counting, and not revised; by its own account short lengths were counted letter by letter and long ones guessed. Runs 2 and 3 hold ctl only. One link in run1/t06/xml.txt was replaced.</li>
<li>The small model (suite local) has 135 million parameters and ran on one machine; half of its ctl answers were forced into well-formed frames by a grammar. It says nothing of better models.</li>
<li>C states what holds at every prefix of these streams, and of continuations that were drawn. That is no proof about all streams.</li>
<li>D: what was meant is recovered by rules; ${sum(coverage, 'ambiguous')} lengths are ambiguous, ${sum(coverage, 'unrecoverable')} unrecoverable, and left out.</li>
<li>E: times are virtual. Paces and tool times are drawn, not measured.</li>
</ul>
<p>How the streams came about:</p>
<dl class="terms">${sources.map((name) => html`<dt>${name}</dt><dd>${SOURCES[name]}.</dd>`)}</dl>
${openTable(evidenceTable(suites))}
</section>`;
}

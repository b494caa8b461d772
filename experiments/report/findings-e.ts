/** Experiment E in the page: what does it buy to run calls early, and what would an unsafe trigger have run? */
import { briefSource, figures, source } from './figures.ts';
import { type Html, html } from './html.ts';
import { type Results, type Row, rowsOf } from './results.ts';
import { openTable, type PageTable } from './tables.ts';

export const SHOWN_OF_E: readonly string[] = ['gain', 'harm'].map((name) => `results/e/${name}.csv`);

/** The comparison that is told in prose: the suite in which only the framing differs, and slow tools. */
const TOLD = { suite: 'reframed', calls: 'several calls', tools: '2 s each' };
/** And the answers as the model wrote them: there, framings differ in content and mistakes as well. */
const ANSWERS = 'replies';
const BASELINE = 'native-eos';
const SAVED = ['mean_last_saved_ms', 'last_saved_low', 'last_saved_high'] as const;

export function shortOfE(e: Results): Html {
  const rows = told(e, TOLD.suite).toSorted((a, b) => Number(b.mean_last_saved_ms) - Number(a.mean_last_saved_ms));
  const [best] = rows;
  if (best === undefined) return html`<a href="#eager">What does it buy?</a> There are no tasks to compare.`;
  return html`<a href="#eager">What does it buy?</a> In virtual time, on ${best.tasks} tasks of several calls (suite <code>${TOLD.suite}</code>) with tools of two seconds each, <code>${best.protocol}</code> has the last result ${saved(best)} sooner than <code>${BASELINE}</code>, on the average. ${onAnswers(e)} ${briefSource('e', ['gain.csv'])}`;
}

/** The same comparison on the model's own answers, protocols one by one. */
function onAnswers(e: Results): Html {
  const rows = told(e, ANSWERS);
  const [first] = rows;
  if (first === undefined)
    return html`In suite <code>${ANSWERS}</code> no task of several calls runs under every protocol.`;
  const each = rows.map((row, i) => html`${i === 0 ? '' : ', '}<code>${row.protocol}</code> ${saved(row)}`);
  return html`On the model’s own answers (suite <code>${ANSWERS}</code>) only ${first.tasks} such tasks run under every protocol: ${each}; below 0 is later.`;
}

function told(e: Results, wanted: string) {
  return rowsOf(e, 'gain.csv', ['suite', 'calls', 'tools', 'protocol', 'tasks', ...SAVED]).filter(
    ({ suite, calls, tools, protocol }) =>
      suite === wanted && calls === TOLD.calls && tools === TOLD.tools && protocol !== BASELINE,
  );
}

function saved({ mean_last_saved_ms: mean, last_saved_low: low, last_saved_high: high }: Row<(typeof SAVED)[number]>) {
  const interval = low === '' ? 'one task' : `${seconds(low)} to ${seconds(high)}`;
  return `${seconds(mean)} [${interval}]`;
}

function seconds(ms: string): string {
  return `${(Math.round(Number(ms) / 100) / 10).toFixed(1).replace('-', '−')} s`;
}

export function findingsOfE(e: Results, tables: readonly PageTable[]): Html {
  const shown = (name: string): readonly Html[] =>
    tables.filter(({ path }) => path === `results/e/${name}.csv`).map(openTable);
  const compared = told(e, TOLD.suite).map(
    (row, i) => html`${i === 0 ? '' : ', '}<code>${row.protocol}</code> ${saved(row)}`,
  );
  return html`<section id="eager" aria-labelledby="eager-title"><h2 id="eager-title">E: what does eager execution buy?</h2>
<p>The same answers, run in virtual time by the rules of each protocol; <code>${BASELINE}</code> runs all calls when the answer has ended. Nothing was timed: a first token comes after 0.3 to 0.9 s, then 30 to 90 tokens a second; tools take no time,
a time drawn by kind of tool, or two seconds each. These are seeded assumptions, and say nothing of any provider.</p>
<p>The last result is there so much sooner than under <code>${BASELINE}</code>, on the tasks of several calls with tools of two seconds each (suite <code>${TOLD.suite}</code>; mean and 95 % interval; below 0 is later): ${compared}. ${onAnswers(e)}</p>
${source('e', ['gain.csv'])}
${figures(e, [
  { chart: 'one-answer' },
  {
    chart: 'time-saved',
    note: 'With a single call there is nothing to overlap; what differs then is how many tokens the framing takes.',
    after: shown('gain'),
  },
  {
    chart: 'wrong-calls',
    note: 'The other side: parsers that run a call as soon as it looks whole, on the same streams. How often that goes wrong depends on the streams as well as on the rule.',
    after: shown('harm'),
  },
])}
</section>`;
}

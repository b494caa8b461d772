/** Experiment D in the page: how often is a declared length right, and what does a wrong one do? */
import { sum } from './derived-tables.ts';
import { briefSource, figures, percent, source } from './figures.ts';
import { type Html, html } from './html.ts';
import { type Results, rowsOf } from './results.ts';
import { openTable, type PageTable } from './tables.ts';

export const SHOWN_OF_D: readonly string[] = ['summary', 'separator', 'hypotheses', 'sensitivity'].map(
  (name) => `results/d/${name}.csv`,
);

export function shortOfD(d: Results): Html {
  const columns = ['model', 'text', 'size', 'n', 'exact', 'exact_low', 'exact_high'] as const;
  const lengths = rowsOf(d, 'summary.csv', columns).filter(({ text, size }) => text === 'all' && size === 'all');
  return html`<a href="#lengths">Are declared lengths right?</a> ${lengths.map(
    ({ model, n, exact, exact_low, exact_high }) =>
      html`${model}: ${exact} of ${n} lengths are exact [${percent(exact_low)} to ${percent(exact_high)}]; ${effectOnCalls(
        d,
      )
        .filter((row) => row.model === model)
        .map(
          ({ n, as_meant, altered, lost, altered_low, altered_high }) =>
            html`of ${n} calls, ${as_meant} ran as meant, ${lost} were lost, and ${altered} ran with other values than were meant [${percent(altered_low)} to ${percent(altered_high)}]`,
        )}. `,
  )}${briefSource('d', ['summary.csv', 'separator.csv'])}`;
}

/** A row a model, under the rule of ctl as it is. */
function effectOnCalls(d: Results) {
  const counts = ['n', 'as_meant', 'altered', 'lost', 'altered_low', 'altered_high'] as const;
  const rows = rowsOf(d, 'separator.csv', ['model', 'separator', 'of', ...counts]);
  return rows.filter(({ separator, of }) => separator === 'optional' && of === 'calls');
}

export function findingsOfD(d: Results, tables: readonly PageTable[]): Html {
  const shown = (name: string): readonly Html[] =>
    tables.filter(({ path }) => path === `results/d/${name}.csv`).map(openTable);
  return html`<section id="lengths" aria-labelledby="lengths-title"><h2 id="lengths-title">D: are declared lengths right?</h2>
<p><code>ctl</code> asks a model to say how many bytes a value has before it writes it. What was meant is found without trusting the number: by the shortest reading of the message that leaves nothing but blanks outside frames.</p>
${counted(d)}
${shown('summary')}
${figures(d, [
  {
    chart: 'declared-against-meant',
    note: 'On the line, declared and meant are equal. Short values lie on it; longer ones lie around it: about right in size, and hardly ever exact.',
  },
  { chart: 'relative-error' },
  { chart: 'exact-share' },
  {
    chart: 'what-was-counted',
    note: 'Had code points, lines or tokens been counted instead of bytes, the wrong lengths would be exactly these counts.',
    after: shown('hypotheses'),
  },
])}
<h3>Would a mandatory separator change it?</h3>
<p>In <code>ctl</code> one LF after a counted value is a separator that may be absent, so a length that is one too large takes it in. The same answers under both rules:</p>
${shown('separator')}
${shown('sensitivity')}
</section>`;
}

function counted(d: Results): Html {
  const columns = ['suite', 'in_figures', 'complete', 'decided', 'ambiguous', 'unrecoverable'] as const;
  const coverage = rowsOf(d, 'coverage.csv', columns).filter(({ in_figures }) => in_figures === 'yes');
  const suites = new Set(coverage.map(({ suite }) => suite));
  const calls = rowsOf(d, 'counterfactual.csv', ['suite', 'heredoc']).filter(
    ({ suite, heredoc }) => heredoc !== 'undecided' && suites.has(suite),
  );
  const as = (effect: string): number => calls.filter(({ heredoc }) => heredoc === effect).length;
  return html`<p>${sum(coverage, 'decided')} lengths in ${sum(coverage, 'complete')} complete answers are decided; ${sum(coverage, 'ambiguous')} are ambiguous and ${sum(coverage, 'unrecoverable')} unrecoverable, and left out.
${effectOnCalls(d).map(
  ({ model, n, as_meant, altered, lost, altered_low, altered_high }) =>
    html`${model}: of ${n} calls, ${as_meant} ran as meant and ${lost} were lost; ${altered} ran altered, which would be the dangerous outcome (95 % interval of the share: ${percent(altered_low)} to ${percent(altered_high)}).`,
)}
Had the same ${calls.length} calls been written as heredoc frames, ${as('as_meant')} would have run as meant, ${as('with_final_lf')} with a final LF added, ${as('altered')} altered, and ${as('lost')} would have been lost. What mistakes a model makes with heredocs, this cannot show.</p>
${source('d', ['coverage.csv', 'separator.csv', 'counterfactual.csv'])}`;
}

/** The page itself: what is said, and in which order. Every number in the prose is taken from the results. */
import type { Recording } from '../../harness/replay/recording.ts';
import { LEFT_OUT, letterOf, pageTables } from './catalogue.ts';
import { chartFigure, pageChart } from './charts.ts';
import { csvRows } from './csv.ts';
import { evidenceOf, type SuiteEvidence } from './evidence.ts';
import { glanceCsv } from './glance.ts';
import { type Html, html, raw, scriptJson } from './html.ts';
import { GLOSSARY, METHOD } from './method.ts';
import { type Letter, type Results, tableOf } from './results.ts';
import type { ScrubberData } from './scrubber-types.ts';
import { embeddedCsv, foldedTable, openTable, type PageTable } from './tables.ts';

export interface DocumentParts {
  readonly results: { readonly [letter in Letter]: Results };
  readonly recordings: readonly Recording[];
  readonly scrubber: ScrubberData;
  /** The bundled program and style sheet, and the policy that lets exactly these in. */
  readonly program: string;
  readonly css: string;
  readonly policy: string;
}

const CONTENTS: readonly (readonly [id: string, title: string])[] = [
  ['evidence', 'Limits of the evidence'],
  ['safety', 'C: is it safe?'],
  ['lengths', 'D: are lengths right?'],
  ['eager', 'E: what does it buy?'],
  ['scrubber', 'The byte scrubber'],
  ['tables', 'All tables'],
  ['method', 'Method and terms'],
  ['own', 'Your own recordings'],
];

export function reportDocument(parts: DocumentParts): string {
  const { c, d, e } = parts.results;
  const tables = pageTables([c, d, e]);
  const glance: PageTable = {
    path: 'experiment-c-at-a-glance',
    csv: glanceCsv(c),
    title: 'Five protocols',
    about: 'Over all suites, at the content level; counted from results/c/safety.csv and results/c/pending.csv.',
    command: 'npm run exp:c',
  };
  const charts = [c, d, e].flatMap((results) => results.charts.map(pageChart));
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${parts.policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="${c.program}">
<title>When is a streamed tool call safe to execute?</title>
<style>${raw(parts.css)}</style>
</head>
<body>
<a class="skip" href="#safety">Skip to the findings</a>
<button type="button" id="theme-switch" aria-label="Switch between light and dark" hidden>Dark</button>
<div class="page">
<nav class="contents" aria-label="Contents"><ol>${CONTENTS.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ol></nav>
${header(parts)}
<main>
${safety(c, glance)}
${lengths(d, tables)}
${eager(e, tables)}
${scrubber()}
${allTables(tables)}
<section id="method" aria-labelledby="method-title"><h2 id="method-title">Method and terms</h2>${METHOD}${GLOSSARY}</section>
${ownRecordings()}
</main>
</div>
<script type="application/json" id="chart-data">${scriptJson(charts)}</script>
<script type="application/json" id="scrubber-data">${scriptJson(parts.scrubber)}</script>
${[glance, ...tables].map(embeddedCsv)}<script>${raw(parts.program)}</script>
</body>
</html>
`;
  return document.text;
}

function header({ results, recordings }: DocumentParts): Html {
  const suites = evidenceOf(results.c, recordings);
  const models = [...new Set(suites.flatMap((suite) => suite.models))];
  const streams = suites.reduce((sum, suite) => sum + suite.streams, 0);
  return html`<header class="top">
<p class="eyebrow">${results.c.program}: a reproducible evaluation of streaming tool-call protocols</p>
<h1>When is a streamed tool call safe to execute?</h1>
<p class="lead">An agent’s model writes its tool calls a few bytes at a time. A runtime may run a call before the answer ends, and must never run one that is not yet whole. Here five protocols are replayed byte by byte
over ${streams} streams, and judged at every prefix.</p>
<section class="limits" id="evidence" aria-labelledby="evidence-title"><h2 id="evidence-title">Limits of the evidence</h2><ul>
${suites.map(suiteLine)}
<li>${models.length === 1 ? 'One model' : `${models.length} models`} wrote the answers: ${models.join(', ')}. Answers of one run share a context, so they are not independent.</li>
<li><em>Enveloped</em>: the text is the model’s; the SSE envelope and the chunking were made here, seeded. Nothing here measures a provider.</li>
<li>The checks say what holds at every prefix of these streams and of the drawn continuations. They are no proof about all streams.</li>
</ul></section>
</header>`;
}

function suiteLine({ suite, streams, sources, models }: SuiteEvidence): Html {
  const by = models.length === 0 ? '' : `, by ${models.join(', ')}`;
  return html`<li><strong>${suite}</strong>: ${streams} streams, ${sources.join(' and ')}${by}.</li>
`;
}

function figures(results: Results, names: readonly string[]): readonly Html[] {
  const known = names.flatMap((name) => results.charts.find((chart) => chart.name === name) ?? []);
  const others = results.charts.filter(({ name }) => !names.includes(name));
  return [...known, ...others].map((chart) => chartFigure(results.letter, chart));
}

function safety(c: Results, glance: PageTable): Html {
  const rows = csvRows(glance.csv);
  const unsound = rows.filter(({ S1, S2 }) => S1 !== 'holds' || S2 !== 'holds').map(({ protocol }) => protocol ?? '');
  const errors = csvRows(tableOf(c, 'errors.csv').csv).filter(({ suite }) => suite === 'replies');
  const lost = (parser: string): number =>
    errors.filter((row) => row['parser'] === parser).reduce((sum, { count }) => sum + Number(count), 0);
  return html`<section id="safety" aria-labelledby="safety-title"><h2 id="safety-title">C: is it safe?</h2>
<p>Four things are asked at every byte prefix: an incomplete call is never executable (S1), what was executed never changes (S2), the number of executable calls never falls (S3), and pending bytes stay within the promised bound (K).
${unsound.length === 0 ? 'Every protocol holds.' : `Not sound: ${unsound.join(', ')}.`} Safe is not the same as delivered: of the model’s answers, ${lost('ctl')} in <code>ctl</code> end in a contract error, ${lost('ctl-heredoc')} in
<code>ctl-heredoc</code>, ${lost('xml')} in <code>xml</code>, ${lost('json-whole')} in native JSON.</p>
${openTable(glance)}
${figures(c, ['verdict-grid', 'pending-by-argument', 'pending-along', 'salvage-by-cut', 'error-kinds'])}
<p class="quiet">The rows behind the chart of pending along one task are in <code>${LEFT_OUT[0] ?? ''}</code>; they are too many for this page.</p>
</section>`;
}

function lengths(d: Results, tables: readonly PageTable[]): Html {
  const separator = csvRows(tableOf(d, 'separator.csv').csv);
  const calls = separator.find((row) => row['separator'] === 'optional' && row['of'] === 'calls');
  const coverage = csvRows(tableOf(d, 'coverage.csv').csv).filter(({ in_figures }) => in_figures === 'yes');
  const sum = (column: string): number => coverage.reduce((total, row) => total + Number(row[column]), 0);
  const effect =
    calls === undefined
      ? ''
      : `Of ${calls['n']} calls, ${calls['as_meant']} ran as meant, ${calls['altered']} altered (95 % interval of the share: ${percent(calls['altered_low'])} to ${percent(calls['altered_high'])}), ${calls['lost']} were lost.`;
  return html`<section id="lengths" aria-labelledby="lengths-title"><h2 id="lengths-title">D: are declared lengths right?</h2>
<p><code>ctl</code> asks a model to say how long a value is before it writes it. What was meant is found without trusting the number: by the shortest reading of the message that leaves nothing but blanks outside frames. ${sum('decided')} lengths in
${sum('complete')} answers are decided, ${sum('ambiguous')} are ambiguous and ${sum('unrecoverable')} unrecoverable, and left out. ${effect}</p>
${shownTables(tables, ['results/d/summary.csv'])}
${figures(d, ['declared-against-meant', 'relative-error', 'exact-share', 'what-was-counted'])}
${shownTables(tables, ['results/d/separator.csv', 'results/d/hypotheses.csv', 'results/d/sensitivity.csv'])}
</section>`;
}

function percent(share: string | undefined): string {
  return `${(Number(share) * 100).toFixed(1)} %`;
}

function eager(e: Results, tables: readonly PageTable[]): Html {
  return html`<section id="eager" aria-labelledby="eager-title"><h2 id="eager-title">E: what does eager execution buy?</h2>
<p>The same answers, run in virtual time by the rules of each protocol. Paces and tool times are seeded, not measured: a first token after 0.3 to 0.9 s, 30 to 90 tokens a second. And the other side: what parsers that are wrong on
purpose would have run on the same streams.</p>
${figures(e, ['one-answer', 'time-saved', 'wrong-calls'])}
${shownTables(tables, ['results/e/gain.csv', 'results/e/harm.csv'])}
</section>`;
}

function shownTables(tables: readonly PageTable[], paths: readonly string[]): readonly Html[] {
  return tables.filter(({ path }) => paths.includes(path)).map(openTable);
}

const SHOWN_ABOVE: readonly string[] = [
  'results/d/summary.csv',
  'results/d/separator.csv',
  'results/d/hypotheses.csv',
  'results/d/sensitivity.csv',
  'results/e/gain.csv',
  'results/e/harm.csv',
];

function scrubber(): Html {
  return html`<section id="scrubber" aria-labelledby="scrubber-title"><h2 id="scrubber-title">The byte scrubber</h2>
<p>Pick a task and move the cursor over its bytes: what has come, what is confirmed, what is pending, which calls could run, and what would be lost if the stream were cut there. All five protocols are cut at the same share of their streams.
Nothing is parsed here: the parsers’ own states at every prefix are shown.</p>
<div id="scrubber-root"><p>The scrubber needs script.</p></div>
<p class="source">Made by <code>npm run report</code> from the suites <code>replies</code> and <code>reframed</code>.</p>
</section>`;
}

function allTables(tables: readonly PageTable[]): Html {
  const folded = tables.filter(({ path }) => !SHOWN_ABOVE.includes(path));
  const of = (letter: Letter): readonly Html[] =>
    folded.filter(({ path }) => letterOf(path) === letter).map(foldedTable);
  return html`<section id="tables" aria-labelledby="tables-title"><h2 id="tables-title">All tables</h2>
<p>Each is the CSV file of the repository, byte for byte; sort by its headers, filter, download.</p>
<h3>Experiment C</h3>${of('c')}
<h3>Experiment D</h3>${of('d')}
<h3>Experiment E</h3>${of('e')}
</section>`;
}

function ownRecordings(): Html {
  return html`<section id="own" aria-labelledby="own-title"><h2 id="own-title">Your own recordings</h2>
<p>Any folder of <code>.sse</code> files will do, with or without a manifest:</p>
<pre><code>npm run -s cst -- check my/streams
npm run exp:c -- --recordings my/streams --out out/c
npm run exp:d -- --recordings my/streams --out out/d
npm run exp:e -- --recordings my/streams --out out/e</code></pre>
<p>In CI: <code>docs/ci.md</code>. From a program: <code>docs/api.md</code>.</p>
</section>`;
}

/** The page itself: what is said, and in which order. Every number in the prose is taken from the results. */
import type { Recording } from '../../harness/replay/recording.ts';
import { LEFT_OUT, letterOf, pageTables } from './catalogue.ts';
import { pageChart } from './charts.ts';
import { evidenceOf, type SuiteEvidence } from './evidence.ts';
import { findingsOfC, shortOfC, tablesOfC } from './findings-c.ts';
import { findingsOfD, SHOWN_OF_D, shortOfD } from './findings-d.ts';
import { findingsOfE, SHOWN_OF_E, shortOfE } from './findings-e.ts';
import { findingsOfPeers } from './findings-peers.ts';
import { type Html, html, raw, scriptJson } from './html.ts';
import { evidenceTable, limits } from './limits.ts';
import { GLOSSARY, METHOD } from './method.ts';
import type { Letter, Results } from './results.ts';
import type { ScrubberData } from './scrubber-types.ts';
import { embeddedCsv, foldedTable, type PageTable } from './tables.ts';

export interface DocumentParts {
  readonly results: { readonly [letter in Letter]: Results };
  readonly recordings: readonly Recording[];
  readonly scrubber: ScrubberData;
  /** The bundled program and style sheet, and the policy that lets exactly these in. */
  readonly program: string;
  readonly css: string;
  readonly policy: string;
  /** Licences of what is bundled with the program. */
  readonly licences: string;
}

const TITLE = 'When is a streamed tool call safe to execute?';
const CONTENTS: readonly (readonly [id: string, title: string])[] = [
  ['short', 'In short'],
  ['evidence', 'Limits of the evidence'],
  ['safety', 'C: is it safe?'],
  ['peers', 'Peers'],
  ['lengths', 'D: are lengths right?'],
  ['eager', 'E: what does it buy?'],
  ['scrubber', 'The byte scrubber'],
  ['tables', 'All tables'],
  ['method', 'Method and terms'],
  ['own', 'Your own recordings'],
];

/** Throws `InputError` where the results are about other recordings than these. */
export function reportDocument(parts: DocumentParts): string {
  const { c, peers, d, e } = parts.results;
  const [suites = []] = [c, peers, d, e].map((results) => evidenceOf(results, parts.recordings));
  const tables = pageTables([c, peers, d, e]);
  const ofC = tablesOfC(c);
  const embedded = [evidenceTable(suites), ofC.glance, ofC.salvage, ofC.errorKinds, ...tables];
  const charts = [c, peers, d, e].flatMap((results) => results.charts.map(pageChart));
  const document = html`<!doctype html>
<html lang="en">
${head(parts)}
<body>
<a class="skip" href="#main">Skip to the text</a>
<button type="button" id="theme-switch" aria-label="Switch between light and dark" hidden>Dark</button>
<div class="page">
<nav class="contents" aria-label="Contents"><ol>${CONTENTS.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ol></nav>
<main id="main">
${opening(parts, suites)}
${findingsOfC(c, ofC, LEFT_OUT)}
${findingsOfPeers(peers)}
${findingsOfD(d, tables)}
${findingsOfE(e, tables)}
${scrubber()}
${allTables(tables)}
<section id="method" aria-labelledby="method-title"><h2 id="method-title">Method and terms</h2>${METHOD}${GLOSSARY}</section>
${ownRecordings()}
</main>
<footer><details class="fold"><summary>Software in this page</summary><pre class="licences">${parts.licences}</pre></details></footer>
</div>
<script type="application/json" id="chart-data">${scriptJson(charts)}</script>
<script type="application/json" id="scrubber-data">${scriptJson(parts.scrubber)}</script>
${embedded.map(embeddedCsv)}<script>${raw(parts.program)}</script>
</body>
</html>
`;
  return document.text;
}

function head({ policy, css, results }: DocumentParts): Html {
  return html`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="${results.c.program}">
<link rel="icon" href="data:,">
<title>${TITLE}</title>
<style>${raw(css)}</style>
</head>`;
}

function opening({ results: { c, d, e } }: DocumentParts, suites: readonly SuiteEvidence[]): Html {
  const streams = suites.reduce((sum, suite) => sum + suite.streams, 0);
  return html`<header class="top">
<p class="eyebrow">${c.program}: a reproducible evaluation of streaming tool-call protocols</p>
<h1>${TITLE}</h1>
<p class="lead">A model writes its tool calls a few bytes at a time. A runtime may run a call before the answer ends, but must never run one that is not yet whole. Here five protocols, and six dialects that model servers read, are replayed byte by byte
over ${streams} streams, and judged at every prefix.</p>
</header>
<section class="first" id="short" aria-labelledby="short-title"><h2 id="short-title">In short</h2>
<ul class="findings"><li>${shortOfC(c)}</li><li>${shortOfD(d)}</li><li>${shortOfE(e)}</li></ul>
<p class="quiet">In brackets: 95 % intervals.</p>
</section>
${limits(suites, d)}`;
}

function scrubber(): Html {
  return html`<section id="scrubber" aria-labelledby="scrubber-title"><h2 id="scrubber-title">The byte scrubber</h2>
<p>Pick a task and move the cursor over its bytes: what has come, what is confirmed, what is pending, which calls could run, and what would be lost if the stream were cut there. The five protocols of the specification are cut at the same share of their streams.
Nothing is parsed here: the parsers’ own states at every prefix are shown.</p>
<div id="scrubber-root"><p>The scrubber needs script.</p></div>
<p class="source">Made by <code>npm run report</code> from the suites <code>replies</code> and <code>reframed</code>.</p>
</section>`;
}

const SHOWN_ABOVE: readonly string[] = [...SHOWN_OF_D, ...SHOWN_OF_E];

function allTables(tables: readonly PageTable[]): Html {
  const folded = tables.filter(({ path }) => !SHOWN_ABOVE.includes(path));
  const of = (letter: Letter): readonly Html[] =>
    folded.filter(({ path }) => letterOf(path) === letter).map(foldedTable);
  return html`<section id="tables" aria-labelledby="tables-title"><h2 id="tables-title">All tables</h2>
<p>Each is the CSV file of the repository, byte for byte; sort by its headers, filter, download. Those that are shown above are not repeated.</p>
<h3>Experiment C</h3>${of('c')}
<h3>Peers</h3>${of('peers')}
<h3>Experiment D</h3>${of('d')}
<h3>Experiment E</h3>${of('e')}
</section>`;
}

function ownRecordings(): Html {
  return html`<section id="own" aria-labelledby="own-title"><h2 id="own-title">Your own recordings</h2>
<p>Any folder of <code>.sse</code> files will do, with or without a manifest:</p>
<pre tabindex="0" role="region" aria-label="Commands"><code>npm run -s cst -- check my/streams
npm run exp:c -- --recordings my/streams --out out/c
npm run exp:d -- --recordings my/streams --out out/d
npm run exp:e -- --recordings my/streams --out out/e</code></pre>
<p>In CI: <code>docs/ci.md</code>. From a program: <code>docs/api.md</code>.</p>
</section>`;
}

/** Experiment C in the page: is what each protocol executes safe at every prefix? */
import { bytesText, plural, thousands } from '../../harness/cli/glyphs.ts';
import {
  errorKindsCsv,
  type Glance,
  glance,
  glanceCsv,
  isContent,
  PROPERTIES,
  safetyRows,
  salvageCsv,
  sum,
} from './derived-tables.ts';
import { distinct } from './evidence.ts';
import { briefSource, codes, figures, listed, source } from './figures.ts';
import { type Html, html } from './html.ts';
import { type Results, rowsOf } from './results.ts';
import { openTable, type PageTable } from './tables.ts';

const COMMAND = 'npm run exp:c';
const ANSWERS = 'replies';

/** The small tables that are made here. */
export interface CTables {
  readonly glance: PageTable;
  readonly errorKinds: PageTable;
  readonly salvage: PageTable;
}

export function tablesOfC(c: Results): CTables {
  return {
    glance: {
      path: 'c-at-a-glance',
      csv: glanceCsv(glance(c)),
      title: 'Protocols and dialects',
      about:
        'S1, S2, S3 and K over all suites, at both levels; in brackets, the streams on which one is violated. Calls and pending bytes are of the content level.',
      command: COMMAND,
      from: ['results/c/safety.csv', 'results/c/pending.csv'],
    },
    errorKinds: {
      path: 'c-error-kinds',
      csv: errorKindsCsv(c),
      title: 'Contract errors by suite and kind',
      about:
        'Streams that end in an error of the kind, by protocol. Crafted streams are made to; kinds that did not occur in a suite are left out.',
      command: COMMAND,
      from: ['results/c/errors.csv'],
    },
    salvage: {
      path: 'c-mean-salvage',
      csv: salvageCsv(c),
      title: 'Mean salvage by cut point',
      about:
        'Share of the complete calls that had run when the stream was cut; the same calls in every framing. Streams without a complete call at a cut are left out of its mean.',
      command: COMMAND,
      from: ['results/c/salvage.csv'],
    },
  };
}

/** What C found, in a few sentences. */
export function shortOfC(c: Results): Html {
  const rows = glance(c);
  const sound = rows.filter((row) => unsafeStreams(row).length === 0);
  const [bounded, unbounded] = [sound.filter(isBounded), sound.filter((row) => !isBounded(row))];
  const bad = rows.filter((row) => unsafeStreams(row).length > 0);
  const suites = distinct(safetyRows(c).map(({ suite }) => suite));
  return html`<a href="#safety">Is it safe?</a> On the suites ${codes(suites)}, ${codes(sound.map(({ protocol }) => protocol))} keep S1, S2 and S3 at every prefix of every stream.
${bad.map((row) => html`<strong><code>${row.protocol}</code> does not</strong>, on ${plural(unsafeStreams(row).length, 'stream')} of ${thousands(row.streams)}. `)}
Of those that do, ${codes(bounded.map(({ protocol }) => protocol))} never hold more than ${most(bounded)} back; ${codes(unbounded.map(({ protocol }) => protocol))} up to ${most(unbounded)}. ${briefSource('c', ['safety.csv', 'pending.csv'])}`;
}

/** Streams on which S1, S2 or S3 is violated. */
function unsafeStreams({ violations: { s1, s2, s3 } }: Glance): string[] {
  return distinct([s1, s2, s3].flatMap((streams) => streams ?? []));
}

function isBounded({ violations }: Glance): boolean {
  return violations.k?.length === 0;
}

function most(rows: readonly Glance[]): string {
  return bytesText(Math.max(0, ...rows.map(({ mostPending }) => mostPending)));
}

/** @param leftOut tables that are not in the page. */
export function findingsOfC(c: Results, tables: CTables, leftOut: readonly string[]): Html {
  return html`<section id="safety" aria-labelledby="safety-title"><h2 id="safety-title">C: is it safe?</h2>
<p>Four things are asked at every byte prefix of every stream:</p>
<dl class="terms"><dt>S1</dt><dd>an incomplete call is never executable;</dd><dt>S2</dt><dd>what was executed stays as it was: id, name, key order, every byte of a value;</dd>
<dt>S3</dt><dd>the number of executable calls never falls;</dd><dt>K</dt><dd>pending bytes (delivered, not yet confirmed) stay within the bound that is promised, if one is.</dd></dl>
${openTable(tables.glance)}
${glance(c).flatMap((row) => unsoundness(c, row))}
${delivery(c)}
${figures(c, [
  {
    chart: 'verdict-grid',
    note: 'Beside the four: splits (the same bytes in other chunks), continuations and reopening (what a provider may still send, drawn), and whether the oracle reads the whole stream in the same way.',
  },
  {
    chart: 'pending-by-argument',
    note: 'Counted and delimited values are confirmed as they arrive, so what is held back is at most a line. JSON and xml hold back the whole argument.',
  },
  { chart: 'pending-along', note: `The rows behind this chart are in ${listed(leftOut)}: too many for this page.` },
  {
    chart: 'salvage-by-cut',
    note: 'A runtime that waits for the end of the answer has run nothing when the stream is cut; one that runs calls as they close has run each complete one.',
    after: openTable(tables.salvage),
  },
  {
    chart: 'error-kinds',
    note: 'A contract error is a stream that leaves the language of its protocol. Calls that had run stand; the rest of the message is lost.',
    after: openTable(tables.errorKinds),
  },
])}
</section>`;
}

/** Where a protocol is not sound, on which streams, and whether that is known. */
function unsoundness(c: Results, row: Glance): Html[] {
  const streams = unsafeStreams(row);
  if (streams.length === 0) return [];
  const own = safetyRows(c).filter(({ parser }) => parser === row.protocol);
  const reopened = own.filter(({ reopening }) => reopening === 'violated').length;
  const counts = PROPERTIES.flatMap((property) => {
    const found = row.violations[property]?.length ?? 0;
    return found === 0 ? [] : [`${property.toUpperCase()} on ${plural(found, 'stream')}`];
  });
  const known = own.every(({ verdict }) => verdict !== 'violated')
    ? html`All of this is listed as expected, with the reasons, in <code>experiments/expected-findings.json</code>.`
    : html`Not all of this is expected: the run has failed.`;
  return [
    html`<p><code>${row.protocol}</code> is <strong>not sound</strong>. It violates ${listed(counts)}: ${codes(streams)}. And on ${thousands(reopened)} of ${thousands(row.streams)} streams there is a continuation in which the provider comes back to a
closed call, and so takes back what has run (column <code>reopening</code>). ${known}</p>${source('c', ['safety.csv'])}`,
  ];
}

/** Safe is not the same as delivered. */
function delivery(c: Results): Html {
  const errors = rowsOf(c, 'errors.csv', ['suite', 'parser', 'count']).filter(({ suite }) => suite === ANSWERS);
  const read = safetyRows(c).filter((row) => row.suite === ANSWERS && isContent(row));
  const counts = glance(c).map(({ protocol }) => {
    const failed = sum(
      errors.filter(({ parser }) => parser === protocol),
      'count',
    );
    return html`${failed} of ${read.filter(({ parser }) => parser === protocol).length} read as <code>${protocol}</code>`;
  });
  return html`<p>Safe is not the same as delivered. Of the model’s answers (suite <code>${ANSWERS}</code>), these end in a contract error: ${counts.map((count, i) => html`${i === 0 ? '' : ', '}${count}`)}.</p>
${source('c', ['errors.csv', 'safety.csv'])}`;
}

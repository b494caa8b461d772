/** What a reader needs to know of the method, and the words. */
import { type Html, html } from './html.ts';

export const METHOD: Html = html`
<p>A recording is the exact bytes of one streamed answer. It is fed to each parser one byte at a time at two levels: the <em>wire</em> (cuts fall inside JSON envelopes, UTF-8 sequences, CR LF pairs) and the <em>content</em> (every text or argument byte
alone, so that every re-chunking is a walk over these prefixes). A second, whole-buffer implementation of each framing, the oracle, says what the calls are; it shares no parsing code with the parsers. Parsers that are wrong on purpose, the controls,
run beside the real ones: a run in which one of them passes is a failed run.</p>
<p>Shares carry Wilson’s 95 % interval. Means carry a percentile bootstrap interval with whole answers drawn, seeded. The same recordings and options give the same bytes in every file, on any machine.</p>`;

const TERMS: readonly (readonly [term: string, meaning: string])[] = [
  ['S1', 'An incomplete call is never executable.'],
  ['S2', 'What was executed stays as it was: id, name, key order, every byte of a value.'],
  ['S3', 'The number of executable calls never falls.'],
  ['K', 'The bound of the pending bytes, where a protocol promises one: L_line, 4096 bytes.'],
  ['Pending', 'Content bytes that have been delivered and are not confirmed.'],
  ['Executable', 'A call that a runtime would run, irrevocably.'],
  ['Lag', 'Content bytes between the end of a call and the prefix that makes it executable.'],
  ['Salvage', 'Complete calls that had run when a stream is cut, of those that were complete.'],
  ['Oracle', 'The second implementation that judges the parsers.'],
  ['Control', 'A parser that is wrong on purpose, to show that the checks bite.'],
  ['Contract error', 'The stream leaves the language of its protocol; calls that stood before it stand.'],
  [
    'Suite',
    'Streams that came about in one way: replies (a model’s answers), reframed (the same calls in every framing), crafted (the smallest stream for every rule and fault).',
  ],
];

export const GLOSSARY: Html = html`<dl class="terms">${TERMS.map(([term, meaning]) => html`<dt>${term}</dt><dd>${meaning}</dd>`)}</dl>`;

/** Titles of the tables, in the order in which the page shows them; what is not listed comes last, under its file name. */

import { LETTERS, type Letter, type Results } from './results.ts';
import type { PageTable } from './tables.ts';

const KNOWN: { readonly [path: string]: readonly [title: string, about: string] } = {
  'results/c/safety.csv': [
    'Safety, stream by stream',
    'One recording read by one parser at one level: prefixes looked at, violations of S1, S2, S3 and K, the first of them.',
  ],
  'results/c/pending.csv': [
    'Pending, stream by stream',
    'Most, mean and 95th percentile of the pending bytes over all prefixes, and the bound where one is promised.',
  ],
  'results/c/errors.csv': [
    'Contract errors by kind',
    'Streams of a suite that a parser ended in an error of a kind; zeros are shown.',
  ],
  'results/c/error-cases.csv': [
    'Contract errors, one by one',
    'Where each stream left the language, and what a model would be told.',
  ],
  'results/c/salvage.csv': [
    'Salvage, stream by stream',
    'Calls that had run, of the complete ones, when the stream was cut at a share of its content.',
  ],
  'results/c/lag.csv': [
    'Lag, call by call',
    'Content bytes between the end of a call and the prefix that made it executable; 0 is perfect.',
  ],
  'results/c/mismatches.csv': ['Not run', 'Recordings that a parser was not given, as it does not read their framing.'],
  'results/peers/peers.csv': [
    'Policies by suite',
    'What would have run if a call ran when the library’s answer is so: calls run before their end or in other form, calls lost, streams harmed.',
  ],
  'results/peers/cases.csv': ['Policies, stream by stream', 'Only streams on which there is something to tell.'],
  'results/d/summary.csv': [
    'Declared lengths by size',
    'Exact lengths with Wilson’s 95 % interval, the size of the errors, and the calls that were lost; means with a bootstrap interval, whole answers drawn.',
  ],
  'results/d/separator.csv': [
    'The separator question',
    'What a mandatory LF after each body would have changed: arguments and calls as meant, altered and lost under both rules.',
  ],
  'results/d/hypotheses.csv': [
    'What was counted',
    'Wrong lengths that fit a count exactly, beside the number that chance would give.',
  ],
  'results/d/sensitivity.csv': [
    'Other rules for what was meant',
    'The same arguments under the specified rule, with the shortest reading taken where it is ambiguous, and under the naive rule.',
  ],
  'results/d/regression.csv': [
    'Regression of the logarithms',
    'log10 of the declared length on log10 of the meant one; 1 and 0 would be right on the average.',
  ],
  'results/d/digits.csv': ['Last digits of wrong lengths', 'Beside the last digits of what was meant.'],
  'results/d/coverage.csv': [
    'What the figures are about',
    'Recordings and arguments that are counted, and those that are left out.',
  ],
  'results/d/altered.csv': [
    'Altered calls, one by one',
    'Calls that ran with another value than was meant, or that nobody meant: the dangerous outcome.',
  ],
  'results/d/miscount.csv': [
    'Every declared length',
    'One length-prefixed argument: declared, meant, the counts of its value, what became of it.',
  ],
  'results/d/counterfactual.csv': [
    'Every call, counted and delimited',
    'What became of a call, under both separator rules, and as a heredoc frame.',
  ],
  'results/e/gain.csv': [
    'Time saved',
    'Each protocol against native-eos on the same tasks, by number of calls and by how long tools take.',
  ],
  'results/e/harm.csv': [
    'What unsafe triggers would have run',
    'Wrong calls of parsers that run a call too early, on the same streams.',
  ],
  'results/e/timing.csv': [
    'Times, answer by answer',
    'When the first call starts, when the last result is there, in ms of virtual time.',
  ],
  'results/e/calls.csv': ['Times, call by call', 'When each call starts and ends, in ms of virtual time.'],
  'results/e/harm-cases.csv': [
    'Wrong calls, one by one',
    'What a control ran, and how it differs from the call of the answer.',
  ],
};

/** Left out of the page: it is drawn in a chart, and would be long. */
export const LEFT_OUT: readonly string[] = ['results/c/along.csv'];

export function pageTables(all: readonly Results[]): PageTable[] {
  const order = Object.keys(KNOWN);
  const rank = (path: string): number => (order.includes(path) ? order.indexOf(path) : order.length);
  const tables = all.flatMap(({ letter, tables: own }) =>
    own
      .filter(({ path }) => !LEFT_OUT.includes(path))
      .map(({ path, csv }): PageTable => {
        const [title, about] = KNOWN[path] ?? [path, ''];
        return { path, csv, title, about, command: `npm run exp:${letter}` };
      }),
  );
  return tables.toSorted((a, b) => rank(a.path) - rank(b.path));
}

export function letterOf(path: string): Letter | undefined {
  return LETTERS.find((letter) => path.startsWith(`results/${letter}/`));
}

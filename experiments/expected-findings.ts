/**
 * Findings that are properties of a *protocol* and no bug of a parser are listed by name, with the reason, in
 * `expected-findings.json`. A recording's name there is `suite/file`.
 */
import { readFileSync } from 'node:fs';
import * as lists from '../harness/properties/expected-findings.ts';
import type { Finding } from './c-recording.ts';

export type { ExpectedFinding } from '../harness/properties/expected-findings.ts';

const FILE = 'expected-findings.json';

export function readExpectedFindings(): readonly lists.ExpectedFinding[] {
  return lists.parseExpectedFindings(readFileSync(new URL(FILE, import.meta.url), 'utf8'), `experiments/${FILE}`);
}

/** The entry that a finding of a protocol's parser is listed under, or null. */
export function expectedUnder(finding: Finding, list: readonly lists.ExpectedFinding[]): lists.ExpectedFinding | null {
  return lists.expectedUnder(nameOf(finding), list);
}

/**
 * What is listed and has not appeared, as sentences.
 * @param ran `suite/file` of every recording of the run; `whole` if these are all the shipped suites.
 */
export function vanished(
  findings: readonly Finding[],
  list: readonly lists.ExpectedFinding[],
  { ran, whole }: { readonly ran: ReadonlySet<string>; readonly whole: boolean },
): readonly string[] {
  return lists.vanished(findings.map(nameOf), list, { asked: ({ recording }) => whole || ran.has(recording), whole });
}

function nameOf({ parser, property, suite, recording }: Finding): lists.FindingName {
  return { parser, property, recording: `${suite}/${recording}` };
}

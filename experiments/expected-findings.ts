/**
 * Findings that are properties of a *protocol* and no bug of a parser are listed by name, with the reason, in
 * `expected-findings.json`. An unlisted finding fails a run; so does a listed one that no longer appears.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { PROTOCOLS } from '../harness/parsers/protocols.ts';
import { PROPERTIES } from '../harness/properties/verdict.ts';
import type { Finding } from './c-recording.ts';

const listed = z.strictObject({
  id: z.string().min(1),
  parser: z.enum(PROTOCOLS),
  properties: z.array(z.enum(PROPERTIES)).min(1),
  /** `suite/file` of each recording, or `*`: any recording. */
  recordings: z.union([z.literal('*'), z.array(z.string()).min(1)]),
  reason: z.string().min(1),
});
const fileSchema = z.array(listed);
export type ExpectedFinding = z.infer<typeof listed>;

export function readExpectedFindings(): readonly ExpectedFinding[] {
  return fileSchema.parse(JSON.parse(readFileSync(new URL('./expected-findings.json', import.meta.url), 'utf8')));
}

/** The entry that a finding of a protocol's parser is listed under, or null. */
export function expectedUnder(finding: Finding, list: readonly ExpectedFinding[]): ExpectedFinding | null {
  const name = `${finding.suite}/${finding.recording}`;
  const found = list.find(
    ({ parser, properties, recordings }) =>
      parser === finding.parser &&
      properties.includes(finding.property) &&
      (recordings === '*' || recordings.includes(name)),
  );
  return found ?? null;
}

/**
 * What is listed and has not appeared, as sentences.
 * @param ran `suite/file` of every recording of the run; `whole` if these are all the shipped suites.
 */
export function vanished(
  findings: readonly Finding[],
  list: readonly ExpectedFinding[],
  run: { readonly ran: ReadonlySet<string>; readonly whole: boolean },
): readonly string[] {
  const seen = new Set(findings.map((f) => `${f.parser} ${f.property} ${f.suite}/${f.recording}`));
  const seenAnywhere = new Set(findings.map((f) => `${f.parser} ${f.property}`));
  return list.flatMap(({ id, parser, properties, recordings }) =>
    properties.flatMap((property) => {
      if (recordings === '*') {
        const missing = run.whole && !seenAnywhere.has(`${parser} ${property}`);
        return missing ? [`${id}: ${parser} violates ${property} nowhere any more`] : [];
      }
      return recordings
        .filter((name) => (run.ran.has(name) || run.whole) && !seen.has(`${parser} ${property} ${name}`))
        .map((name) => `${id}: ${parser} no longer violates ${property} on ${name}`);
    }),
  );
}

/**
 * Findings that are accepted are listed by name, each with the reason. An unlisted finding fails a run; so does a listed
 * one that no longer appears.
 */
import * as z from 'zod';
import { PROTOCOLS, type Protocol } from '../parsers/protocols.ts';
import { RecordingError } from '../replay/recording-error.ts';
import { PROPERTIES, type Property } from './verdict.ts';

const listed = z.strictObject({
  /** Names the entry in messages. */
  id: z.string().min(1).exactOptional(),
  parser: z.enum(PROTOCOLS),
  properties: z.array(z.enum(PROPERTIES)).min(1).readonly(),
  /** Names of recordings, or `*`: any recording. */
  recordings: z.union([z.literal('*'), z.array(z.string().min(1)).min(1).readonly()]),
  reason: z.string().min(1),
});
const list = z.array(listed).readonly();
export type ExpectedFinding = z.infer<typeof listed>;

/** A parser that violates a property on a recording. */
export interface FindingName {
  readonly parser: string;
  readonly property: Property;
  /** Its name as lists have it: what that is, the user of the list decides. */
  readonly recording: string;
}

/** Which findings a run could have made. */
export interface FindingRun {
  /** The property was asked of the parser on the recording. */
  readonly asked: (finding: FindingName) => boolean;
  /** The run was of all recordings that the list is about: only then can an entry for any recording (`*`) be gone. */
  readonly whole: boolean;
}

/** Reads the JSON text of a list; `file` is named in the message of the `RecordingError` if it is none. */
export function parseExpectedFindings(text: string, file: string): readonly ExpectedFinding[] {
  const advice = 'An entry is {"parser", "properties": […], "recordings": […] or "*", "reason"}, and "id" if you like';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const what = `not JSON (${error instanceof Error ? error.message : String(error)})`;
    throw new RecordingError({ file, what, advice });
  }
  const result = list.safeParse(json);
  if (result.success) return result.data;
  const { path = [], message = 'no list of expected findings' } = result.error.issues[0] ?? {};
  throw new RecordingError({ file, field: z.core.toDotPath(path) || undefined, what: message, advice });
}

/** The entry that a finding is listed under, or null. */
export function expectedUnder(finding: FindingName, list: readonly ExpectedFinding[]): ExpectedFinding | null {
  const found = list.find(
    ({ parser, properties, recordings }) =>
      parser === finding.parser &&
      properties.includes(finding.property) &&
      (recordings === '*' || recordings.includes(finding.recording)),
  );
  return found ?? null;
}

/** What is listed and has not appeared, as sentences. */
export function vanished(
  findings: readonly FindingName[],
  list: readonly ExpectedFinding[],
  run: FindingRun,
): readonly string[] {
  const seen = new Set(findings.map(keyOf));
  const seenAnywhere = new Set(findings.map(({ parser, property }) => `${parser} ${property}`));
  return list.flatMap(({ id, parser, properties, recordings }) =>
    properties.flatMap((property) => {
      const entry = id === undefined ? '' : `${id}: `;
      if (recordings === '*') {
        const missing = run.whole && !seenAnywhere.has(`${parser} ${property}`);
        return missing ? [`${entry}${parser} violates ${property} nowhere any more`] : [];
      }
      return recordings
        .map((recording) => ({ parser, property, recording }))
        .filter((finding) => run.asked(finding) && !seen.has(keyOf(finding)))
        .map(({ recording }) => `${entry}${parser} no longer violates ${property} on ${recording}`);
    }),
  );
}

/** A finding of a protocol's own parser, and what was found. */
export interface FoundFinding extends FindingName {
  readonly parser: Protocol;
  readonly what: string;
}

/** The list as a run would have it: entries and reasons stay as far as they still hold, and what is not listed is added. */
export function renewed(
  found: readonly FoundFinding[],
  list: readonly ExpectedFinding[],
  run: FindingRun,
): readonly ExpectedFinding[] {
  const added = new Map<string, FoundFinding[]>();
  for (const finding of found.filter((unlisted) => expectedUnder(unlisted, list) === null)) {
    const group = `${finding.parser} ${finding.recording}`;
    added.set(group, [...(added.get(group) ?? []), finding]);
  }
  return [...list.flatMap((entry) => stillValid(entry, found, run)), ...[...added.values()].map(newEntry)];
}

/** The text of a list. */
export function formatExpectedFindings(list: readonly ExpectedFinding[]): string {
  return `${JSON.stringify(list, null, 2)}\n`;
}

function newEntry(group: readonly FoundFinding[]): ExpectedFinding {
  const { parser, recording, what } = group[0]!;
  const properties = PROPERTIES.filter((property) => group.some((finding) => finding.property === property));
  return { parser, properties, recordings: [recording], reason: `not explained yet: ${what}` };
}

/** What is left of an entry: one for each set of properties that its recordings still violate. */
function stillValid(
  entry: ExpectedFinding,
  found: readonly FindingName[],
  run: FindingRun,
): readonly ExpectedFinding[] {
  const { parser, properties, recordings } = entry;
  const seen = new Set(found.map(keyOf));
  if (recordings === '*') {
    const left = properties.filter(
      (property) => !run.whole || found.some((finding) => finding.parser === parser && finding.property === property),
    );
    return left.length === 0 ? [] : [{ ...entry, properties: left }];
  }
  const groups = new Map<string, { properties: readonly Property[]; recordings: string[] }>();
  for (const recording of recordings) {
    const left = properties.filter((property) => {
      const finding = { parser, property, recording };
      return seen.has(keyOf(finding)) || !run.asked(finding);
    });
    const group = groups.get(left.join(' ')) ?? { properties: left, recordings: [] };
    groups.set(left.join(' '), { ...group, recordings: [...group.recordings, recording] });
  }
  return [...groups.values()].filter((group) => group.properties.length > 0).map((group) => ({ ...entry, ...group }));
}

function keyOf({ parser, property, recording }: FindingName): string {
  return `${parser} ${property} ${recording}`;
}

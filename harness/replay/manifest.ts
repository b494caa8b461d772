/** `manifest.json` of a suite (recordings.md): strict, so that a misspelt field is an error and not a silence. */
import * as z from 'zod';
import { CONTRACT_ERROR_KINDS } from '../parsers/contract-error.ts';
import type { JsonObject } from '../parsers/parser.ts';
import { PROTOCOLS } from '../parsers/protocols.ts';
import { WIRE_FORMATS } from '../stream/wire-format.ts';
import { FRAMINGS, READERS } from './recording.ts';
import { RecordingError } from './recording-error.ts';

export const MANIFEST_FILE = 'manifest.json';
export const STREAM_SUFFIX = '.sse';
export const TIMES_SUFFIX = '.times.csv';

/** The version of the manifest's form. */
export const MANIFEST_FORMAT = 1;

const count = z.int().nonnegative();
const words = z.string().min(1);
const suiteName = z.string().regex(/^[a-z0-9][a-z0-9._-]*$/i, 'expected letters, digits, ".", "_" and "-"');

/** A path with `/` that cannot leave its folder, on any system. */
const innerPath = z.string().refine(staysInside, 'the path must be relative, with "/", and stay inside its suite');

/** Taken as it is: a copy through a schema would lose a key such as `__proto__`. */
const jsonObject = z.custom<JsonObject>(isJsonObject, 'expected an object');

const expectedCall = z.strictObject({
  id: z.string().exactOptional(),
  name: words,
  args: jsonObject,
  argsText: z.string().exactOptional(),
});

const expectation = z.strictObject({
  protocol: z.enum(PROTOCOLS),
  end: z.enum(['complete', 'cut']),
  calls: z.array(expectedCall).readonly(),
  error: z
    .strictObject({
      kind: z.enum(CONTRACT_ERROR_KINDS),
      offset: count.exactOptional(),
      line: z.int().positive().exactOptional(),
    })
    .nullable(),
});

const limit = z.int().positive().exactOptional();

const limits = z.strictObject({
  eventLimit: limit,
  lineLimit: limit,
  argumentLimit: limit,
  argumentsPerCall: limit,
  callsPerMessage: limit,
});

/** Whether a field of a request is by its name one for headers or a key: there is no place for it in a manifest. */
export function isHeaderOrKey(field: string): boolean {
  return /^(headers?|authorization|(x-)?api[-_]?key|cookie)$/i.test(field);
}

/** What was asked. */
const parameters = jsonObject.refine(
  (value) => !Object.keys(value).some(isHeaderOrKey),
  'a request is kept without headers and keys',
);

const request = z.union([
  z.strictObject({ messages: z.array(jsonObject).readonly(), parameters }),
  z.strictObject({ system: z.array(innerPath).readonly(), tasks: innerPath, task: words, parameters }),
]);

const entry = z
  .strictObject({
    file: innerPath.refine((file) => file.endsWith(STREAM_SUFFIX), `a recording's name ends with ${STREAM_SUFFIX}`),
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits'),
    bytes: count,
    task: words,
    protocol: z.enum(FRAMINGS),
    wire: z.enum(WIRE_FORMATS),
    provider: words.nullable(),
    model: words.nullable(),
    recordedAt: z.iso.datetime({ offset: true }).nullable(),
    request: request.nullable(),
    source: z.enum(['recorded', 'enveloped', 'crafted']),
    run: words.exactOptional(),
    expect: z.array(expectation).readonly().exactOptional(),
    rule: words.exactOptional(),
    note: words.exactOptional(),
    origin: z.url().exactOptional(),
    limits: limits.exactOptional(),
    tools: z.array(jsonObject).readonly().exactOptional(),
  })
  .superRefine(checkEntry);

const manifest = z.strictObject({
  format: z.literal(MANIFEST_FORMAT),
  suite: suiteName,
  about: words,
  /** How chunks and ids were drawn, for enveloped suites. */
  seed: z.string().exactOptional(),
  tokenizer: z.string().exactOptional(),
  recordings: z.array(entry).readonly(),
});

export type Manifest = z.infer<typeof manifest>;
export type ManifestEntry = z.infer<typeof entry>;

/** A manifest that was read, or everything that is wrong with it. */
export type ManifestReading =
  | { readonly manifest: Manifest; readonly errors: readonly [] }
  | { readonly manifest: null; readonly errors: readonly RecordingError[] };

/** Reads the text of a manifest; `file` is only named in the messages. */
export function readManifest(text: string, file: string): ManifestReading {
  const json = parseJson(text, file);
  if (json instanceof RecordingError) return { manifest: null, errors: [json] };
  const result = manifest.safeParse(json);
  const errors = result.success ? entriesTwice(result.data, file) : result.error.issues.map(issueError(file));
  return result.success && errors.length === 0 ? { manifest: result.data, errors: [] } : { manifest: null, errors };
}

/** What is wrong with an entry that is about to be written, or null; `file` is only named in the message. */
export function entryFault(value: ManifestEntry, file: string): RecordingError | null {
  const result = entry.safeParse(value);
  const issue = result.error?.issues[0];
  return issue === undefined ? null : issueError(file)(issue);
}

/** The text of a manifest, one field a line, entries in order of their file names. */
export function formatManifest(value: Manifest): string {
  const recordings = [...value.recordings].sort((a, b) => compareNames(a.file, b.file));
  return `${JSON.stringify({ ...value, recordings }, null, 1)}\n`;
}

/** Code unit order: the same on every machine, whatever its locale. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The name of the file of arrival times that may stand beside a recording. */
export function timesFile(file: string): string {
  return `${file.slice(0, -STREAM_SUFFIX.length)}${TIMES_SUFFIX}`;
}

function checkEntry(value: ManifestEntry, context: z.RefinementCtx): void {
  const stem = `${value.task}.${value.protocol}`;
  const name = value.file.slice(value.file.lastIndexOf('/') + 1, -STREAM_SUFFIX.length);
  const rest = name.startsWith(stem) ? name.slice(stem.length) : 'another name';
  if (!/^(\.[1-9][0-9]*)?$/.test(rest)) {
    context.addIssue({ code: 'custom', path: ['file'], message: `expected the name ${stem}[.<n>]${STREAM_SUFFIX}` });
  }
  if (value.source === 'crafted' && (value.rule === undefined || (value.expect ?? []).length === 0)) {
    context.addIssue({ code: 'custom', path: ['expect'], message: 'a crafted stream has a rule and an expectation' });
  }
  const seen = new Set<string>();
  for (const [at, { protocol }] of (value.expect ?? []).entries()) {
    const reads = READERS[value.protocol].includes(protocol);
    if (reads && !seen.has(protocol)) seen.add(protocol);
    else {
      const message = reads ? `${protocol} stands twice` : `${protocol} does not read ${value.protocol}`;
      context.addIssue({ code: 'custom', path: ['expect', at, 'protocol'], message });
    }
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const what = `not JSON (${error instanceof Error ? error.message : String(error)})`;
    return new RecordingError({ file, what, advice: 'Restore the manifest, or remove it to read the folder as bare' });
  }
}

function entriesTwice(value: Manifest, file: string): readonly RecordingError[] {
  const errors: RecordingError[] = [];
  const seen = new Set<string>();
  for (const [at, recording] of value.recordings.entries()) {
    if (seen.has(recording.file)) {
      const what = `${recording.file} is listed twice`;
      errors.push(
        new RecordingError({ file, field: `recordings[${at}].file`, what, advice: 'Remove one of the two entries' }),
      );
    }
    seen.add(recording.file);
  }
  return errors;
}

function issueError(file: string): (issue: z.core.$ZodIssue) => RecordingError {
  const advice = 'Correct the field, or write the manifest again';
  return (issue) => new RecordingError({ file, field: issuePlace(issue), what: issueText(issue), advice });
}

function issuePlace(issue: z.core.$ZodIssue): string | undefined {
  const extra = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const place = [...issue.path, ...extra].reduce<string>(
    (sum, key) => (typeof key === 'number' ? `${sum}[${key}]` : `${sum}${sum === '' ? '' : '.'}${String(key)}`),
    '',
  );
  return place === '' ? undefined : place;
}

function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'unknown field';
  return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
}

function staysInside(path: string): boolean {
  if (path === '' || /[\\\0]|^[a-z]:/i.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** From the bytes of a file to the exchanges in it, whatever its format. */

import { beginsAsEventStream } from '../record/content-encoding.ts';
import { RecordingError } from '../replay/recording-error.ts';
import { isFields } from '../stream/json-fields.ts';
import { isAnswerDocument, readAnswerDocument, readChunkLines, readChunkLog } from './chunk-log.ts';
import { fileText, OLD_LINE_ENDS, parseJsonFile, parseYamlFile } from './document.ts';
import type { Found } from './exchange.ts';
import { type FormatName, type TreeFormat, UnknownFormat } from './format.ts';
import { har, polly } from './har.ts';
import { nock } from './nock.ts';
import { goVcr, rubyVcr, vcrpy } from './vcr.ts';

/** In order: an archive of Polly.JS is an HTTP archive too. */
const TREES: readonly TreeFormat[] = [rubyVcr, vcrpy, goVcr, polly, har, nock];

const YAML = /\.ya?ml$/i;
const CHUNKS = /\.chunks\.txt$/i;
const LINES = /\.(?:jsonl|ndjson)$/i;
const SCRIPT = /\.(?:[cm]?[jt]s)$/i;

/** Names of files that are looked at in a folder. */
export const IMPORTED_NAMES = /\.(?:ya?ml|json|har|jsonl|ndjson|chunks\.txt)$/i;

export interface FileExchanges {
  readonly format: FormatName;
  /** In a sentence: `a vcrpy cassette`. */
  readonly of: string;
  /** Read as they are asked for; what throws ends the file. */
  readonly found: Iterable<Found>;
}

/**
 * @param file named in the messages; its ending decides how it is read
 * @throws UnknownFormat for what is no file of another tool's; RecordingError for one that is broken
 */
export function readExchanges(bytes: Uint8Array, file: string, format: FormatName | 'auto'): FileExchanges {
  if (SCRIPT.test(file)) throw refusedScript(file);
  const text = fileText(bytes, file);
  if (format === 'jsonl' || (format === 'auto' && LINES.test(file))) return jsonl(readChunkLog(text, file));
  if (format === 'ai-sdk-chunks' || (format === 'auto' && CHUNKS.test(file))) {
    return { format: 'ai-sdk-chunks', of: "the AI SDK's chunks", found: readChunkLines(text, file) };
  }
  return readTree(text, file, format);
}

function readTree(text: string, file: string, format: FormatName | 'auto'): FileExchanges {
  const start = text.trimStart()[0];
  const isJson = start === '{' || start === '[';
  if (!isJson && format === 'auto' && !YAML.test(file)) throw notRecognised(text, file);
  const isYaml = !isJson || YAML.test(file);
  const values = isYaml ? parseYamlFile(text, file) : [parseJsonFile(text, file)];
  const value = values.find((one) => treeOf(one, format) !== undefined) ?? values[0];
  const tree = treeOf(value, format);
  if (tree !== undefined) {
    const found = values.length === 1 ? tree.read(value) : readDocuments(values, tree);
    const isUnsure = isYaml && OLD_LINE_ENDS.test(text);
    return { format: tree.name, of: tree.of, found: isUnsure ? withoutOldLineEnds(found) : found };
  }
  if (format === 'auto' && isJson && isAnswerDocument(value)) return jsonl(readAnswerDocument(text));
  if (format === 'auto') throw notRecognised(text, file, value);
  const of = TREES.find(({ name }) => name === format)?.of ?? format;
  throw new UnknownFormat({ file, what: `is not ${of}`, advice: 'Leave --format away, or see docs/import.md' });
}

function treeOf(value: unknown, format: FormatName | 'auto'): TreeFormat | undefined {
  return TREES.find(({ name, matches }) => (format === 'auto' || name === format) && matches(value));
}

/** Of a file of several documents all are read; an empty one is the end of a file that ends with `---`. */
function* readDocuments(values: readonly unknown[], tree: TreeFormat): Generator<Found> {
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const place = `document ${at + 1}`;
    if (!tree.matches(value)) yield { place, malformed: `is not ${tree.of}, as others of the file are` };
    else for (const found of tree.read(value)) yield { ...found, place: `${place}, ${found.place}` };
  }
}

function* withoutOldLineEnds(found: Iterable<Found>): Generator<Found> {
  const absent =
    'its text holds a line end of YAML 1.1 unescaped (U+0085, U+2028 or U+2029), so that its bytes are unknown';
  for (const one of found) {
    const bytes = 'body' in one && 'bytes' in one.body ? one.body.bytes : null;
    const isUnsure = bytes !== null && OLD_LINE_ENDS.test(Buffer.from(bytes).toString('utf8'));
    yield isUnsure && 'body' in one ? { ...one, body: { absent } } : one;
  }
}

function jsonl(found: Iterable<Found>): FileExchanges {
  return { format: 'jsonl', of: 'a log of chunks', found };
}

function notRecognised(text: string, file: string, value?: unknown): UnknownFormat {
  if (beginsAsEventStream(Buffer.from(text.slice(0, 4096)))) {
    const advice = 'It needs no import: cst check reads it, alone or in a folder of .sse files';
    return new UnknownFormat({ file, what: 'is an event stream itself', advice });
  }
  const keys = isFields(value) ? Object.keys(value).slice(0, 3).join(', ') : '';
  const what = `is of no known format${keys === '' ? '' : ` (a document with ${keys})`}`;
  return new UnknownFormat({ file, what, advice: 'Name it with --format, or see docs/import.md for the forms' });
}

function refusedScript(file: string): RecordingError {
  const what = 'is a program, and programs are not run';
  const advice = 'Record with nock.recorder.rec({ output_objects: true }) and write the objects as JSON';
  return new RecordingError({ file, what, advice });
}

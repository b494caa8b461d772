/** The text of a file as YAML or JSON, with the place of what is wrong in it. */
import * as yaml from 'yaml';
import { RecordingError } from '../replay/recording-error.ts';
import { base64Bytes } from './exchange.ts';

/** One character string holds no more (V8: 2^29 - 24 UTF-16 units). */
const MOST_BYTES = 500_000_000;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of a file; a BOM is dropped. @throws RecordingError if it is too long or no UTF-8. */
export function fileText(bytes: Uint8Array, file: string): string {
  if (bytes.length > MOST_BYTES) {
    const what = `is ${bytes.length} bytes long, more than can be read at once (${MOST_BYTES})`;
    throw new RecordingError({ file, what, advice: 'Split it' });
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw new RecordingError({ file, what: 'is no UTF-8 text', advice: 'Give the file as the tool wrote it' });
  }
}

/** @throws RecordingError with line and column. */
export function parseJsonFile(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const what = `not JSON (${message.replace(/ in JSON at position.*$|, (?:\.\.\.)?".*is not valid JSON$/s, '')})`;
    const advice = 'The file may be cut off or not finished: record it again, or restore it';
    throw new RecordingError({ file, field: jsonPlace(text, message), what, advice });
  }
}

/**
 * The documents of a file in YAML 1.2, as PyYAML, psych (Ruby) and go-yaml write it, with the merge key `<<` of YAML 1.1.
 * Tags of other languages (`!!python/tuple`) are passed over: nothing is ever made of them but text, lists and maps.
 * `!!binary`, and Ruby's `!binary`, are bytes. Aliases share what they name, so that any number of them is read.
 * @throws RecordingError with line and column.
 */
export function parseYamlFile(text: string, file: string): readonly unknown[] {
  const options = { schema: 'core', customTags: BINARY_TAGS, logLevel: 'silent', prettyErrors: false } as const;
  const lines = new yaml.LineCounter();
  const documents = yaml.parseAllDocuments(text, { ...options, merge: true, lineCounter: lines });
  return [...documents].map((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw notYaml(file, `line ${line}, column ${col}`, error.message);
    }
    return yamlValue(document, file);
  });
}

function yamlValue(document: yaml.Document.Parsed, file: string): unknown {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: -1 });
  } catch (problem) {
    if (problem instanceof RangeError) throw problem;
    throw notYaml(file, undefined, problem instanceof Error ? problem.message : String(problem));
  }
  if (expandedSize(value, new Map()) <= MOST_EXPANDED) return value;
  throw notYaml(file, undefined, `its aliases stand for more than ${MOST_EXPANDED} values and characters`);
}

/** Values and characters of a document when each alias is what it names: few lines can stand for more than any memory. */
const MOST_EXPANDED = 1_000_000_000;

/** `Infinity` for what stands within itself. */
function expandedSize(value: unknown, sizes: Map<object, number>): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return 1 + value.length;
  if (typeof value !== 'object' || value === null) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  sizes.set(value, Number.POSITIVE_INFINITY);
  let size = 1;
  for (const inner of Object.values(value)) size += expandedSize(inner, sizes);
  sizes.set(value, size);
  return size;
}

/**
 * Line ends of YAML 1.1 that are none in 1.2. Ruby's writer, and PyYAML if told to, put them down as they are, and indent
 * what follows: it cannot be told which of the blanks after them are the text's own.
 */
export const OLD_LINE_ENDS = /[\u0085\u2028\u2029]/;

function notYaml(file: string, field: string | undefined, message: string): RecordingError {
  const advice = 'The file may be cut off, merged or edited by hand: record it again, or restore it';
  return new RecordingError({ file, field, what: `not YAML (${message.split('\n')[0] ?? ''})`, advice });
}

const BINARY_TAGS: yaml.ScalarTag[] = ['tag:yaml.org,2002:binary', '!binary'].map((tag) => ({
  tag,
  resolve(text, onError) {
    const bytes = base64Bytes(text);
    if (bytes === null) onError('a !binary value is not base64');
    return bytes;
  },
}));

/**
 * V8 says the position in some messages; in others it quotes ten characters on both sides of the one that is wrong, which
 * is a place if they stand in the text only once. Undefined if it says neither.
 */
function jsonPlace(text: string, message: string): string | undefined {
  const position = /at position ([0-9]+)/.exec(message)?.[1];
  const context = /, \.\.\."(.*)"(?:\.\.\.)? is not valid JSON$/s.exec(message)?.[1] ?? '';
  const quoted = context === '' ? -1 : text.indexOf(context);
  const isOnce = quoted !== -1 && text.indexOf(context, quoted + 1) === -1;
  if (position !== undefined) return placeAt(text, Number(position));
  if (isOnce) return placeAt(text, quoted + QUOTED);
  return message.startsWith('Unexpected end') ? placeAt(text, text.length) : undefined;
}

const QUOTED = 10;

function placeAt(text: string, at: number): string {
  const before = text.slice(0, at);
  return `line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}`;
}

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answerOf } from '../testing/answer-server.ts';
import { bytesOrReasons, importBytes } from '../testing/import-memory.ts';

const TEXT = answerOf('\n').toString();
const gzipped = Buffer.concat([answerOf('\n'), Buffer.from(': gzip\n\n')]);

function entries(text: string, file: string) {
  return [...importBytes(text, file).results.values()].flatMap((one) =>
    'recording' in one ? [one.recording.entry] : [],
  );
}

describe('a file that is broken', () => {
  it.each<[string, string, string]>([
    [
      'x.yaml',
      'interactions:\n- request: {a: "b\n  c: d\n',
      'x.yaml, line 4, column 1: not YAML (Missing closing "quote)',
    ],
    ['x.yaml', 'a: 1\na: 2\n', 'x.yaml, line 2, column 1: not YAML (Map keys must be unique)'],
    ['x.har', '{"log":\n {"entries": [}]}', "x.har, line 2, column 15: not JSON (Unexpected token '}'). The"],
    [
      'x.har',
      '{"log":\n {"entries": [',
      'x.har, line 2, column 15: not JSON (Unexpected end of JSON input). The file may be',
    ],
    ['x.json', '{"a": 1, "b": 2}', 'x.json: is of no known format (a document with a, b). Name it with --format'],
    ['x.txt', 'data: {"choices":[]}\n\n', 'x.txt: is an event stream itself. It needs no import: cst check reads it'],
    ['x.yaml', 'a: !!binary "%%"\n', 'x.yaml, line 1, column 4: not YAML (a !binary value is not base64)'],
  ])('is refused with its place: %s %j', (file, text, message) => {
    expect(() => importBytes(text, file)).toThrow(message);
  });

  it('is refused if it is no text', () => {
    expect(() => importBytes(Uint8Array.of(0x7b, 0xff), 'x.json')).toThrow('x.json: is no UTF-8 text');
  });

  it('makes nothing of what it names: no alias bomb, nothing within itself', () => {
    const bomb = Array.from({ length: 12 }, (_, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(i === 0 ? 0 : 9)}1]`).join(
      '\n',
    );
    const message = 'x.yaml: not YAML (its aliases stand for more than 1000000000 values and characters). The file';
    expect(() => importBytes(`${bomb}\n`, 'x.yaml')).toThrow(message);
    expect(() => importBytes('a: &a [1, *a]\n', 'x.yaml')).toThrow(message);
    const long = Array.from({ length: 2000 }, (_, i) => (i === 0 ? `- &a ${'x'.repeat(1_000_000)}` : '- *a')).join(
      '\n',
    );
    expect(() => importBytes(`${long}\n`, 'x.yaml')).toThrow(message);
  });
});

describe('YAML as tools write it', () => {
  const RESPONSE = `{status: {code: 200}, headers: {content-type: [text/event-stream]}, body: {string: "${TEXT.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"}}`;

  it('has any number of aliases', () => {
    const more = Array.from(
      { length: 300 },
      () => '- {request: *request, response: {status: {code: 500}, headers: *h}}',
    );
    const text = ['interactions:', `- {request: &request {uri: 'http://x/'}, response: ${RESPONSE}}`, ...more].join(
      '\n',
    );
    const file = importBytes(text.replace('headers: {content', 'headers: &h {content'), 'x.yaml');
    expect(bytesOrReasons(file)).toEqual([Buffer.from(TEXT), ...Array(300).fill('status 500')]);
  });

  it('has merge keys', () => {
    const text = [
      `base: &base {response: ${RESPONSE}}`,
      'interactions:',
      '- {<<: *base, request: {uri: \'http://x/\', body: \'{"model": "asked"}\'}}',
    ].join('\n');
    expect(bytesOrReasons(importBytes(text, 'x.yaml'))).toEqual([Buffer.from(TEXT)]);
    expect(entries(text, 'x.yaml').map(({ model }) => model)).toEqual(['asked']);
  });

  it('has several documents, and all of them are read', () => {
    const one = `interactions:\n- {request: {uri: 'http://x/'}, response: ${RESPONSE}}\n`;
    const other = one.replace('code: 200', 'code: 500');
    const file = importBytes(`${one}---\na: 1\n---\n${other}---\n`, 'x.yaml');
    expect([...file.results.keys()]).toEqual(['document 1, interaction 1', 'document 2', 'document 3, interaction 1']);
    expect(bytesOrReasons(file)).toEqual([
      Buffer.from(TEXT),
      'is not a vcrpy cassette, as others of the file are',
      'status 500',
    ]);
    expect(() => importBytes(`${one}---\na: "x\n`, 'x.yaml')).toThrow('x.yaml, line 5, column 1: not YAML');
  });
});

describe('a body that breaks off within its compression', () => {
  const cassette = (body: Uint8Array, encoding: string) =>
    `interactions:\n- request: {uri: 'http://x/'}\n  response: {status: {code: 200}, headers: {content-encoding: [${encoding}]}, body: {string: !!binary ${Buffer.from(body).toString('base64')}}}\n`;

  it.each([
    ['gzip', gzipSync(gzipped)],
    ['deflate', deflateSync(gzipped)],
    ['br', brotliCompressSync(gzipped)],
  ])('is imported as far as it goes, and says so: %s', (encoding, whole) => {
    const [entry] = entries(cassette(whole.subarray(0, whole.length - 20), encoding), 'x.yaml');
    expect(entry?.note).toContain(
      `The body was kept compressed (${encoding}); these are the decoded bytes. It breaks off within its compression: what`,
    );
    const [bytes] = bytesOrReasons(importBytes(cassette(whole.subarray(0, whole.length - 20), encoding), 'x.yaml'));
    expect(gzipped.subarray(0, bytes?.length)).toEqual(bytes);
    expect(entries(cassette(whole, encoding), 'x.yaml')[0]?.note).not.toContain('breaks off');
  });
});

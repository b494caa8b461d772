import { describe, expect, test } from 'vitest';
import { formatManifest, type Manifest, readManifest, timesFile } from './manifest.ts';

const ENTRY = {
  file: 't01.ctl.sse',
  sha256: 'a'.repeat(64),
  bytes: 3,
  task: 't01',
  protocol: 'ctl',
  wire: 'openai-chat',
  provider: null,
  model: 'm',
  recordedAt: '2026-01-02T03:04:05Z',
  request: { messages: [{ role: 'user', content: 'hi' }], parameters: { temperature: 0 } },
  source: 'recorded',
};

const CRAFTED = {
  ...ENTRY,
  source: 'crafted',
  rule: 'ctl.md: worked cases',
  expect: [{ protocol: 'ctl', end: 'complete', calls: [], error: null }],
};

function read(...recordings: readonly object[]): ReturnType<typeof readManifest> {
  return readManifest(JSON.stringify({ format: 1, suite: 's', about: 'a', recordings }), 'm.json');
}

function fault(entry: object): string | undefined {
  return read(entry).errors[0]?.message;
}

test('a manifest is read as it was written, entries in order of file', () => {
  const first = read({ ...CRAFTED, file: 'sub/t01.ctl.2.sse' }, ENTRY).manifest as Manifest;
  const again = readManifest(formatManifest({ ...first, recordings: first.recordings.toReversed() }), 'm.json');
  expect(again).toEqual({ manifest: first, errors: [] });
});

test('a key such as __proto__ survives in an expectation', () => {
  const args = JSON.parse('{"__proto__":{"x":1}}');
  const expectation = { protocol: 'ctl', end: 'complete', calls: [{ name: 't', args }], error: null };
  const text = formatManifest(read({ ...CRAFTED, expect: [expectation] }).manifest as Manifest);
  expect(text).toContain('"__proto__"');
});

describe('a manifest is refused, with file and field in the message', () => {
  test.each([
    ['an unknown field', { ...ENTRY, sha: 1 }, 'm.json, recordings[0].sha: unknown field'],
    ['an unknown protocol', { ...ENTRY, protocol: 'json' }, 'm.json, recordings[0].protocol: invalid option'],
    ['an unknown wire format', { ...ENTRY, wire: 'chat' }, 'm.json, recordings[0].wire: invalid option'],
    ['an unknown source', { ...ENTRY, source: 'reframed' }, 'm.json, recordings[0].source: invalid option'],
    ['a missing field', { ...ENTRY, model: undefined }, 'm.json, recordings[0].model: invalid input'],
    ['a short hash', { ...ENTRY, sha256: 'abc' }, 'm.json, recordings[0].sha256: expected 64 hexadecimal digits'],
    ['a negative size', { ...ENTRY, bytes: -1 }, 'm.json, recordings[0].bytes: too small'],
    ['a local time', { ...ENTRY, recordedAt: 'yesterday' }, 'm.json, recordings[0].recordedAt: invalid ISO datetime'],
    ['a name of another task', { ...ENTRY, task: 't02' }, 'expected the name t02.ctl[.<n>].sse'],
    ['a name of another protocol', { ...ENTRY, protocol: 'xml' }, 'expected the name t01.xml[.<n>].sse'],
    ['a parent folder', { ...ENTRY, file: '../t01.ctl.sse' }, 'm.json, recordings[0].file: the path must be relative'],
    [
      'an inner parent',
      { ...ENTRY, file: 'a/../t01.ctl.sse' },
      'm.json, recordings[0].file: the path must be relative',
    ],
    ['an absolute path', { ...ENTRY, file: '/t01.ctl.sse' }, 'm.json, recordings[0].file: the path must be relative'],
    ['a drive', { ...ENTRY, file: 'C:/t01.ctl.sse' }, 'm.json, recordings[0].file: the path must be relative'],
    ['a backslash', { ...ENTRY, file: '..\\t01.ctl.sse' }, 'm.json, recordings[0].file: the path must be relative'],
    ['a key in the request', withParameters({ api_key: 'x' }), 'm.json, recordings[0].request'],
    ['headers in the request', withParameters({ headers: {} }), 'm.json, recordings[0].request'],
    ['an unknown error kind', withError({ kind: 'oops' }), 'm.json, recordings[0].expect[0].error.kind'],
    ['line 0', withError({ kind: 'bad_call', line: 0 }), 'm.json, recordings[0].expect[0].error.line'],
    [
      'a crafted stream without rule',
      { ...CRAFTED, rule: undefined },
      'm.json, recordings[0].expect: a crafted stream',
    ],
    [
      'a protocol that does not read it',
      reads('xml'),
      'm.json, recordings[0].expect[0].protocol: xml does not read ctl',
    ],
  ])('%s', (_, entry, message) => {
    expect(fault(entry)).toContain(message);
  });

  test('a protocol twice', () => {
    const once = CRAFTED.expect[0];
    expect(fault({ ...CRAFTED, expect: [once, once] })).toContain('expect[1].protocol: ctl stands twice');
  });

  test('a file twice', () => {
    expect(read(ENTRY, ENTRY).errors.map((error) => error.field)).toEqual(['recordings[1].file']);
  });

  test('text that is no JSON', () => {
    expect(readManifest('{', 'm.json').errors[0]?.message).toMatch(/^m\.json: not JSON/);
  });

  test('another version of the form', () => {
    const text = JSON.stringify({ format: 2, suite: 's', about: 'a', recordings: [] });
    expect(readManifest(text, 'm.json').errors[0]?.field).toBe('format');
  });

  test('every fault is reported, not just the first', () => {
    const { errors } = read({ ...ENTRY, wire: 'x', bytes: 0.5 }, { ...ENTRY, extra: 1 });
    expect(errors.map((error) => error.field)).toEqual([
      'recordings[0].bytes',
      'recordings[0].wire',
      'recordings[1].extra',
    ]);
  });
});

test('arrival times stand beside the recording under its name', () => {
  expect(timesFile('a/t01.ctl.2.sse')).toBe('a/t01.ctl.2.times.csv');
});

function withParameters(parameters: object): object {
  return { ...ENTRY, request: { messages: [], parameters } };
}

function withError(error: object): object {
  return { ...CRAFTED, expect: [{ ...CRAFTED.expect[0], error }] };
}

function reads(protocol: string): object {
  return { ...CRAFTED, expect: [{ ...CRAFTED.expect[0], protocol }] };
}

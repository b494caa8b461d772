import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import * as api from './api.ts';
import { chunk, TestFolder, textStream, toolDelta } from './cli/test-terminal.ts';

const { argumentsAsJson, checkRecording, DEFAULT_OPTIONS, loadSuites, PARSERS, parseStream, READERS } = api;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
const REOPENED = join(ROOT, 'recordings/crafted/case-02-empty-object-then-arguments-parallel.native.sse');
const folder = new TestFolder();
afterAll(() => folder.remove());

/** An example as a user has it, but for the module: here the sources stand for the package. */
function example(name: string): string {
  const text = readFileSync(join(ROOT, 'docs/examples', name), 'utf8');
  const path = join(folder.path, name);
  writeFileSync(path, text.replaceAll("'cst-eval'", JSON.stringify(new URL('./api.ts', import.meta.url).href)));
  return path;
}

function runNode(args: readonly string[], input = ''): string {
  const tsx = ['--import', import.meta.resolve('tsx')];
  const run = spawnSync(process.execPath, [...tsx, ...args], { cwd: folder.path, input, encoding: 'utf8' });
  expect([run.status, run.stderr]).toEqual([0, '']);
  return run.stdout;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('docs/api.md', () => {
  it.each(['parse-and-check.mjs', 'run-as-it-comes.mjs', 'own-parser.mts'])('shows examples/%s as it is', (name) => {
    expect(PAGE).toContain(`\n${readFileSync(join(ROOT, 'docs/examples', name), 'utf8')}\`\`\`\n`);
  });

  it('shows what parse-and-check.mjs prints', () => {
    const printed = runNode([example('parse-and-check.mjs'), REOPENED, 'json-object']);
    expect(printed).toContain('S1 (content), first at prefix 3:');
    expect(PAGE).toContain(`\`\`\`text\n${printed}\`\`\`\n`);
  });

  it('shows what run-as-it-comes.mjs prints', () => {
    const answer = readFileSync(join(ROOT, 'recordings/replies/t02.ctl.sse'), 'utf8');
    const printed = runNode([example('run-as-it-comes.mjs'), 'ctl'], answer);
    expect(printed.split('\n')).toHaveLength(3);
    expect(PAGE).toContain(`\`\`\`text\n${printed}\`\`\`\n`);
  });

  it('names everything that the package gives', () => {
    const names = Object.keys(api).sort();
    expect(names).toEqual([
      'DEFAULT_OPTIONS',
      'PARSERS',
      'PROTOCOLS',
      'READERS',
      'RecordingError',
      'StreamReader',
      'argumentsAsJson',
      'checkRecording',
      'describeError',
      'loadSuites',
      'parseStream',
    ]);
    for (const name of names) expect(PAGE).toContain(`\`${name}`);
  });

  it('links to examples that are there', () => {
    const linked = [...PAGE.matchAll(/\]\(examples\/([\w.-]+)\)/g)].map(([, name]) => name);
    expect(readdirSync(join(ROOT, 'docs/examples'))).toEqual(expect.arrayContaining(linked));
    expect(new Set(linked).size).toBe(4);
  });
});

describe('parseStream', () => {
  it('gives calls with their bytes, and where each became executable', () => {
    const { calls, error, incomplete, end } = parseStream(bytes(textStream('call c1 t\narg k 5\nhello\nend\n')), {
      protocol: 'ctl',
    });
    expect({ error, incomplete, end }).toEqual({ error: null, incomplete: null, end: 'complete' });
    expect(calls.map(({ id, args, end }) => [id, argumentsAsJson(args), end])).toEqual([['c1', { k: 'hello' }, 27]]);
  });

  it('says what a cut left unfinished, and nothing of it after a contract error', () => {
    const cut = parseStream(bytes(textStream('call c1 t\narg k 400\nhe', null)), { protocol: 'ctl' });
    expect(cut).toMatchObject({
      end: 'cut',
      error: null,
      incomplete: { id: 'c1', name: 't', key: 'k', declared: 400, arrived: 2 },
    });
    const broken = parseStream(bytes(textStream('call c1 t\nno line\narg', null)), { protocol: 'ctl' });
    expect(broken).toMatchObject({ end: 'cut', error: { kind: 'unexpected_line', offset: 10 }, incomplete: null });
  });

  it('keeps to limits that are not the defaults', () => {
    const stream = bytes(textStream(`call c1 t\narg k ${'v'.repeat(20)}\nend\n`));
    expect(parseStream(stream, { protocol: 'ctl' }).calls).toHaveLength(1);
    const { error } = parseStream(stream, { protocol: 'ctl', limits: { lineLimit: 16 } });
    expect(error).toMatchObject({ kind: 'line_too_long', limit: 16 });
    const small = parseStream(stream, { protocol: 'ctl', limits: { eventLimit: 8 } });
    expect(small.error?.kind).toBe('event_too_long');
  });

  it('takes bytes that are no stream for a cut one, and tells the wire format from the content', () => {
    const page = parseStream(bytes('<html>502 Bad Gateway</html>'), { protocol: 'json-whole' });
    expect(page).toMatchObject({ calls: [], error: null, incomplete: null, end: 'cut' });
    const other = 'event: message_start\ndata: {"type":"message_start"}\n\ndata: {"type":"error","error":"busy"}\n\n';
    expect(parseStream(bytes(other), { protocol: 'json-whole' }).error).toMatchObject({
      kind: 'stream_error',
      detail: 'the provider reported an error: busy',
    });
  });

  it.each(['yaml', 'toString', undefined])('names the protocols where %s is none', (name) => {
    const options = { protocol: name as api.Protocol };
    const words = `protocol ${name} is unknown; known are ${api.PROTOCOLS.join(', ')}`;
    expect(() => parseStream(bytes(''), options)).toThrow(new RangeError(words));
    expect(() => checkRecording(bytes(''), options)).toThrow(new RangeError(words));
  });
});

describe('checkRecording', () => {
  const reopened = readFileSync(REOPENED);

  it('gives every property with its first counterexample, and the violations that count', () => {
    const { outcomes, violations, report } = checkRecording(reopened, { protocol: 'json-object' });
    expect(violations.map(({ level, verdict }) => [level, verdict.property, verdict.first.prefix])).toEqual([
      ['wire', 'S1', 650],
      ['wire', 'agreement', 0],
      ['content', 'S1', 3],
      ['content', 'agreement', 0],
      [null, 'continuation', 28],
    ]);
    const limit = outcomes.find(({ verdict }) => verdict.property === 'reopening');
    expect(limit).toMatchObject({ verdict: { status: 'violated' }, accepted: { as: 'limit of the protocol' } });
    expect(report).toMatchObject({ end: 'complete', executed: 2, oracleCalls: 1 });
  });

  it('counts the limits of a protocol if it is to be strict', () => {
    const stream = bytes(chunk(toolDelta(0, { id: 'a', name: 't', arguments: '{"k":1}' }), 'tool_calls'));
    expect(checkRecording(stream, { protocol: 'json-object' }).violations).toEqual([]);
    const strict = checkRecording(stream, { protocol: 'json-object', strict: true });
    expect(strict.violations.map(({ verdict }) => verdict.property)).toEqual(['reopening']);
  });

  it('compares with what is expected', () => {
    const expectation = { protocol: 'ctl', end: 'complete', calls: [{ name: 't', args: {} }], error: null } as const;
    const check = (text: string) => checkRecording(bytes(textStream(text)), { protocol: 'ctl', expectation });
    expect(check('call c1 t\nend\n').violations).toEqual([]);
    expect(check('call c1 u\nend\n').violations).toMatchObject([
      { level: null, verdict: { property: 'expectation', first: { what: 'call 0: name u, expected t' } } },
    ]);
  });

  it('judges a parser of one’s own, as in own-parser.mts', async () => {
    const { judge } = (await import(pathToFileURL(example('own-parser.mts')).href)) as {
      judge: (bytes: Uint8Array) => readonly string[];
    };
    expect(judge(reopened)).toContain(
      'S1 (content), prefix 2: call c1 (get_weather) is executable and is no call of the whole stream',
    );
    const parser = () => PARSERS['json-whole'](DEFAULT_OPTIONS);
    expect(checkRecording(reopened, { protocol: 'json-whole', parser }).violations).toEqual([]);
  });
});

describe('write-manifest.mjs', () => {
  it('makes a manifest of which everything holds, until a stream reads otherwise', async () => {
    const dir = join(folder.path, 'recordings');
    const replies = await loadSuites(join(ROOT, 'recordings'), { suites: ['replies'] });
    const first = replies.filter(({ task, run }) => task === 't02' && run === replies[0]?.run);
    mkdirSync(dir);
    for (const recording of first) writeFileSync(join(dir, recording.file), await recording.bytes());
    runNode([example('write-manifest.mjs'), dir]);
    const recordings = await loadSuites(dir);
    expect(recordings.map(({ file, guessed }) => [file, guessed])).toEqual(first.map(({ file }) => [file, false]));
    for (const { framing, expectations, bytes } of recordings) {
      expect(expectations.map(({ protocol }) => protocol)).toEqual(READERS[framing]);
      for (const expectation of expectations) {
        const { protocol } = expectation;
        expect(checkRecording(await bytes(), { protocol, expectation }).violations).toEqual([]);
        const fewer = { ...expectation, calls: expectation.calls.slice(1) };
        const { violations } = checkRecording(await bytes(), { protocol, expectation: fewer });
        expect(violations.map(({ verdict }) => verdict.property)).toEqual(['expectation']);
      }
    }
  });
});

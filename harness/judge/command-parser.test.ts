import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ORACLES } from '../oracles/oracles.ts';
import { DEFAULT_OPTIONS } from '../parsers/parser.ts';
import type { Protocol } from '../parsers/protocols.ts';
import { checkRecording } from '../properties/recording-check.ts';
import { readStream } from '../stream/reader.ts';
import { chunk, sse, toolChunk, toolDelta } from '../testing/chat-streams.ts';
import { openCommand } from './command-parser.ts';
import type { Judged } from './judged-parser.ts';

const folder = mkdtempSync(join(tmpdir(), 'cst-judge-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
/** A command that runs this as a program of Node. */
function program(source: string): string {
  const path = join(folder, `parser${count++}.cjs`);
  writeFileSync(path, source);
  return `"${process.execPath}" "${path}"`;
}

/** A program that answers `hello` with `ready`, then each message by the body of a function. */
function answering(body: string, ready = ''): string {
  return program(`
    const readline = require('node:readline');
    let n = 0, calls = {}, ran = 0;
    const answer = (message) => { n++; ${body} };
    readline.createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line);
      const told = message.type === 'hello' ? { type: 'ready', version: 1, ${ready} } : answer(message);
      if (told !== undefined) process.stdout.write(JSON.stringify(told) + '\\n');
    });`);
}

const stream = sse(
  toolChunk(toolDelta({ index: 0, id: 'a', name: 't', args: '{}' })),
  toolChunk(toolDelta({ index: 0, args: '{"k":"é😀"}' })),
  chunk({}, 'tool_calls'),
  '[DONE]',
);

interface How {
  readonly protocol?: Protocol;
  readonly timeout?: number;
  readonly bytes?: Uint8Array;
}

async function judge(command: string, { protocol, timeout = 5000, bytes = stream }: How = {}) {
  let stderr = '';
  const onStderr = (text: string): void => {
    stderr += text;
  };
  const parser = await openCommand(command, { protocol, timeout, onStderr });
  try {
    const judged = await parser.check((foreign) =>
      checkRecording(bytes, { ...foreign, protocol: parser.protocol, name: 'x' }),
    );
    return { parser, judged, stderr };
  } finally {
    await parser.close();
  }
}

type Judgement = Judged<ReturnType<typeof checkRecording>>;

function violated({ outcomes }: Judgement): string[] {
  return outcomes.flatMap(({ level, verdict }) => {
    return verdict.status === 'violated' ? [`${verdict.property} ${level ?? '-'} ${verdict.first.prefix}`] : [];
  });
}

function answers({ outcomes }: Judgement) {
  return outcomes.find(({ verdict }) => verdict.property === 'answers')?.verdict;
}

/** Runs a call as soon as its arguments parse. */
const EAGER = `
  if (message.type === 'start') { calls = {}; return {}; }
  if (message.type !== 'tool-delta') return {};
  const call = calls[message.call] ??= { ordinal: message.call, arguments: '' };
  if (message.id) call.id = message.id;
  if (message.name) call.name = message.name;
  call.arguments += message.text ?? Buffer.from(message.base64, 'base64').toString('latin1');
  try { JSON.parse(call.arguments); } catch { return {}; }
  if (call.ran) return {};
  call.ran = true;
  return { calls: [call] };`;

describe('a command that answers', () => {
  it('compares arguments as JSON values for a parser that writes them anew', async () => {
    const bytes = sse(
      toolChunk(toolDelta({ index: 0, id: 'a', name: 't', args: '{"k": "\\u00e9", "n": 1.50}' })),
      chunk({}, 'tool_calls'),
      '[DONE]',
    );
    const anew = `
      if (message.type === 'start') calls = {};
      if (message.type === 'tool-delta') {
        const call = (calls[message.call] ??= { id: message.id, name: message.name, arguments: '' });
        call.arguments += Buffer.from(message.base64 ?? '', 'base64') + (message.text ?? '');
      }
      const isOver = message.type === 'end' && message.how === 'complete';
      try {
        return isOver ? { calls: Object.values(calls).map((call) => ({ ...call, arguments: JSON.stringify(JSON.parse(call.arguments)) })) } : {};
      } catch { return {}; }`;
    const other = anew.replace('JSON.parse(call.arguments)', "{ k: 'é', n: 1.6 }");
    const found = async (body: string, ready: string) =>
      violated((await judge(answering(body, ready), { protocol: 'json-whole', bytes })).judged);
    expect((await found(anew, "arguments: 'json'")).join()).toBe('');
    expect((await found(anew, "arguments: 'text'")).join()).toContain('agreement content');
    expect((await found(other, "arguments: 'json'")).join()).toContain('agreement content');
  });

  it('is judged at every byte, and found out where it runs too early', async () => {
    const { parser, judged } = await judge(answering(EAGER, "name: 'eager', protocol: 'json-whole'"));
    expect([parser.name, parser.protocol, parser.granularity]).toEqual(['eager', 'json-whole', 'byte']);
    expect(violated(judged)).toEqual(expect.arrayContaining(['S1 content 2', 'S1 wire 159', 'continuation - 2']));
    expect(answers(judged)).toMatchObject({ status: 'holds' });
  });

  it.each(['char', 'delta'])('is fed whole characters only, if it asks for %ss', async (granularity) => {
    const asserting = `if (message.base64 !== undefined) throw new Error('half a character'); ${EAGER}`;
    const { judged } = await judge(answering(asserting, `granularity: '${granularity}'`));
    expect([answers(judged)?.status, judged.judgedAt]).toEqual(['holds', granularity]);
    expect(violated(judged)).toContain('S1 content 2');
  });

  it('takes calls back with keep: S3', async () => {
    const flips =
      "return message.type === 'tool-delta' ? (ran = 1 - ran) ? { calls: [{ name: 'x', arguments: '{}' }] } : { keep: 0 } : (ran = 0, {});";
    const { judged } = await judge(answering(flips));
    expect(violated(judged)).toContain('S3 content 2');
  });

  it('says what it wants to on stderr', async () => {
    const { stderr } = await judge(
      answering("if (message.type === 'start') process.stderr.write('note\\n'); return {};"),
    );
    expect(stderr).toContain('note\n');
  });

  it('is asked about pending bytes and errors, if its answer to start has them', async () => {
    const { parser, judged } = await judge(
      answering("return message.type === 'start' ? { pending: 0, error: null } : {};"),
      {
        protocol: 'ctl',
      },
    );
    expect(parser.reports).toEqual({ pending: true, error: true });
    expect(judged.outcomes.find(({ verdict }) => verdict.property === 'K')?.verdict.status).toBe('holds');
  });
});

describe('our own parser as a command', () => {
  const harness = new URL('..', import.meta.url).href;
  const own = join(folder, 'own.mts');
  writeFileSync(
    own,
    `import { createInterface } from 'node:readline';
     import { PARSERS } from '${harness}parsers/protocols.ts';
     let parser; let told = 0;
     const bytesOf = ({ text, base64 }) => (text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text));
     const json = ({ args, ...call }) => args.form === 'json' ? { ...call, arguments: args.text }
       : { ...call, values: args.values.map(({ key, bytes }) => [key, { base64: Buffer.from(bytes).toString('base64') }]) };
     createInterface({ input: process.stdin }).on('line', (line) => {
       const message = JSON.parse(line);
       if (message.type === 'hello') return console.log('{"type":"ready","version":1}');
       if (message.type === 'start') { parser = PARSERS[message.protocol](message.options); told = 0; }
       else if (message.type === 'end') parser.end(message.how);
       else parser.push({ at: 0, ...message, bytes: bytesOf(message) });
       const calls = parser.calls.slice(told).map(json);
       told = parser.calls.length;
       console.log(JSON.stringify({ calls, pending: parser.pending, error: parser.error, unfinished: parser.unfinished }));
     });`,
  );
  const command = `"${process.execPath}" --import tsx "${own}"`;
  const crafted = new URL('../../recordings/crafted/', import.meta.url);

  it.each<[Protocol, RegExp]>([
    ['json-object', /^case-0.*\.native\.sse$/],
    ['ctl', /^(case-7|ctl-body).*\.ctl\.sse$/],
    ['xml', /^case-[56].*\.xml\.sse$/],
  ])(
    'gets the verdicts that it gets without: %s',
    async (protocol, files) => {
      const parser = await openCommand(command, { protocol, timeout: 20_000, onStderr: () => undefined });
      const names = readdirSync(crafted).filter((name) => files.test(name));
      try {
        for (const name of names) {
          const bytes = readFileSync(new URL(name, crafted));
          const judged = await parser.check((foreign) => checkRecording(bytes, { ...foreign, protocol, name }));
          const own = checkRecording(bytes, { protocol, name });
          const { end, levels, executed, error, lags } = judged.report;
          const expected = own.report;
          expect({ name, levels, end, executed, error, lags }).toEqual({
            name,
            levels: expected.levels,
            end: expected.end,
            executed: expected.executed,
            error: expected.error,
            lags: expected.lags,
          });
          const status = (outcomes: typeof own.outcomes) =>
            outcomes.map(({ verdict }) => [verdict.property, verdict.status]);
          expect([name, status(judged.outcomes)]).toEqual([name, [...status(own.outcomes), ['answers', 'holds']]]);
        }
      } finally {
        await parser.close();
      }
      expect(names.length).toBeGreaterThan(5);
    },
    60_000,
  );
});

describe('a command that stops answering', () => {
  const failing = (statement: string): string => answering(`if (n > 9) { ${statement} } return {};`);

  it.each([
    ['exits', failing('process.exit(7)'), /^the command ended with exit code 7 \(asked: \{"type":"tool-delta"/],
    [
      'is killed',
      failing("process.kill(process.pid, 'SIGKILL')"),
      /^the command (was ended by SIGKILL|ended with exit code 137)/,
    ],
    ['says nothing', failing('return undefined;'), /^the command gave no answer within 1 s/],
    [
      'prints something else',
      failing("console.log('debugging');"),
      /^a line that is no JSON: debugging \(stdout is for answers/,
    ],
    ['answers with a list', failing('return [];'), /^answer: Invalid input: expected object, received array/],
    ['keeps what it never had', failing('return { keep: 3 };'), /^keep is 3 of 0 calls/],
    ['tells of a fault', failing("return { fault: 'index out of range' };"), /^the parser says: index out of range/],
    [
      'answers otherwise each time',
      failing('return { pending: n };'),
      /^the parser answered otherwise when it was fed the same/,
    ],
  ])('because it %s', async (_, command, message) => {
    const { judged } = await judge(command, { timeout: 1000 });
    const verdict = answers(judged);
    expect(verdict?.status).toBe('violated');
    if (verdict?.status === 'violated') expect(verdict.first.what.replace(/^of the stream .*?: /, '')).toMatch(message);
  });

  it('leaves nothing that is waited for, not even a program of its own that holds its pipes', async () => {
    const sleeper = `(exec setsid sleep 30) & ${answering('return {};')}`;
    const parser = await openCommand(sleeper, { protocol: undefined, timeout: 5000, onStderr: () => undefined });
    const late = new Promise((resolve) => setTimeout(resolve, 5000, 'still open').unref());
    expect(await Promise.race([parser.close().then(() => 'closed'), late])).toBe('closed');
  }, 8000);

  it('is asked no more after five streams in a row', async () => {
    const parser = await openCommand(failing('process.exit(7)'), {
      protocol: undefined,
      timeout: 2000,
      onStderr: () => undefined,
    });
    const whats: string[] = [];
    for (let i = 0; i < 6; i++) {
      const judged = await parser.check((foreign) => checkRecording(stream, { ...foreign, protocol: parser.protocol }));
      const verdict = answers(judged);
      if (verdict?.status === 'violated') whats.push(verdict.first.what);
    }
    await parser.close();
    expect(whats[4]).toMatch(/^the command ended with exit code 7/);
    expect(whats[5]).toBe('not asked: the command failed on the 5 streams before');
  });
});

describe('a command that is no parser', () => {
  const open = (command: string) =>
    openCommand(command, { protocol: undefined, timeout: 500, onStderr: () => undefined });

  it.each([
    ['does not exist', 'no-such-command-here', /ended with exit code 127/],
    ['says nothing', program('setTimeout(() => {}, 9000)'), /gave no answer within 0.5 s/],
    [
      'says something else',
      program("console.log('hello'); setTimeout(() => {}, 9000)"),
      /no JSON: hello|nothing asked for: hello/,
    ],
    ['speaks another version', answering('', 'version: 2'), /ready.version: Invalid input: expected 1/],
    ['reads another protocol', answering('', "protocol: 'morse'"), /ready.protocol: Invalid option/],
  ])('because it %s is refused', async (_, command, message) => {
    await expect(open(command)).rejects.toThrow(message);
  });
});

describe('a long stream', () => {
  it('is judged at each delta, and says so', async () => {
    const args = `{"k":"${'x'.repeat(70_000)}"}`;
    const pieces = args.match(/.{1,1000}/g) ?? [];
    const bytes = sse(
      ...pieces.map((piece, i) =>
        toolChunk(toolDelta({ index: 0, ...(i === 0 ? { id: 'a', name: 't' } : {}), args: piece })),
      ),
      chunk({}, 'tool_calls'),
      '[DONE]',
    );
    const { judged } = await judge(answering(EAGER, "protocol: 'json-object'"), { bytes });
    const { events, end } = readStream(bytes, 'openai-chat');
    expect(judged.judgedAt).toBe('delta');
    expect(judged.report.executed).toBe(ORACLES['json-object'](events, end, DEFAULT_OPTIONS).calls.length);
    expect(violated(judged)).not.toContain('S1 content 70008');
    expect(answers(judged)).toMatchObject({ status: 'holds' });
  });
});

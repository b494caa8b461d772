import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Protocol } from '../parsers/protocols.ts';
import { checkRecording } from '../properties/recording-check.ts';
import { chunk, sse, toolChunk, toolDelta } from '../testing/chat-streams.ts';
import type { Judged } from './judged-parser.ts';
import { openModule } from './module-parser.ts';

const folder = mkdtempSync(join(tmpdir(), 'cst-judge-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function file(source: string, extension = 'mjs'): string {
  const path = join(folder, `parser${count++}.${extension}`);
  writeFileSync(path, source);
  return path;
}

/** Two calls, the first of which grows after it looked whole. */
const stream = sse(
  toolChunk(toolDelta({ index: 0, id: 'a', name: 't', args: '{}' })),
  toolChunk(toolDelta({ index: 0, args: '{"k":1}' })),
  toolChunk(toolDelta({ index: 1, id: 'b', name: 'u', args: '{"é":2}' })),
  chunk({}, 'tool_calls'),
  '[DONE]',
);

async function judge(source: string, how: { protocol?: Protocol; timeout?: number; extension?: string } = {}) {
  const { protocol, timeout = 20_000, extension } = how;
  const parser = await openModule(file(source, extension), { protocol, timeout, onStderr: () => undefined });
  try {
    const judged = await parser.check((foreign) =>
      checkRecording(stream, { ...foreign, protocol: parser.protocol, name: 'x' }),
    );
    return { parser, judged };
  } finally {
    await parser.close();
  }
}

function violated({ outcomes }: Judged<ReturnType<typeof checkRecording>>): string[] {
  return outcomes.flatMap(({ level, verdict }) => {
    return verdict.status === 'violated' ? [`${verdict.property} ${level ?? '-'} ${verdict.first.prefix}`] : [];
  });
}

function answers({ outcomes }: Judged<ReturnType<typeof checkRecording>>) {
  return outcomes.find(({ verdict }) => verdict.property === 'answers')?.verdict;
}

const EAGER = `
  class Parser {
    calls = []; open = new Map();
    push(event) {
      if (event.type !== 'tool-delta') return;
      const call = this.open.get(event.call) ?? { ordinal: event.call, name: '', arguments: '' };
      this.open.set(event.call, call);
      call.id ??= event.id; call.name ||= event.name;
      call.arguments += Buffer.from(event.bytes).toString();
      try { JSON.parse(call.arguments); } catch { return; }
      if (!this.calls.some(({ ordinal }) => ordinal === event.call)) this.calls.push({ ...call });
    }
    end() {}
  }`;

describe('a module with a parser', () => {
  it('is judged like our own: what runs at the first parse violates S1 at the prefix where it ran', async () => {
    const { parser, judged } = await judge(`${EAGER} export { Parser }; export const protocol = 'json-whole';`);
    expect([parser.protocol, parser.reports]).toEqual(['json-whole', { pending: false, error: false }]);
    expect(violated(judged)).toContain('S1 content 2');
    expect(answers(judged)).toMatchObject({ status: 'holds' });
  });

  it.each([
    ['a default class', `${EAGER} export default Parser;`, 'mjs'],
    ['createParser', `${EAGER} export const createParser = () => new Parser();`, 'mjs'],
    ['CommonJS', `${EAGER} module.exports = { createParser: () => new Parser() };`, 'cjs'],
    ['a class as module.exports', `${EAGER} module.exports = Parser;`, 'cjs'],
    [
      'a frontier by a method',
      `${EAGER} export const createParser = () => { const p = new Parser(); return { push: (e) => p.push(e), end() {}, frontier: () => ({ calls: p.calls }) }; };`,
      'mjs',
    ],
  ])('may export %s', async (_, source, extension) => {
    const { parser, judged } = await judge(source, { extension });
    expect(parser.protocol).toBe('json-object');
    expect(violated(judged)).toContain('S1 content 2');
  });

  it('is asked about errors and pending bytes only if it has them', async () => {
    const silent = 'calls: [], push() {}, end() {}';
    const { judged: without } = await judge(`export const createParser = () => ({ ${silent} });`);
    expect(violated(without).filter((what) => what.startsWith('agreement'))).toHaveLength(2);
    const { judged, parser } = await judge(
      `export const createParser = () => ({ ${silent}, pending: 0, error: null });`,
      {
        protocol: 'ctl',
      },
    );
    expect(parser.reports).toEqual({ pending: true, error: true });
    expect(
      judged.outcomes.filter(({ verdict }) => verdict.property === 'K').map(({ verdict }) => verdict.status),
    ).toEqual(['holds', 'holds']);
  });

  it('may hold its protocol on the function that it exports', async () => {
    const source = `${EAGER} function make() { return new Parser(); } make.protocol = 'json-whole'; module.exports = make;`;
    expect((await judge(source, { extension: 'cjs' })).parser.protocol).toBe('json-whole');
  });

  it('that reports what is no JSON is told so', async () => {
    const source = `${EAGER} class Big extends Parser { unfinished = { big: 1n }; } export { Big as Parser };`;
    await expect(judge(source)).rejects.toThrow('what it reports cannot be written as JSON: TypeError');
  });

  it('that takes a call back violates S3', async () => {
    const flips =
      "push(e) { if (e.type === 'tool-delta') this.calls = this.calls.length ? [] : [{ name: 'x', arguments: '{}' }]; }";
    const { judged } = await judge(`export const createParser = () => ({ calls: [], ${flips}, end() {} });`);
    expect(violated(judged)).toContain('S3 content 2');
  });

  it('that changes a call in place violates S2', async () => {
    const grows = `push(e) {
      if (e.type !== 'tool-delta') return;
      if (this.calls.length === 0) this.calls.push({ name: 't', id: 'a', arguments: '{}' });
      else this.calls[0].arguments = '{"n":' + ++this.n + '}';
    }`;
    const { judged } = await judge(`export const createParser = () => ({ n: 0, calls: [], ${grows}, end() {} });`);
    expect(violated(judged)).toContain('S2 content 2');
  });
});

describe('a parser that stops being one', () => {
  const atFourth = (statement: string): string =>
    `export const createParser = () => ({ calls: [], n: 0, push() { if (++this.n === 4) { ${statement} } }, end() {} });`;

  it.each([
    ['throws', atFourth("throw new TypeError('boom')"), 'the parser threw in push of tool-delta: TypeError: boom', 4],
    ['throws something', atFourth("throw 'up'"), 'the parser threw in push of tool-delta: up', 4],
    [
      'loses its calls',
      atFourth('this.calls = null'),
      'in push of tool-delta: calls is null, an array of calls is wanted',
      4,
    ],
    [
      'has a call without a name',
      atFourth("this.calls = [{ arguments: '{}' }]"),
      'in push of tool-delta: calls[0].name: Invalid input: expected string, received undefined',
      4,
    ],
    [
      'runs arguments that are no object',
      atFourth("this.calls = [{ name: 't', arguments: '{\"a\":' }]"),
      'in push of tool-delta: calls[0]: an executable call\'s arguments are the text of a JSON object, not {"a":',
      4,
    ],
    [
      'has a call without arguments',
      atFourth("this.calls = [{ name: 't' }]"),
      'in push of tool-delta: calls[0]: a call has one of "arguments" (JSON text), "values" and "args", not 0',
      4,
    ],
  ])('because it %s is told where, and the rest is judged as it was before', async (_, source, what, prefix) => {
    const { judged } = await judge(source);
    const whole = expect.stringMatching(/ \(asked: \{"type":"tool-delta","call":0,"text":.*\)$/);
    expect(answers(judged)).toMatchObject({ status: 'violated', first: { level: 'content', prefix, what: whole } });
    expect(JSON.stringify(answers(judged))).toContain(JSON.stringify(what).slice(1, -1));
  });

  it('because it is asynchronous is told what to do', async () => {
    const { judged } = await judge('export const createParser = () => ({ calls: [], async push() {}, end() {} });');
    expect(answers(judged)).toMatchObject({ status: 'violated', first: { prefix: 1 } });
    expect(JSON.stringify(answers(judged))).toContain('push returned a promise');
  });

  it('because it loops for ever is stopped, and told where it was', async () => {
    const { judged } = await judge(atFourth('for (;;);'), { timeout: 300 });
    expect(answers(judged)).toMatchObject({ status: 'violated', first: { prefix: 4 } });
    expect(JSON.stringify(answers(judged))).toMatch(
      /the process of parser\d+\.mjs gave no answer within 0\.3 s \(asked: /,
    );
  });
});

describe('what a module does out of turn', () => {
  it.each([
    [
      'rejects a promise',
      "Promise.reject(new Error('lost'))",
      'a promise that nobody waited for was rejected, here or at a message before: Error: lost',
    ],
    [
      'throws in a callback',
      "setImmediate(() => { throw new Error('late'); })",
      'a callback that it had left behind threw, here or at a message before: Error: late',
    ],
    ['calls process.exit', 'process.exit(0)', 'the parser called process.exit'],
    ['ends its process', 'process.kill(process.pid, "SIGKILL")', '.mjs was ended by SIGKILL'],
  ])('is told of the stream, where it %s', async (_, statement, what) => {
    const source = `export const createParser = () => ({ calls: [], push() {}, end() { ${statement}; } });`;
    const { judged } = await judge(source);
    expect(answers(judged)?.status).toBe('violated');
    expect(JSON.stringify(answers(judged))).toContain(what);
    expect(JSON.stringify(answers(judged))).toContain('(asked: {\\"type\\":\\"end\\"');
  });

  it('changes no event but its own', async () => {
    const source = `${EAGER} export const createParser = () => {
      const p = new Parser();
      return { calls: p.calls, end() {}, push(e) { p.push({ ...e, bytes: e.bytes?.slice() }); e.bytes?.fill(0); e.type = 'text'; } };
    };`;
    const { judged } = await judge(source);
    const { judged: plain } = await judge(`${EAGER} export { Parser };`);
    expect(judged.outcomes).toEqual(plain.outcomes);
  });

  it('may be printing: it is passed on, and no answer', async () => {
    let said = '';
    const path = file("export const createParser = () => ({ calls: [], push() { console.log('seen'); }, end() {} });");
    const onStderr = (text: string): void => {
      said += text;
    };
    const parser = await openModule(path, { protocol: undefined, timeout: 5000, onStderr });
    const judged = await parser.check((foreign) => checkRecording(stream, { ...foreign, protocol: 'json-object' }));
    await parser.close();
    expect([answers(judged)?.status, said.startsWith('seen\nseen\n')]).toEqual(['holds', true]);
  });
});

describe('a file that is no parser', () => {
  it.each([
    ['export const x = 1;', /exports x; wanted is a function createParser/],
    ['export default 5;', /exports default; wanted/],
    ['this is no JavaScript', /cannot be loaded: \w+/],
    ["throw new Error('at home')", /cannot be loaded: Error: at home/],
    ['export const createParser = () => ({ calls: [], end() {} });', /no parser: it has no method push/],
    ['export const createParser = () => ({ push() {}, end() {} });', /no parser: it has neither an array "calls"/],
    ['export const createParser = async () => ({});', /no parser: createParser gives a promise/],
    [
      "export const protocol = 'p'; export const createParser = () => ({ calls: [], push() {}, end() {} });",
      /"p"; known are/,
    ],
  ])('is refused: %s', async (source, message) => {
    await expect(
      openModule(file(source), { protocol: undefined, timeout: 5000, onStderr: () => undefined }),
    ).rejects.toThrow(message);
  });

  it.each([
    ['while it is loaded', 'for (;;);'],
    ['in createParser', 'export const createParser = () => { for (;;); };'],
  ])(
    'is refused if it loops for ever %s',
    async (_, source) => {
      const opening = openModule(file(source), {
        protocol: undefined,
        timeout: 300,
        startTimeout: 3000,
        onStderr: () => undefined,
      });
      await expect(opening).rejects.toThrow(/\.mjs: its process gave no answer within \d+(\.\d+)? s \(while it was/);
    },
    30_000,
  );

  it('is refused if it is not there', async () => {
    const absent = join(folder, 'absent.mjs');
    await expect(openModule(absent, { protocol: undefined, timeout: 5000, onStderr: () => undefined })).rejects.toThrow(
      `${absent}: no such file`,
    );
  });
});

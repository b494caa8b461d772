import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { argumentsAsJson } from '../parsers/call.ts';
import { loadSuites } from '../replay/load.ts';
import type { Recording } from '../replay/recording.ts';
import { reframedSuite } from '../replay/reframe.ts';
import { seededDraw } from '../replay/seeded.ts';
import { modelName } from '../serve/catalogue.ts';
import type { Exchange } from '../serve/exchange.ts';
import { allowedCalls } from './irrevocable.ts';
import { ctlCall, inMemory, LiveAgent, recordedTurn } from './live-agent.ts';
import { AGENT_PROTOCOLS, PROTOCOL_RULES } from './protocol.ts';
import { deferred } from './test-server.ts';
import { listDir } from './tools/list-dir.ts';
import { writeFile } from './tools/write-file.ts';

const stored = await loadSuites(fileURLToPath(new URL('../../recordings', import.meta.url)));
const replies = stored.filter(({ suite }) => suite === 'replies');
const reframed = await reframedSuite(replies, 'test');
const agent = new LiveAgent();
beforeEach(() => agent.clear());
afterAll(() => agent.remove());

function find(suite: readonly Recording[], file: string): Recording {
  const found = suite.find((recording) => recording.file === file);
  if (found === undefined) throw new Error(`no recording ${file}`);
  return found;
}

/** What is on disk after these calls, if nothing but `write_file` is run. */
function written(calls: ReturnType<typeof allowedCalls>['calls']): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { name, args } of calls) {
    const { path, content } = argumentsAsJson(args) as { path: string; content: string };
    if (name === 'write_file') files[path] = content;
  }
  return files;
}

describe('the same task under all protocols', () => {
  it('leaves the same files on disk, byte for byte', async () => {
    const results: unknown[] = [];
    for (const protocol of AGENT_PROTOCOLS) {
      const recording = find(reframed, `t14.${PROTOCOL_RULES[protocol].framing}.sse`);
      const { outcome } = await agent.run({
        protocol,
        recordings: [recording],
        turns: [recordedTurn(modelName(recording))],
      });
      results.push([outcome.type, agent.files()]);
      agent.clear();
    }
    const files = written(allowedCalls('native-eos', await find(reframed, 't14.native.sse').bytes()).calls);
    expect(Object.keys(files)).toHaveLength(5);
    expect(results).toEqual(AGENT_PROTOCOLS.map(() => ['finished', files]));
  });
});

describe('what is on disk when an answer is cut', () => {
  const SUBSET = ['t14', 't15', 't22', 't26', 't09'];
  const pairs = AGENT_PROTOCOLS.flatMap((protocol) =>
    [...reframed, ...replies]
      .filter(({ framing, task }) => framing === PROTOCOL_RULES[protocol].framing && SUBSET.includes(task))
      .map((recording) => ({ protocol, recording, name: `${modelName(recording)} under ${protocol}` })),
  );

  it.each(pairs)('is what the confirmed calls wrote: $name', async ({ protocol, recording, name }) => {
    const bytes = await recording.bytes();
    const draw = seededDraw(name);
    for (const length of [draw(bytes.length), draw(bytes.length), bytes.length - 1]) {
      const turns = [recordedTurn(modelName(recording), `cut@${length}`)];
      const tools = [writeFile, listDir];
      await agent.run({ protocol, recordings: [recording], turns, tools, maxTurns: 1 });
      expect(agent.files()).toEqual(written(allowedCalls(protocol, bytes.subarray(0, length)).calls));
      agent.clear();
    }
  });
});

describe('an imagined result', () => {
  it('ends the reading: the server sees the connection end early, and the session knows nothing of it', async () => {
    const text = `${ctlCall('c1', 'list_dir', { path: '.' })}Result: a.txt\n${'and so on\n'.repeat(40_000)}`;
    const recording = inMemory('imagined', text);
    const gone = deferred<Exchange>();
    const { outcome, records } = await agent.run({
      protocol: 'ctl',
      recordings: [recording],
      turns: [recordedTurn('s/imagined', 'trickle:2000:1')],
      observer: { ended: (exchange) => gone.resolve(exchange) },
    });
    const exchange = await gone.promise;
    // `failed` if the server was writing just then.
    expect(['client-closed', 'failed']).toContain(exchange.end);
    expect(exchange.given).toBeLessThan(recording.size);
    expect(outcome).toEqual({ type: 'finished' });
    expect(JSON.stringify(records)).not.toMatch(/Result|and so on/);
  });

  it('of the crafted suite leaves the second call unrun, though it came in the same chunk', async () => {
    const recording = find(stored, 'case-71-ctl-imagined-result.ctl.sse');
    const ran: string[] = [];
    const { exchanges } = await agent.run({
      protocol: 'ctl',
      recordings: [recording],
      turns: [recordedTurn(modelName(recording))],
      execute: async ({ id }) => {
        ran.push(id);
        return { type: 'result', exit: 0, output: '' };
      },
    });
    expect(ran).toEqual(['c1']);
    expect(exchanges.map(({ choice }) => choice?.turn)).toEqual([1, 2]);
  });
});

describe('while a tool runs', () => {
  it('nothing is read: the socket of the server fills, and drains when the tool has ended', async () => {
    const MIB = 1024 * 1024;
    const calls = Array.from({ length: 24 }, (_, at) =>
      ctlCall(`c${at}`, 'write_file', { path: `${at}`, content: 'x'.repeat(MIB) }),
    );
    const full = deferred<Exchange>();
    const order: string[] = [];
    const { outcome, exchanges } = await agent.run({
      protocol: 'ctl',
      recordings: [inMemory('long', `${ctlCall('wait', 'shell', { command: 'sleep 1' })}${calls.join('')}`)],
      turns: [recordedTurn('s/long')],
      maxTurns: 1,
      observer: {
        refused: (exchange) => {
          order.push('refused');
          full.resolve(exchange);
        },
        drained: () => order.push('drained'),
      },
      execute: async ({ id }) => {
        // The tool ends when the server has been stopped by it, and not before.
        if (id === 'wait') await full.promise;
        order.push(`${id} has run`);
        return { type: 'result', exit: 0, output: '' };
      },
    });
    expect(outcome).toEqual({ type: 'turn-limit', turns: 1 });
    expect(order.slice(0, 2)).toEqual(['refused', 'wait has run']);
    expect(order).toContain('drained');
    expect(order.filter((event) => event.endsWith('has run'))).toHaveLength(25);
    expect(exchanges[0]?.refusals.every(({ drained }) => drained)).toBe(true);
  });
});

describe('faults of the server', () => {
  const text = `${ctlCall('c1', 'write_file', { path: 'a', content: 'one\n' })}${ctlCall('c2', 'write_file', { path: 'b', content: 'two\n' })}`;
  const recording = inMemory('faulty', text);
  const run = (fault: string, more: { idleLimit?: number; retries?: number } = {}) =>
    agent.run({
      protocol: 'ctl',
      recordings: [recording, inMemory('again', text)],
      turns: [recordedTurn('s/faulty', fault), recordedTurn('s/again')],
      ...more,
    });
  const both = { a: 'one\n', b: 'two\n' };

  it.each(['cut@0', 'cut@300', 'reset@0', 'reset@300', `stall@${recording.size - 20}`])(
    '%s: what had not come is asked for again',
    async (fault) => {
      const turns = [
        { ...recordedTurn('s/faulty', fault), faults: recordedTurn('', fault).faults.map((f) => ({ ...f, times: 1 })) },
        recordedTurn('s/again'),
      ];
      const { outcome } = await agent.run({
        protocol: 'ctl',
        recordings: [recording, inMemory('again', text)],
        turns,
        idleLimit: 200,
      });
      expect([outcome.type, agent.files()]).toEqual(['finished', both]);
    },
  );

  it.each(['trickle:64:0', 'stall@100:20'])('%s changes nothing', async (fault) => {
    const { outcome, exchanges } = await run(fault);
    expect([outcome.type, agent.files()]).toEqual(['finished', both]);
    expect(exchanges).toHaveLength(3);
  });

  it('duplicate@300: what the answer then is goes by the contract', async () => {
    const { records } = await run('duplicate@300');
    expect(records.filter(({ type }) => type === 'tool_parse_error')).toHaveLength(1);
  });

  it.each(['status:429:2', 'status:503'])('%s is tried again, and in the end given up', async (fault) => {
    const { outcome, exchanges, waits } = await run(fault, { retries: 2 });
    expect(outcome).toMatchObject({
      type: 'model-failed',
      problem: expect.stringContaining(`answered ${fault.slice(7, 10)}`),
    });
    expect(exchanges.map(({ choice }) => choice?.attempt)).toEqual([1, 2, 3]);
    expect(waits).toEqual(fault === 'status:429:2' ? [2000, 2000] : [500, 1000]);
  });

  it('a 429 that passes costs nothing but the wait', async () => {
    const turn = {
      answer: { recording: 's/faulty' },
      faults: [{ ...recordedTurn('', 'status:429:1').faults[0]!, times: 1 }],
    };
    const { outcome, waits } = await agent.run({ protocol: 'ctl', recordings: [recording], turns: [turn] });
    expect([outcome.type, waits, agent.files()]).toEqual(['finished', [1000], both]);
  });
});

describe('the key', () => {
  it('is in no record and no event, even if a command prints it', async () => {
    const key = 'sk-0123456789abcdef';
    const recording = inMemory('leak', ctlCall('c1', 'shell', { command: 'printf %s%s sk-0123456789 abcdef' }));
    const { records, events, exchanges } = await agent.run({
      protocol: 'ctl',
      recordings: [recording],
      turns: [recordedTurn('s/leak')],
      key,
    });
    expect(records.find(({ type }) => type === 'result')).toMatchObject({ output: '[key]' });
    expect(JSON.stringify([records, events, exchanges.map(({ body }) => body)])).not.toContain(key);
  });

  it('is in no record, event and message, even if a server repeats it in the stream, or the model writes it', async () => {
    const key = 'sk-0123456789abcdef';
    const error = Buffer.from(`data: {"error":{"message":"Incorrect API key provided: ${key}."}}\n\n`);
    for (const recording of [inMemory('refused', error), inMemory('echo', `Your key is ${key}.\n`)]) {
      const run = {
        protocol: 'ctl',
        recordings: [recording],
        turns: [recordedTurn(modelName(recording))],
        key,
      } as const;
      const { records, events, exchanges } = await agent.run({ ...run, retries: 1 });
      expect(records.some(({ type }) => type === 'stop')).toBe(true);
      expect(JSON.stringify([records, events, exchanges.map(({ body }) => body)])).not.toContain(key);
    }
  });
});

import { describe, expect, it } from 'vitest';
import type { Recording } from '../harness/replay/recording.ts';
import { peerCalls } from './peers-calls.ts';
import { OPENAI_POLICY, POLICY_ORDER } from './peers-order.ts';
import { POLICIES, versionOf } from './peers-policies.ts';
import type { PeerRow } from './peers-rows.ts';
import { runPeers } from './peers-run.ts';
import { summarise } from './peers-summary.ts';

function chunk(delta: object, finish_reason: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}

function opens(index: number, args: string): string {
  const call = { index, id: `c${index}`, type: 'function', function: { name: 't', arguments: args } };
  return chunk({ role: 'assistant', tool_calls: [call] });
}

function more(index: number, args: string): string {
  return chunk({ tool_calls: [{ index, function: { arguments: args } }] });
}

const finish = `${chunk({}, 'tool_calls')}data: [DONE]\n\n`;

function recording(text: string): Recording {
  const bytes = Buffer.from(text);
  return {
    suite: 'mine',
    file: 'x.native.sse',
    task: 'x',
    framing: 'native',
    guessed: false,
    wire: 'openai-chat',
    sha256: '',
    size: bytes.length,
    source: 'unknown',
    expectations: [],
    bytes: async () => bytes,
  };
}

async function rowsOf(text: string): Promise<ReadonlyMap<string, PeerRow>> {
  return new Map((await runPeers(recording(text))).map((row) => [row.policy, row]));
}

const STRICT = POLICIES.filter(({ trigger }) => trigger === 'complete' || trigger === 'closed').map(({ name }) => name);
const GUESSING = POLICIES.filter(({ trigger }) => trigger === 'member').map(({ name }) => name);

describe('arguments that come whole, in pieces', () => {
  const text = opens(0, '{"path"') + more(0, ':"src/a') + more(0, 'b"}') + finish;

  it('are run right by a policy that waits for a complete parse', async () => {
    const rows = await rowsOf(text);
    for (const name of [...STRICT, OPENAI_POLICY]) {
      expect([name, rows.get(name)]).toMatchObject([name, { calls: 1, ran: 1, s1: 0, s2: 0, lost: 0, threw: null }]);
    }
  });

  it('are run too early, and otherwise, by one that takes a repaired parse', async () => {
    const rows = await rowsOf(text);
    for (const name of GUESSING) {
      expect([name, rows.get(name)]).toMatchObject([name, { ran: 1, early: 1, s2: 1, wrong: 1, lost: 0 }]);
    }
    expect(rows.get('partial-json, Allow.ALL')).toMatchObject({
      firstPrefix: 9,
      firstWhat: 'ran t {"path":""}, the call is {"path":"src/ab"}',
    });
  });
});

describe('an empty object that is no end', () => {
  const text = opens(0, '{}') + more(0, '{"path":"src"}') + finish;

  it('is run by whoever waits for a complete parse, and is no call', async () => {
    const rows = await rowsOf(text);
    for (const name of STRICT) expect([name, rows.get(name)]).toMatchObject([name, { calls: 0, ran: 1, foreign: 1 }]);
    expect(rows.get('ai parsePartialJson, successful-parse')).toMatchObject({ firstPrefix: 2, s3: 1 });
  });

  it('is not run by whoever waits for the end', async () => {
    const rows = await rowsOf(text);
    expect(rows.get('JSON.parse at the end')).toMatchObject({ ran: 0, s1: 0 });
    expect(rows.get(OPENAI_POLICY)).toMatchObject({ ran: 0, s1: 0, threw: null });
  });
});

describe('the openai helper', () => {
  it('says that arguments are done when the answer was cut by its length', async () => {
    const row = (await rowsOf(`${opens(0, '{"k":1}')}${chunk({}, 'length')}data: [DONE]\n\n`)).get(OPENAI_POLICY);
    expect(row).toMatchObject({ end: 'cut', calls: 0, ran: 1, foreign: 1, firstPrefix: 7 });
  });

  it('says so at the next index, with the bytes that had come by then', async () => {
    const row = (await rowsOf(opens(0, '{}') + opens(1, '{"k":1}') + more(0, '{"x":1}') + finish)).get(OPENAI_POLICY);
    expect(row).toMatchObject({ calls: 1, ran: 2, foreign: 1, firstPrefix: 9 });
  });

  it('throws on a chunk without a type, and the call is lost', async () => {
    const bare = chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 't', arguments: '{}' } }] });
    const row = (await rowsOf(bare + finish)).get(OPENAI_POLICY);
    expect(row).toMatchObject({ calls: 1, ran: 0, lost: 1, threw: 'tool call snapshot missing `type`' });
  });
});

describe('what a library gets to see', () => {
  it('is whole characters, each with the bytes that had come', () => {
    const bytes = Buffer.from('"é"');
    const events = [{ type: 'tool-delta', at: 0, call: 0, name: 't', bytes } as const];
    expect(peerCalls(events, 'character')[0]?.pieces).toEqual([
      { text: '"', delivered: 1 },
      { text: 'é', delivered: 3 },
      { text: '"', delivered: 4 },
    ]);
    expect(peerCalls(events, 'delta')[0]?.pieces).toEqual([{ text: '"é"', delivered: 4 }]);
  });
});

describe('the table', () => {
  it('has a row for every policy and suite, with the version that is installed', async () => {
    const summaries = summarise(await runPeers(recording(opens(0, '{"k":[1,2]}') + finish)));
    expect(summaries.filter(({ suite }) => suite === 'mine').map(({ policy }) => policy)).toEqual(
      POLICY_ORDER.map(({ name }) => name),
    );
    expect(summaries.find(({ policy }) => policy === 'jsonrepair')).toMatchObject({
      version: versionOf('jsonrepair'),
      streams: 1,
      harmed: 1,
      firstRecording: 'mine/x.native.sse',
    });
    expect(versionOf('jsonrepair')).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

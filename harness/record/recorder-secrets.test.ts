import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifySuites } from '../replay/load.ts';
import { textBytes } from '../serve/test-server.ts';
import type { Outcome } from './recorder.ts';
import { ModelServers, runRecord, TestSuites } from './test-record.ts';

const servers = new ModelServers();
let suites: TestSuites;

beforeEach(() => {
  suites = new TestSuites();
});
afterEach(async () => {
  await servers.stop();
  suites.remove();
});

const CHAT = '/v1/chat/completions';

async function serve(bytes: Uint8Array): Promise<string> {
  return `${(await servers.serve(bytes)).url}${CHAT}`;
}

async function serveBy(listener: RequestListener): Promise<string> {
  return `${await servers.serveBy(listener)}${CHAT}`;
}

async function storedBytes(): Promise<readonly string[]> {
  return Promise.all((await suites.load()).map(async (one) => Buffer.from(await one.bytes()).toString()));
}

function problemOf(outcome: Outcome | undefined): string {
  return outcome !== undefined && 'problem' in outcome && outcome.problem !== null ? outcome.problem : '';
}

describe('a secret in an answer', () => {
  const key = 'secretvalue-0123456789';
  const secrets = { known: [key], redact: false };

  test('is not stored', async () => {
    const { outcomes } = await runRecord({ url: await serve(textBytes('x', `my key is ${key}`)), suites, secrets });
    expect(outcomes[0]?.kind).toBe('refused');
    expect(problemOf(outcomes[0])).toMatch(/^a secret \(.+\) at byte \d+ in the answer$/);
    expect(await problems()).toEqual([]);
  });

  test('is masked where that was asked for, byte for byte', async () => {
    const bytes = textBytes('x', `my key is ${key}`);
    await runRecord({ url: await serve(bytes), suites, secrets: { ...secrets, redact: true } });
    const [text] = await storedBytes();
    expect(text).toBe(Buffer.from(bytes).toString().replace(key, '*'.repeat(key.length)));
    expect((await suites.load())[0]?.note).toBe('A secret was masked.');
  });

  test('in pieces of several deltas cannot be masked, and is not stored', async () => {
    const url = await serve(textBytes(`key ${key.slice(0, 7)}`, key.slice(7, 15), key.slice(15)));
    for (const redact of [false, true]) {
      const { outcomes } = await runRecord({ url, suites, secrets: { ...secrets, redact } });
      expect(outcomes[0]?.kind).toBe('refused');
      expect(problemOf(outcomes[0])).toMatch(/at byte 4 of the text, in pieces that cannot be masked$/);
    }
    expect(await problems()).toEqual([]);
  });

  async function problems(): Promise<readonly string[]> {
    const { recordings, problems: found } = await verifySuites(suites.dir);
    expect(recordings).toBe(0);
    return found.map(({ message }) => message).filter((message) => !message.includes('no manifest and no .sse'));
  }
});

describe('an answer of Anthropic', () => {
  const key = 'secretvalue-0123456789';
  const messages = (...parts: readonly string[]): Buffer => {
    const events = [
      { type: 'message_start', message: { id: 'msg_1', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c1', name: 't', input: {} } },
      ...parts.map((json) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: json },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ];
    return Buffer.from(events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join(''));
  };
  const asked = { wire: 'anthropic', secrets: { known: [key], redact: true } } as const;

  test('is stored in its own wire format, and asked for with the key in its own header', async () => {
    let heard: readonly unknown[] = [];
    const bytes = messages('{"a":', '1}');
    const url = await serveBy((req, res) => {
      heard = [req.headers['x-api-key'], req.headers.authorization, req.headers['accept-encoding']];
      res.setHeader('content-type', 'text/event-stream').end(bytes);
    });
    await runRecord({
      ...asked,
      url,
      suites,
      plan: { settings: { wire: 'anthropic', systems: new Map(), fields: {} } },
    });
    expect(heard).toEqual([key, undefined, 'identity']);
    const [recording] = await suites.load();
    expect([recording?.wire, await storedBytes()]).toEqual(['anthropic', [bytes.toString()]]);
    const [{ request } = { request: null }] = suites.manifest().recordings;
    expect(request?.parameters).toMatchObject({ stream: true, max_tokens: 4096, system: expect.any(String) });
  });

  test('with the key in pieces of its arguments is not stored', async () => {
    const bytes = messages(`{"a":"${key.slice(0, 9)}`, `${key.slice(9)}"}`);
    const url = await serveBy((_, res) => void res.setHeader('content-type', 'text/event-stream').end(bytes));
    const { outcomes } = await runRecord({ ...asked, url, suites });
    expect(problemOf(outcomes[0])).toMatch(/of the arguments of call 0, in pieces that cannot be masked$/);
  });
});

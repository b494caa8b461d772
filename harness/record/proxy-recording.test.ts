import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSuites } from '../replay/load.ts';
import { chatBody, textBytes } from '../serve/test-server.ts';
import { ask, bytesOf, TestProxies } from './test-proxy.ts';
import { BODY } from './test-record.ts';
import { ThreadStore } from './thread-store.ts';

let proxies: TestProxies;
beforeEach(() => {
  proxies = new TestProxies();
});
afterEach(() => proxies.end());

describe('what is stored', () => {
  const key = 'secretvalue-0123456789';
  const headers = { authorization: `Bearer ${key}` };

  test('has no key, whatever header or query it came in', async () => {
    const proxy = await proxies.to((await proxies.serve(BODY)).url);
    await bytesOf(await ask(proxy, { ...headers, 'x-api-key': key, cookie: `a=${key}` }));
    const url = `${proxy.url}/v1/chat/completions?key=${key}`;
    await (await request(url, { method: 'POST', body: chatBody('s/t01') })).body.text();
    await proxies.settled(2);
    expect(proxies.seen.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
    expect(proxies.suites.everything().text).not.toMatch(/secretvalue|authorization|x-api-key|cookie/i);
  });

  test('is nothing if the answer holds the key; the client has it all the same', async () => {
    const bytes = textBytes(`your key is ${key}`);
    const proxy = await proxies.to((await proxies.serve(bytes)).url);
    expect((await bytesOf(await ask(proxy, headers))).equals(bytes)).toBe(true);
    await proxies.settled();
    expect(proxies.seen[0]).toMatchObject({ file: null, lost: true });
    expect(proxies.seen[0]?.problem).toMatch(/^a secret \(.+\) at byte \d+ in the answer$/);
    expect(JSON.stringify(proxies.seen)).not.toContain(key);
  });

  test('is masked where that was asked for', async () => {
    const bytes = textBytes(`your key is ${key}`);
    const proxy = await proxies.to((await proxies.serve(bytes)).url, { redact: true });
    expect((await bytesOf(await ask(proxy, headers))).equals(bytes)).toBe(true);
    await proxies.settled();
    const [recording] = await proxies.suites.load();
    expect([recording?.size, recording?.note]).toEqual([bytes.length, 'A secret was masked.']);
    expect(proxies.suites.everything().text).not.toContain(key);
  });

  test('of a compressed answer are the decoded bytes, without times', async () => {
    const packed = gzipSync(BODY);
    const target = await proxies.serveBy((_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end(packed);
    });
    const got = await bytesOf(await ask(await proxies.to(target)));
    expect([got.equals(packed), gunzipSync(got).equals(BODY)]).toEqual([true, true]);
    await proxies.settled();
    const [recording] = await proxies.suites.load();
    expect(Buffer.from((await recording?.bytes()) ?? []).equals(BODY)).toBe(true);
    expect(await recording?.arrivals?.()).toBeNull();
    expect(recording?.note).toBe('It came compressed (gzip); these are the decoded bytes, without times.');
  });

  test('is named by the path or by a hash of the request, and its protocol guessed', async () => {
    const { url } = await proxies.serve(BODY);
    const proxy = await proxies.to(url, { taskFrom: 'path', protocol: null });
    const address = `${proxy.url}/t07/v1/chat/completions`;
    await (await request(address, { method: 'POST', body: chatBody('s/t01') })).body.text();
    await bytesOf(await ask(await proxies.to(url)));
    await proxies.settled(2);
    const stored = await proxies.suites.load();
    expect(stored.map(({ file }) => file)).toEqual([
      expect.stringMatching(/^request-[0-9a-f]{12}\.ctl\.sse$/),
      't07.ctl.sse',
    ]);
    expect(stored[1]?.note).toBe('The protocol was guessed from the answer.');
  });

  test.each([
    [
      '/v1/messages',
      '{"model":"m","system":"s","messages":[{"role":"user"}]}',
      'm',
      [{ role: 'user' }],
      { system: 's' },
    ],
    ['/v1/responses', '{"model":"m","input":"hi"}', 'm', [], { input: 'hi' }],
    ['/v1beta/models/g-1:streamGenerateContent?alt=sse', '{"contents":[{"parts":[]}]}', 'g-1', [{ parts: [] }], {}],
  ])('has the request to %s in its parts', async (path, body, model, messages, parameters) => {
    const target = await proxies.serveBy((_, res) => void res.setHeader('content-type', 'text/event-stream').end(BODY));
    const proxy = await proxies.to(target);
    await (await request(`${proxy.url}${path}`, { method: 'POST', body, headers: { 'x-cst-task': 'a' } })).body.text();
    await proxies.settled();
    expect(proxies.suites.manifest().recordings[0]).toMatchObject({ model, request: { messages, parameters } });
  });

  test('lacks a request that cannot be kept, and says so', async () => {
    const target = await proxies.serveBy((_, res) => void res.setHeader('content-type', 'text/event-stream').end(BODY));
    const proxy = await proxies.to(target);
    for (const body of ['no JSON', '{"api_key":"x","messages":[]}']) await bytesOf(await ask(proxy, {}, body));
    await proxies.settled(2);
    const notes = proxies.suites.manifest().recordings.map(({ request: kept, note }) => [kept, note]);
    expect(notes.sort()).toEqual([
      [null, 'The request has a field for a key or a header, and is not kept.'],
      [null, 'The request is unknown.'],
    ]);
  });

  test('has another name where the client named a task that cannot be one, and that is said before the answer', async () => {
    const proxy = await proxies.to((await proxies.serve(BODY, ['stall@600'])).url);
    const { body } = await ask(proxy, { 'x-cst-task': '../a' });
    await new Promise((resolve) => body.once('data', resolve));
    expect(proxies.warnings).toEqual([expect.stringMatching(/^a task that cannot name a file \(4 characters; /)]);
    body.destroy();
    await proxies.settled();
    expect(proxies.seen[0]?.file).toMatch(/^request-[0-9a-f]{12}\.ctl\.sse$/);
  });

  test('has another name where the task is the key', async () => {
    const proxy = await proxies.to((await proxies.serve(BODY)).url);
    await bytesOf(await ask(proxy, { ...headers, 'x-cst-task': key }));
    await proxies.settled();
    expect(proxies.seen[0]).toMatchObject({ file: expect.stringMatching(/^request-/), lost: false });
    expect(proxies.suites.manifest().recordings[0]?.note).toBe('The task was named by a secret, which is left out.');
  });

  test('is the same when it is stored in a thread of its own, and the suite is free afterwards', async () => {
    const head = { suite: 's', about: 'a' };
    const limits = { protocol: 'ctl', provider: null, redact: false, keepLimit: BODY.length } as const;
    const store = await ThreadStore.open(join(proxies.suites.dir, 'threaded'), head, limits);
    const proxy = await proxies.to((await proxies.serve(BODY, ['trickle:700:1'])).url, { store });
    await bytesOf(await ask(proxy, { 'x-cst-task': 'a' }));
    await bytesOf(await ask(proxy, { 'x-cst-task': 'b' }, chatBody('s/t01').padEnd(BODY.length + 10)));
    await proxies.settled(2);
    await store.close();
    expect(proxies.seen.map(({ file, problem }) => [file, problem])).toEqual([
      ['a.ctl.sse', null],
      ['b.ctl.sse', null],
    ]);
    const recordings = await loadSuites(join(proxies.suites.dir, 'threaded'));
    expect(recordings.map(({ note }) => note)).toEqual([undefined, 'The request is unknown.']);
    expect(Buffer.from((await recordings[0]?.bytes()) ?? []).equals(BODY)).toBe(true);
    expect(((await recordings[0]?.arrivals?.()) ?? []).length).toBeGreaterThanOrEqual(5);
    expect(readdirSync(join(proxies.suites.dir, 'threaded', 's')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('fails without the client noticing', async () => {
    const add = async (): Promise<string> => {
      throw new Error('no space left on the device');
    };
    const proxy = await proxies.to((await proxies.serve(BODY)).url, { writer: { add } });
    expect((await bytesOf(await ask(proxy))).equals(BODY)).toBe(true);
    await proxies.settled();
    expect(proxies.seen[0]).toMatchObject({ file: null, lost: true, problem: 'no space left on the device' });
  });

  test('is nothing beyond the limit of what is kept', async () => {
    const proxy = await proxies.to((await proxies.serve(BODY)).url, { keepLimit: 1000 });
    expect((await bytesOf(await ask(proxy))).equals(BODY)).toBe(true);
    await proxies.settled();
    expect(proxies.seen[0]?.problem).toBe(`the answer is too long to be kept (${BODY.length} bytes)`);
  });
});

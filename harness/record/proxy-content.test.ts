import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifySuites } from '../replay/load.ts';
import { ask, bytesOf, TestProxies } from './test-proxy.ts';
import { BODY } from './test-record.ts';

let proxies: TestProxies;
beforeEach(() => {
  proxies = new TestProxies();
});
afterEach(() => proxies.end());

const LIMITED = 'data: {"error":{"message":"Rate limit exceeded","code":429}}\n\n';
const PART = 'data: {"choices":[{"index":0,"delta":{"content":"call c1"}}]}\n\n';
const KEY = 'secretvalue-0123456789';
const SSE = { 'content-type': 'text/event-stream' };

/** What the client got of an answer, and what was said of it. */
async function passed(body: string | Uint8Array, headers: Record<string, string> = SSE): Promise<string> {
  const target = await proxies.serveBy((_, res) => void res.writeHead(200, headers).end(body));
  const got = await bytesOf(await ask(await proxies.to(target), { 'x-cst-task': 'a', authorization: `Bearer ${KEY}` }));
  expect(got.equals(Buffer.from(body))).toBe(true);
  await proxies.settled();
  const { file, problem, lost } = proxies.seen[0]!;
  return `${file}, ${problem}, ${lost ? 'lost' : 'not lost'}`;
}

describe('what is no answer passes, is not stored, and is no loss', () => {
  test.each([
    ['nothing but an error', LIMITED, 'nothing but an error in it: Rate limit exceeded'],
    [
      'an error with the key in it',
      `data: {"error":{"message":"wrong key ${KEY}"}}\n\n`,
      `nothing but an error in it: wrong key ${'*'.repeat(KEY.length)}`,
    ],
    ['a page', '<html>', 'no event of a known wire format in it'],
    ['comments', ': keep\n\n', 'no event of a known wire format in it'],
  ])('%s, which is said', async (_, body, words) => {
    expect(await passed(body)).toBe(`null, not stored, for there is ${words}, not lost`);
    expect((await verifySuites(proxies.suites.dir)).recordings).toBe(0);
  });

  test.each([
    ['JSON', '{"choices":[]}', { 'content-type': 'application/json' }],
    ['JSON without a type', '{"choices":[]}', {}],
    ['text', 'hello', { 'content-type': 'text/plain' }],
    ['text that cannot be decoded', 'hello', { 'content-type': 'text/plain', 'content-encoding': 'zstd' }],
  ])('%s, of which nothing is said', async (_, body, headers) => {
    expect(await passed(body, headers)).toBe('null, null, not lost');
  });
});

test('an answer that ends in an error is stored, and its note and its line say so', async () => {
  expect(await passed(PART + LIMITED)).toBe('a.ctl.sse, it ends in an error: Rate limit exceeded, not lost');
  const [recording] = await proxies.suites.load();
  expect([recording?.size, recording?.note]).toEqual([
    PART.length + LIMITED.length,
    'The answer ends in an error of the provider: Rate limit exceeded.',
  ]);
});

test.each([
  ['no type', BODY, {}],
  ['text/plain', BODY, { 'content-type': 'text/plain; charset=utf-8' }],
  ['application/octet-stream', BODY, { 'content-type': 'application/octet-stream' }],
  ['no type, compressed', gzipSync(BODY), { 'content-encoding': 'gzip' }],
])('a body that begins as an event stream is stored with %s', async (_, body, headers) => {
  expect(await passed(body, headers)).toBe('a.ctl.sse, null, not lost');
  const [recording] = await proxies.suites.load();
  expect(Buffer.from((await recording?.bytes()) ?? []).equals(BODY)).toBe(true);
});

import { afterEach, describe, expect, it } from 'vitest';
import { completionsUrl, ModelClient, type ModelClientOptions, type Retry } from './model-client.ts';
import { type Handler, status, streamOf, TestServer } from './test-server.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close();
});

const STREAM = streamOf(Buffer.from('data: [DONE]\n\n'));
const KEY = 'sk-very-secret-key';

async function client(handlers: readonly Handler[], options: Partial<ModelClientOptions> = {}) {
  const server = await TestServer.start(...handlers);
  const waits: number[] = [];
  const retries: Retry[] = [];
  const model = new ModelClient({
    url: completionsUrl(server.url) as URL,
    model: 'm',
    key: KEY,
    retries: 3,
    sleep: async (ms) => void waits.push(ms),
    ...options,
  });
  cleanUp.push(
    () => model.close(),
    () => server.close(),
  );
  const ask = (signal = new AbortController().signal) =>
    model.ask({ messages: [{ role: 'user', content: 'hi' }] }, { signal, onRetry: (retry) => retries.push(retry) });
  return { server, ask, waits, retries };
}

async function text(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let all = '';
  for await (const chunk of chunks) all += Buffer.from(chunk).toString('utf8');
  return all;
}

describe('a request', () => {
  it('is a streamed chat completion with the key as bearer', async () => {
    const { server, ask } = await client([STREAM]);
    expect(await text((await ask()).chunks)).toBe('data: [DONE]\n\n');
    expect(server.requests).toMatchObject([
      { url: '/v1/chat/completions', headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' } },
    ]);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
    });
  });

  it('has no authorization without a key', async () => {
    const { server, ask } = await client([STREAM], { key: undefined });
    await ask();
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('what can be tried again', () => {
  it.each([429, 500, 502, 503])('is a %d, with doubled waits', async (code) => {
    const { ask, waits, retries } = await client([status(code, ''), status(code, ''), STREAM]);
    await ask();
    expect(waits).toEqual([500, 1000]);
    expect(retries.map(({ attempt, of }) => [attempt, of])).toEqual([
      [2, 4],
      [3, 4],
    ]);
  });

  it('waits as long as the server asks', async () => {
    const { ask, waits } = await client([status(429, '', { 'retry-after': '7' }), STREAM]);
    await ask();
    expect(waits).toEqual([7000]);
  });

  it('is not waited for longer than a minute', async () => {
    const { ask, waits } = await client([status(429, '', { 'retry-after': '3600' })]);
    await expect(ask()).rejects.toThrow('it wants to be asked again after 3600 s');
    expect(waits).toEqual([]);
  });

  it('is tried so often, and not more', async () => {
    const { server, ask } = await client([status(500, { error: { message: 'out of memory' } })]);
    await expect(ask()).rejects.toThrow(/answered 500: out of memory$/);
    expect(server.requests).toHaveLength(4);
  });

  it('is a connection that is refused or closed', async () => {
    const closing: Handler = (response) => void response.destroy();
    const { ask, retries } = await client([closing, STREAM]);
    await ask();
    expect(retries[0]?.problem).toContain('the connection was closed before an answer came');
    const refused = await client([STREAM], { url: new URL('http://127.0.0.1:1/v1/chat/completions'), retries: 1 });
    await expect(refused.ask()).rejects.toThrow('http://127.0.0.1:1: nothing listens there (is the server running?)');
    expect(refused.waits).toEqual([500]);
  });

  it('is left when the run is cancelled while it waits', async () => {
    const controller = new AbortController();
    const { server, ask } = await client([status(500, '')], {
      sleep: async () => {
        controller.abort();
        throw new Error('aborted');
      },
    });
    await expect(ask(controller.signal)).rejects.toThrow();
    expect(server.requests).toHaveLength(1);
  });
});

describe('what is not tried again', () => {
  it.each([
    [401, 'set CST_API_KEY or OPENAI_API_KEY'],
    [403, 'may not use this model'],
    [404, 'no such model, or --base-url'],
    [400, 'answered 400: no'],
  ])('is a %d, with what to do', async (code, advice) => {
    const { server, ask } = await client([status(code, { error: { message: 'no' } })]);
    await expect(ask()).rejects.toThrow(advice);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [
      'a JSON object',
      status(200, { choices: [{ message: { content: 'hi' } }] }),
      'did not answer with an event stream',
    ],
    ['a page', status(200, '<html>hello</html>', { 'content-type': 'text/html' }), '<html>hello</html>'],
  ])('is %s instead of a stream', async (_, handler, shown) => {
    const { ask } = await client([handler]);
    await expect(ask()).rejects.toThrow(shown);
  });

  it('is shown shortened, on one line, and without the key', async () => {
    const { ask } = await client([status(401, { error: { message: `Bad key ${KEY}\n${'x'.repeat(5000)}` } })]);
    const { message } = (await ask().catch((error: Error) => error)) as Error;
    expect(message).toContain('Bad key [key] xxx');
    expect(message).not.toContain('\n');
    expect(message.length).toBeLessThan(500);
  });
});

describe('a base URL', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1/chat/completions'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/v1/chat/completions'],
    ['https://a.example/v1', 'https://a.example/v1/chat/completions'],
    ['https://a.example/api/v1/', 'https://a.example/api/v1/chat/completions'],
    ['https://a.example/v1beta/openai', 'https://a.example/v1beta/openai/chat/completions'],
    ['https://a.example/v1/chat/completions?x=1', 'https://a.example/v1/chat/completions?x=1'],
  ])('%s means %s', (base, url) => {
    expect(String(completionsUrl(base))).toBe(url);
  });

  it.each([
    ['localhost:8080', 'must begin with http:// or https://'],
    ['nonsense', 'is no URL'],
    ['https://user:pw@a.example', 'must not hold a name or a password'],
  ])('%s is refused', (base, problem) => {
    expect(completionsUrl(base)).toMatchObject({ problem: expect.stringContaining(problem) });
  });
});

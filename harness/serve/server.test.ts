import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { RecordingError } from '../replay/recording-error.ts';
import { armedFault } from './faults.ts';
import type { RunningServer } from './server.ts';
import { startServer } from './server.ts';
import { readScript } from './session.ts';
import { chatBody, inMemory, TestServers, textBytes } from './test-server.ts';

// Bytes that are no well-formed stream must come through all the same.
const ODD = Buffer.concat([
  Buffer.from('\ufeffdata: {"choices":[]}\r\r: \u00e9\ndata: '),
  Buffer.from([0xff, 0x00, 0x0d]),
]);
const A = textBytes('answer', ' a');
const B = textBytes('answer b');
const NATIVE = textBytes('native');
const RECORDINGS = [
  inMemory('odd', ODD),
  inMemory('a', A),
  inMemory('a', NATIVE, { framing: 'native' }),
  inMemory('b', B),
];

const servers = new TestServers();
afterEach(() => servers.stop());

async function chat({ baseUrl }: RunningServer, body: string, headers: Record<string, string> = {}) {
  const response = await request(`${baseUrl}/chat/completions`, { method: 'POST', body, headers });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, headers: response.headers, bytes, text: bytes.toString('utf8') };
}

async function answers(server: RunningServer, ...bodies: readonly string[]): Promise<Buffer[]> {
  const got: Buffer[] = [];
  for (const body of bodies) got.push((await chat(server, body)).bytes);
  return got;
}

describe('a streamed answer', () => {
  it('is the bytes of the recording', async () => {
    const server = await servers.start({ recordings: RECORDINGS });
    const { status, headers, bytes } = await chat(server, chatBody('s/odd.ctl'));
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/event-stream');
    expect(bytes).toEqual(ODD);
  });

  it('is the framing of the task that the request can read', async () => {
    const server = await servers.start({ recordings: RECORDINGS });
    const tools = { tools: [{ type: 'function' }] };
    expect(await answers(server, chatBody('s/a'), chatBody('s/a', tools), chatBody('s/a.ctl', tools))).toEqual(
      [A, NATIVE, A].map((bytes) => Buffer.from(bytes)),
    );
  });

  it('is "Done." from the second turn on', async () => {
    const server = await servers.start({ recordings: RECORDINGS });
    const [, second] = await answers(server, chatBody('s/a'), chatBody('s/a', {}, 2));
    expect(second?.toString()).toMatch(/"content":"Done\.".*"finish_reason":"stop".*data: \[DONE\]\n\n$/s);
  });

  it('is told to the observer, request body and all, but no header', async () => {
    const server = await servers.start({ recordings: RECORDINGS });
    const body = chatBody('s/a', { temperature: 0.5 });
    await chat(server, body, { authorization: 'Bearer very-secret' });
    const [exchange] = servers.exchanges;
    expect(exchange).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      body,
      model: 's/a',
      choice: { turn: 1, attempt: 1, recording: 's/a.ctl', faults: [] },
      status: 200,
      given: A.length,
      taken: A.length,
      refusals: [],
      end: 'complete',
      problem: null,
    });
    expect(JSON.stringify(exchange)).not.toContain('very-secret');
  });
});

describe('an answer that is not streamed', () => {
  it('is one message with its length', async () => {
    const server = await servers.start({ recordings: RECORDINGS });
    const { status, headers, bytes, text } = await chat(server, chatBody('s/a', { stream: false }));
    expect([status, headers['content-type'], headers['content-length']]).toEqual([
      200,
      'application/json',
      String(bytes.length),
    ]);
    expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { role: 'assistant', content: 'answer a' } }] });
  });

  it('is refused where the recording has no whole message', async () => {
    const server = await servers.start({ recordings: RECORDINGS });
    const { status, text } = await chat(server, chatBody('s/odd.ctl', { stream: false }));
    expect([status, JSON.parse(text).error.code]).toEqual([400, 'stream_required']);
  });
});

describe('a session', () => {
  const session = readScript(
    JSON.stringify({ turns: [{ recording: 's/b.ctl' }, { text: 'so far' }, { recording: 's/a' }], after: 'error' }),
    'session.json',
  );

  it('answers turn by turn whatever the model is called, and the same again to a retry', async () => {
    const server = await servers.start({ recordings: RECORDINGS, session });
    const model = 'some-model';
    const got = await answers(server, ...[1, 3, 1, 2].map((turn) => chatBody(model, {}, turn)));
    expect(got.slice(0, 3)).toEqual([B, A, B].map((bytes) => Buffer.from(bytes)));
    expect(got[3]?.toString()).toContain('so');
    expect(servers.exchanges.map(({ choice }) => [choice?.turn, choice?.attempt, choice?.recording])).toEqual([
      [1, 1, 's/b.ctl'],
      [3, 1, 's/a.ctl'],
      [1, 2, 's/b.ctl'],
      [2, 1, null],
    ]);
  });

  it('ends with an error if it says so', async () => {
    const server = await servers.start({ recordings: RECORDINGS, session });
    const { status, text } = await chat(server, chatBody('some-model', {}, 4));
    expect([status, JSON.parse(text).error]).toEqual([
      400,
      {
        message: 'This is turn 4 of the conversation, and the session has 3',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'no_more_turns',
      },
    ]);
  });

  it('leaves a model that names a recording to that recording', async () => {
    const server = await servers.start({ recordings: RECORDINGS, session });
    expect(await answers(server, chatBody('s/a.native'), chatBody(undefined))).toEqual([
      Buffer.from(NATIVE),
      Buffer.from(B),
    ]);
  });

  it('that names a recording that there is not is refused at the start', async () => {
    const bad = readScript('{"turns":[{"text":"x"},{"recording":"s/z"}]}', 'session.json');
    await expect(startServer({ recordings: RECORDINGS, session: bad })).rejects.toThrow(
      'there is no recording s/z; there are the recordings s/a.ctl, s/a.native, s/b.ctl, s/odd.ctl (turn 2)',
    );
  });
});

describe('the models', () => {
  it('are listed by name, and one by one', async () => {
    const server = await servers.start({ recordings: RECORDINGS });
    const list = await (await request(`${server.baseUrl}/models`)).body.json();
    expect(list).toEqual({
      object: 'list',
      data: ['s/a.ctl', 's/a.native', 's/b.ctl', 's/odd.ctl'].map((id) => ({
        id,
        object: 'model',
        created: 0,
        owned_by: 'cst-eval',
      })),
    });
    for (const name of ['s/b.ctl', 's%2Fb.ctl']) {
      expect(await (await request(`${server.baseUrl}/models/${name}`)).body.json()).toMatchObject({ id: 's/b.ctl' });
    }
  });

  it('have a default where there is a session', async () => {
    const session = readScript('{"turns":[{"text":"x"}]}', 'x');
    const server = await servers.start({ recordings: RECORDINGS, session });
    expect(server.models.at(-1)).toBe('default');
  });
});

describe('a request that is refused', () => {
  const cases: [string, string, string, string | undefined, number, RegExp][] = [
    ['an unknown path', 'GET', '/v1/chat', undefined, 404, /^There is no \/v1\/chat; there are POST/],
    ['a path that is no URL encoding', 'GET', '/v1/models/%', undefined, 404, /^There is no/],
    ['a wrong method', 'GET', '/v1/chat/completions', undefined, 405, /takes POST, OPTIONS, not GET$/],
    ['an unknown model', 'POST', '/v1/chat/completions', chatBody('gpt'), 404, /there is no recording gpt; there are/],
    ['an unknown model by name', 'GET', '/v1/models/gpt', undefined, 404, /there is no recording gpt/],
    ['no model', 'POST', '/v1/chat/completions', chatBody(undefined), 400, /^model: name a recording/],
    ['bad JSON', 'POST', '/v1/chat/completions', '{"model"', 400, /^The request body is not JSON/],
    ['an empty body', 'POST', '/v1/chat/completions', '', 400, /^The request body is not JSON/],
    ['no messages', 'POST', '/v1/chat/completions', '{"model":"s/a"}', 400, /^messages: /],
  ];

  it.each(cases)('for %s is answered with an error object', async (...row) => {
    const [, method, path, body, status, message] = row;
    const server = await servers.start({ recordings: RECORDINGS });
    const response = await request(`${server.url}${path}`, {
      method: method as 'GET',
      ...(body !== undefined && { body }),
    });
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('application/json');
    expect(await response.body.json()).toEqual({
      error: {
        message: expect.stringMatching(message),
        type: 'invalid_request_error',
        param: expect.toSatisfy((param) => param === null || typeof param === 'string'),
        code: expect.toSatisfy((code) => code === null || typeof code === 'string'),
      },
    });
    if (status === 405) expect(response.headers['allow']).toBe('POST, OPTIONS');
  });

  it.each([
    ['whose length is announced', (big: Buffer) => big],
    ['that comes in pieces', (big: Buffer) => [big.subarray(0, 900), big.subarray(900)].values() as never],
  ])('for a body %s and is too long is a 413', async (_, body) => {
    const server = await servers.start({ recordings: RECORDINGS, bodyLimit: 1000 });
    const fits = chatBody('s/a', { pad: '' });
    const exact = chatBody('s/a', { pad: 'x'.repeat(1000 - Buffer.byteLength(fits)) });
    expect((await chat(server, exact)).status).toBe(200);
    const url = `${server.baseUrl}/chat/completions`;
    const response = await request(url, { method: 'POST', body: body(Buffer.alloc(400_000, 'x')) });
    expect([response.statusCode, await response.body.json()]).toEqual([
      413,
      { error: expect.objectContaining({ message: 'The request body is longer than 1000 bytes' }) },
    ]);
    expect(servers.exchanges.at(-1)).toMatchObject({ status: 413, body: '', choice: null });
  });

  it('for a recording that has changed on disk is a 500 that says so, and the server goes on', async () => {
    const error = new RecordingError({ file: 's/c.ctl.sse', what: 'it changed', advice: 'Restore it' });
    const changed = { ...inMemory('c', A), bytes: () => Promise.reject(error) };
    const server = await servers.start({ recordings: [changed, ...RECORDINGS] });
    const { status, text } = await chat(server, chatBody('s/c'));
    expect([status, JSON.parse(text).error]).toMatchObject([500, { type: 'server_error', message: error.message }]);
    expect((await chat(server, chatBody('s/a'))).status).toBe(200);
  });
});

describe('other methods', () => {
  it('OPTIONS names what is allowed, HEAD has no body', async () => {
    const server = await servers.start({ recordings: RECORDINGS });
    const options = await request(`${server.baseUrl}/chat/completions`, { method: 'OPTIONS' });
    expect([options.statusCode, options.headers['allow'], await options.body.text()]).toEqual([
      204,
      'POST, OPTIONS',
      '',
    ]);
    const head = await request(`${server.baseUrl}/models`, { method: 'HEAD' });
    expect([head.statusCode, head.headers['content-type'], await head.body.text()]).toEqual([
      200,
      'application/json',
      '',
    ]);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(200);
  });
});

describe('where it listens', () => {
  it.each(['0.0.0.0', '192.0.2.1', '::', 'example.org'])('%s needs an explicit permission', async (host) => {
    await expect(startServer({ recordings: RECORDINGS, host })).rejects.toThrow(`${host} is not loopback`);
  });

  it('is loopback, with a URL that a client can use', async () => {
    const server = await servers.start({ recordings: RECORDINGS });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.baseUrl).toBe(`${server.url}/v1`);
  });

  it('is said where the port is in use', async () => {
    const { port } = await servers.start({ recordings: RECORDINGS });
    await expect(startServer({ recordings: RECORDINGS, port })).rejects.toThrow(
      `port ${port} of 127.0.0.1 is in use: choose another, or 0 for any free one`,
    );
  });

  it('is free again when the server is closed', async () => {
    const first = await startServer({ recordings: RECORDINGS });
    await first.close();
    const second = await servers.start({
      recordings: RECORDINGS,
      port: first.port,
      faults: [armedFault('status:500')],
    });
    expect(second.port).toBe(first.port);
  });
});

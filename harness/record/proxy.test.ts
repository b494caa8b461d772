import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifySuites } from '../replay/load.ts';
import { sha256 } from '../replay/stored-recording.ts';
import type { Exchange } from '../serve/exchange.ts';
import { LOOPBACK_HOST } from '../serve/server.ts';
import { inMemory, textBytes, until } from '../serve/test-server.ts';
import { ask, bytesOf, TestProxies } from './test-proxy.ts';
import { BODY } from './test-record.ts';

let proxies: TestProxies;
beforeEach(() => {
  proxies = new TestProxies();
});
afterEach(() => proxies.end());

describe('what passes is unchanged', () => {
  test('an answer of a server is the same for the client and in the suite', async () => {
    const proxy = await proxies.to((await proxies.serve(BODY, ['trickle:1000:1'])).url);
    const got = await bytesOf(await ask(proxy, { 'x-cst-task': 'mine' }));
    expect(got.equals(BODY)).toBe(true);
    await proxies.settled();
    expect(proxies.seen).toEqual([
      {
        ...{ method: 'POST', path: '/v1/chat/completions', status: 200, bytes: BODY.length, end: 'complete' },
        ...{ file: 'mine.ctl.sse', problem: null, lost: false },
      },
    ]);
    const [recording] = await proxies.suites.load();
    expect(Buffer.from((await recording?.bytes()) ?? []).equals(BODY)).toBe(true);
    expect(((await recording?.arrivals?.()) ?? []).length).toBeGreaterThanOrEqual(5);
    expect(recording).toMatchObject({ task: 'mine', model: 's/t01', source: 'recorded', framing: 'ctl' });
    const { recordings } = proxies.suites.manifest();
    expect(recordings[0]?.request).toEqual({
      messages: [{ role: 'user', content: 'do it' }],
      parameters: { stream: true },
    });
  });

  test('requests arrive as they were sent, but for what concerns one connection and the name of the task', async () => {
    const heard: { raw: readonly string[]; url: string; body: Buffer }[] = [];
    const target = await proxies.serveBy(async (req, res) => {
      heard.push({ raw: req.rawHeaders, url: req.url ?? '', body: Buffer.concat(await req.toArray()) });
      res.writeHead(207, 'Many Things', [
        'X-Twice',
        '1',
        'X-Twice',
        '2',
        'Connection',
        'x-hop',
        'X-Hop',
        'h',
        'Set-Cookie',
        'a=b',
      ]);
      res.end('no stream');
    });
    const proxy = await proxies.to(`${target}/base/`);
    const head = ['PUT /v1/x?y=%20z HTTP/1.1', 'Host: here', 'X-Mixed-Case: ü', 'X-CST-Task: t', 'X-Mixed-Case: two'];
    const fields = ['Connection: close, X-Mine', 'X-Mine: 1', 'Transfer-Encoding: chunked', 'TE: trailers', '', ''];
    const answer = await raw(proxy.port, `${[...head, ...fields].join('\r\n')}3\r\n\x00\xff\n\r\n0\r\n\r\n`);
    expect([heard[0]?.url, heard[0]?.body.toString('latin1')]).toEqual(['/base/v1/x?y=%20z', '\x00\xff\n']);
    const given = heard[0]!.raw.join('\n');
    expect(given).toMatch(/^host\n127\.0\.0\.1:\d+\n/i);
    expect(given).toContain('X-Mixed-Case\nü\nX-Mixed-Case\ntwo');
    expect(given).not.toMatch(/x-cst-task|x-mine|^te$/im);
    expect(answer).toMatch(/^HTTP\/1\.1 207 Many Things\r\nX-Twice: 1\r\nX-Twice: 2\r\nSet-Cookie: a=b\r\n/);
    expect(answer).not.toMatch(/x-hop/i);
    await proxies.settled();
    expect([proxies.seen[0]?.path, proxies.seen[0]?.file]).toEqual(['/base/v1/x', null]);
  });

  test('an answer is passed on while it comes', async () => {
    const proxy = await proxies.to((await proxies.serve(BODY, ['stall@500'])).url);
    const { body } = await ask(proxy);
    let got = 0;
    for await (const piece of body) {
      got += (piece as Buffer).length;
      if (got === 500) break;
    }
    expect(got).toBe(500);
  });

  test('several clients at once get each their own', async () => {
    const proxy = await proxies.to((await proxies.serve(BODY, ['trickle:700:1'])).url);
    const names = Array.from({ length: 12 }, (_, at) => `t${at + 10}`);
    const bodies = await Promise.all(names.map(async (name) => bytesOf(await ask(proxy, { 'x-cst-task': name }))));
    expect(bodies.every((body) => body.equals(BODY))).toBe(true);
    await proxies.settled(12);
    expect((await proxies.suites.load()).map(({ file }) => file)).toEqual(names.map((name) => `${name}.ctl.sse`));
    expect((await verifySuites(proxies.suites.dir)).problems).toEqual([]);
  });

  test('a client that does not read holds the server up', async () => {
    const huge = textBytes(...Array.from({ length: 24 }, () => 'x'.repeat(1024 * 1024)));
    let live: Exchange | undefined;
    const observer = {
      chosen: (exchange: Exchange) => {
        live = exchange;
      },
    };
    const server = await proxies.servers.start({ recordings: [inMemory('t01', huge)], observer });
    const proxy = await proxies.to(server.url, { keepLimit: 1 });
    const { body } = await ask(proxy);
    for (let before = -1; before !== live?.taken; await new Promise((resolve) => setTimeout(resolve, 100))) {
      before = live?.taken ?? 0;
    }
    expect(live.taken).toBeLessThan(huge.length / 2);
    const hash = createHash('sha256');
    for await (const piece of body) hash.update(piece as Buffer);
    expect(hash.digest('hex')).toBe(sha256(huge));
    await proxies.settled();
    expect([proxies.seen[0]?.bytes, proxies.seen[0]?.end]).toEqual([huge.length, 'complete']);
  });
});

describe('an answer that does not end well', () => {
  test('is cut for the client where the target cut it, and stored so', async () => {
    const proxy = await proxies.to((await proxies.serve(BODY, ['cut@700'])).url);
    await expect(bytesOf(await ask(proxy))).rejects.toThrow();
    await proxies.settled();
    const [recording] = await proxies.suites.load();
    expect([recording?.size, recording?.note]).toEqual([
      700,
      'The stream broke off after 700 bytes: the connection was closed by the server.',
    ]);
  });

  test('because the client leaves, ends at the target, and what passed is stored', async () => {
    const proxy = await proxies.to((await proxies.serve(BODY, ['stall@600'])).url);
    const { body } = await ask(proxy);
    await new Promise((resolve) => body.once('data', resolve));
    body.destroy();
    await proxies.settled();
    await until(() => proxies.servers.exchanges.length === 1);
    expect(proxies.servers.exchanges[0]?.end).toBe('client-closed');
    expect((await proxies.suites.load())[0]?.note).toBe('The client left after 600 bytes.');
  });

  test('because the proxy stops, is not stored', async () => {
    const proxy = await proxies.to((await proxies.serve(BODY, ['stall@600'])).url);
    const reading = bytesOf(await ask(proxy)).catch((error: Error) => error.message);
    await proxy.close();
    expect(await reading).toBe('other side closed');
    expect(proxies.seen[0]).toMatchObject({ end: 'stopped', file: null, lost: true });
  });

  test('or is a refusal of the target, passes with its headers and is not stored', async () => {
    const proxy = await proxies.to((await proxies.serve(BODY, ['status:429:9'])).url);
    const { statusCode, headers, body } = await ask(proxy);
    expect([statusCode, headers['retry-after']]).toEqual([429, '9']);
    expect(await body.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    await proxies.settled();
    expect(proxies.seen[0]).toMatchObject({ status: 429, file: null, lost: false });
  });

  test('as there is no target, is an error of the proxy', async () => {
    const proxy = await proxies.to('http://127.0.0.1:9');
    const { statusCode, body } = await ask(proxy);
    expect([statusCode, await body.json()]).toEqual([
      502,
      {
        error: {
          message: 'The target does not answer: nothing listens there (is the server running?)',
          ...{ type: 'proxy_error', param: null, code: null },
        },
      },
    ]);
  });
});

describe('an answer that has no body by rule', () => {
  test.each([
    ['GET', 304],
    ['POST', 304],
    ['POST', 204],
    ['HEAD', 200],
  ])('to %s, %i is complete, whatever its length says', async (method, status) => {
    const target = await proxies.serveBytes(`HTTP/1.1 ${status} X\r\nContent-Length: 100\r\nETag: "a"\r\n\r\n`);
    const proxy = await proxies.to(target);
    const answer = await raw(
      proxy.port,
      `${method} /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} X\r\n(.*\r\n)*ETag: "a"\r\n`));
    expect(answer.split('\r\n\r\n')[1]).toBe('');
    await proxies.settled();
    expect(proxies.seen[0]).toMatchObject({ status, end: 'complete', bytes: 0, problem: null, lost: false });
  });
});

describe('a head', () => {
  test('of 200 KB passes, to the target and back', async () => {
    const long = 'x'.repeat(200_000);
    const target = await proxies.serveBy(
      (req, res) => void res.setHeader('x-back', String(req.headers['x-long'])).end(),
      { maxHeaderSize: 400_000 },
    );
    const proxy = await proxies.to(target);
    const agent = new Agent({ maxHeaderSize: 400_000 });
    const { headers, body } = await request(proxy.url, { headers: { 'x-long': long }, dispatcher: agent });
    await body.text();
    await agent.destroy();
    expect(headers['x-back']).toBe(long);
  });

  test('of more than 256 KiB is refused, and why', async () => {
    const proxy = await proxies.to('http://127.0.0.1:9');
    const { statusCode, body } = await request(proxy.url, { headers: { 'x-long': 'x'.repeat(300_000) } });
    const message = 'The head of the request is longer than 262144 bytes, which is the most that this proxy passes on';
    expect([statusCode, ((await body.json()) as { error: { message: string } }).error.message]).toEqual([431, message]);
    expect(proxies.seen[0]).toMatchObject({ method: '', status: 431, problem: message, lost: false });
  });

  test('of more than 256 KiB of an answer is an error of the proxy', async () => {
    const proxy = await proxies.to(
      await proxies.serveBytes(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(300_000)}\r\n\r\n`),
    );
    const { statusCode, body } = await ask(proxy);
    expect([statusCode, await body.text()]).toEqual([
      502,
      expect.stringContaining('the head of its answer is longer than this proxy passes on'),
    ]);
  });
});

test('a WebSocket is refused in words, and told', async () => {
  const proxy = await proxies.to('http://127.0.0.1:9');
  const head = ['GET /v1/realtime?key=k HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', '', ''];
  const answer = raw(proxy.port, head.join('\r\n'));
  await proxies.settled();
  await proxy.close();
  expect(await answer).toMatch(
    /^HTTP\/1\.1 501 Not Implemented\r\n(.*\r\n)*\r\n\{"error":\{"message":"WebSockets are not/,
  );
  expect(proxies.seen[0]).toMatchObject({ method: 'GET', path: '/v1/realtime', status: 501, lost: false });
});

test('the proxy listens on loopback only', async () => {
  await expect(proxies.to('http://127.0.0.1:9', { host: '0.0.0.0' })).rejects.toThrow('0.0.0.0 is not loopback');
});

/** Sends bytes and gives what comes until the connection is closed. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, LOOPBACK_HOST);
    let got = '';
    socket.on('data', (piece) => {
      got += piece.toString('latin1');
    });
    socket.on('close', () => resolve(got));
    socket.write(Buffer.from(text, 'latin1'));
  });
}

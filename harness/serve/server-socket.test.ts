import { once } from 'node:events';
import { connect } from 'node:net';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { Exchange } from './exchange.ts';
import { armedFault } from './faults.ts';
import { startServer } from './server.ts';
import { chatBody, inMemory, ManualClock, RawClient, TestServers, textBytes, until } from './test-server.ts';

/** More than the buffers of a loopback connection hold, whose reader has stopped. */
const LARGE = Buffer.alloc(24 * 1024 * 1024, 'data: {"choices":[]}\n\n');
const recordings = [inMemory('large', LARGE), inMemory('a', textBytes('a'))];

const servers = new TestServers();
afterEach(() => servers.stop());

describe('a client that stops reading', () => {
  it('is seen: the socket fills up, and drains when the reading goes on', async () => {
    const seen: string[] = [];
    const exchanges: Exchange[] = [];
    const server = await servers.start({
      recordings,
      observer: {
        chosen: (exchange) => exchanges.push(exchange),
        refused: ({ taken }) => seen.push(`refused ${taken}`),
        drained: ({ refusals }) => seen.push(`drained ${refusals.at(-1)?.taken}`),
      },
    });
    const { body } = await request(`${server.baseUrl}/chat/completions`, { method: 'POST', body: chatBody('s/large') });
    await until(() => seen.length === 1);
    const [exchange] = exchanges;
    const filledAt = exchange!.taken;
    expect(exchange).toMatchObject({ end: null, refusals: [{ taken: filledAt, drained: false }] });
    expect(filledAt).toBeLessThan(LARGE.length);
    expect(exchange!.given).toBe(filledAt + 16 * 1024);
    let read = 0;
    for await (const piece of body) read += piece.length;
    expect(read).toBe(LARGE.length);
    await until(() => exchange!.end !== null);
    expect(exchange).toMatchObject({ end: 'complete', given: LARGE.length, taken: LARGE.length });
    expect(exchange!.refusals.every(({ drained }) => drained)).toBe(true);
    expect(seen.slice(0, 2)).toEqual([`refused ${filledAt}`, `drained ${filledAt}`]);
  });

  it('does not hold up others', async () => {
    const server = await servers.start({ recordings });
    const slow = new RawClient(server, chatBody('s/large'));
    slow.socket.pause();
    const other = new RawClient(server, chatBody('s/a'));
    await until(() => other.body.isWhole);
    expect(servers.exchanges.map(({ model }) => model)).toEqual(['s/a']);
    slow.socket.destroy();
  });
});

describe('a client that leaves', () => {
  it('in the middle of the answer is seen, with what had been sent', async () => {
    const server = await servers.start({ recordings });
    const { body } = await request(`${server.baseUrl}/chat/completions`, { method: 'POST', body: chatBody('s/large') });
    let read = 0;
    for await (const piece of body) {
      read += piece.length;
      break;
    }
    await until(() => servers.exchanges.length === 1);
    const { end, taken, given, problem } = servers.exchanges[0]!;
    expect([end, problem]).toEqual(['client-closed', null]);
    expect(taken).toBeGreaterThanOrEqual(read);
    expect(given).toBeLessThan(LARGE.length);
  });

  it('while nothing is sent is seen at once', async () => {
    const clock = new ManualClock();
    const server = await servers.start({ recordings, clock, speed: 1 });
    const client = new RawClient(server, chatBody('s/a'));
    await until(() => clock.waits.length === 1);
    client.socket.end();
    await until(() => servers.exchanges.length === 1);
    expect(servers.exchanges[0]).toMatchObject({ end: 'client-closed', status: 200, taken: 0 });
    expect(clock.waits).toEqual([]);
  });

  it('before its request was whole gets no answer', async () => {
    const server = await servers.start({ recordings });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{');
    await once(socket, 'connect');
    setImmediate(() => socket.resetAndDestroy());
    await until(() => servers.exchanges.length === 1);
    expect(servers.exchanges[0]).toMatchObject({ end: 'client-closed', status: null, body: '' });
  });
});

describe('a server that is closed', () => {
  it('ends open streams where they are', async () => {
    const server = await startServer({
      recordings,
      faults: [armedFault('stall@100')],
      speed: 0,
      observer: { ended: (exchange) => servers.exchanges.push(exchange) },
    });
    const client = new RawClient(server, chatBody('s/a'));
    await until(() => client.body.bytes.length === 100);
    await server.close();
    expect(await client.ended).toBe('end');
    expect(client.body.isWhole).toBe(false);
    expect(servers.exchanges[0]).toMatchObject({ end: 'stopped', taken: 100 });
  });

  it('waits neither for a client that does not read nor for half a request', async () => {
    const server = await startServer({ recordings, speed: 0, observer: { refused: () => refusals++ } });
    let refusals = 0;
    const paused = new RawClient(server, chatBody('s/large'));
    paused.socket.pause();
    const half = connect(server.port, '127.0.0.1');
    half.on('error', () => {});
    half.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{');
    await until(() => refusals === 1);
    await server.close();
    paused.socket.destroy();
    half.destroy();
    expect(refusals).toBe(1);
  });
});

import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { armedFault } from './faults.ts';
import { readScript } from './session.ts';
import { chatBody, inMemory, ManualClock, RawClient, TestServers, textBytes, until } from './test-server.ts';

const BODY = Buffer.from(textBytes('one', ' two', ' three'));
const recordings = [inMemory('a', BODY)];

const servers = new TestServers();
afterEach(() => servers.stop());

async function ask(faults: readonly string[], body = chatBody('s/a')) {
  const server = await servers.start({ recordings, faults: faults.map((text) => armedFault(text)) });
  return new RawClient(server, body);
}

describe('a cut', () => {
  it.each([0, 1, 300, BODY.length])('closes the connection after exactly %i bytes', async (at) => {
    const client = await ask([`cut@${at}`]);
    expect(await client.ended).toBe('end');
    expect(client.head).toMatch(/^HTTP\/1.1 200 OK\r\ncontent-type: text\/event-stream/);
    expect(client.body).toEqual({ bytes: BODY.subarray(0, at), isWhole: false });
    expect(servers.exchanges[0]).toMatchObject({ end: 'cut', given: at, taken: at, missed: [] });
  });

  it('is an error of the transport to an HTTP client', async () => {
    const server = await servers.start({ recordings, faults: [armedFault('cut@300')] });
    const { body } = await request(`${server.baseUrl}/chat/completions`, { method: 'POST', body: chatBody('s/a') });
    const got: Buffer[] = [];
    const reading = (async () => {
      for await (const piece of body) got.push(piece);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(Buffer.concat(got)).toEqual(BODY.subarray(0, 300));
  });

  it('behind the end is not reached, and said so', async () => {
    const client = await ask([`cut@${BODY.length + 1}`]);
    await until(() => client.body.isWhole);
    await until(() => servers.exchanges.length === 1);
    expect(servers.exchanges[0]).toMatchObject({ end: 'complete', missed: [`cut@${BODY.length + 1}`] });
  });

  it('makes a message that is not streamed shorter than its length', async () => {
    const client = await ask(['cut@30'], chatBody('s/a', { stream: false }));
    await client.ended;
    expect(client.head).toMatch(/content-length: \d{3}/);
    expect(servers.exchanges[0]).toMatchObject({ end: 'cut', taken: 30 });
  });
});

describe('a reset', () => {
  it.each([0, 300])('breaks the connection after %i bytes', async (at) => {
    const client = await ask([`reset@${at}`]);
    expect(await client.ended).toBe('ECONNRESET');
    expect(servers.exchanges[0]).toMatchObject({ end: 'reset', given: at, taken: at });
    expect(client.body).toEqual({ bytes: BODY.subarray(0, at), isWhole: false });
  });
});

describe('a stall', () => {
  it('holds back every byte behind its place until its time has passed', async () => {
    const clock = new ManualClock();
    const server = await servers.start({ recordings, clock, faults: [armedFault('stall@300:3000')] });
    const client = new RawClient(server, chatBody('s/a'));
    await until(() => client.body.bytes.length === 300 && clock.waits.length === 1);
    expect(clock.waits).toEqual([3000]);
    clock.advance(2999);
    expect([clock.waits, client.body.bytes.length]).toEqual([[1], 300]);
    clock.advance(1);
    await until(() => client.body.isWhole);
    expect(client.body.bytes).toEqual(BODY);
  });

  it('without a time lasts until the client leaves', async () => {
    const client = await ask(['stall@300']);
    await until(() => client.body.bytes.length === 300);
    expect(servers.exchanges).toEqual([]);
    client.socket.destroy();
    await until(() => servers.exchanges.length === 1);
    expect(servers.exchanges[0]).toMatchObject({ end: 'client-closed', taken: 300, problem: null });
  });
});

describe('a trickle', () => {
  it('gives a few bytes at a time', async () => {
    const clock = new ManualClock();
    const server = await servers.start({ recordings, clock, faults: [armedFault('trickle:200:20')] });
    const client = new RawClient(server, chatBody('s/a'));
    for (let bytes = 0; bytes < 600; bytes += 200) {
      await until(() => client.body.bytes.length === bytes && clock.waits.length === 1);
      expect(clock.waits).toEqual([20]);
      clock.advance(20);
    }
    await until(() => client.body.bytes.length === 600);
  });
});

describe('a duplicate', () => {
  it('sends the event that holds the byte twice', async () => {
    const at = BODY.indexOf(' two');
    const [from, to] = [BODY.lastIndexOf('data: ', at), BODY.indexOf('\n\n', at) + 2];
    const client = await ask([`duplicate@${at}`]);
    await until(() => client.body.isWhole);
    expect(client.body.bytes).toEqual(Buffer.concat([BODY.subarray(0, to), BODY.subarray(from)]));
  });
});

describe('an error status', () => {
  it('comes at the first attempt of a turn, and the answer at the next', async () => {
    const turn = { recording: 's/a', faults: [{ fault: 'status:429:2', times: 1 }] };
    const session = readScript(JSON.stringify({ turns: [turn, turn] }), 'session.json');
    const server = await servers.start({ recordings, session });
    const url = `${server.baseUrl}/chat/completions`;
    const statuses: unknown[] = [];
    for (const nth of [1, 1, 2, 2, 1]) {
      const response = await request(url, { method: 'POST', body: chatBody('m', {}, nth) });
      const body = Buffer.from(await response.body.arrayBuffer());
      statuses.push([response.statusCode, response.headers['retry-after'], body.equals(BODY)]);
    }
    const limited = [429, '2', false];
    const fine = [200, undefined, true];
    expect(statuses).toEqual([limited, fine, limited, fine, fine]);
  });

  it.each([
    ['status:429', 429, '1', 'rate_limit_error', 'rate_limit_exceeded'],
    ['status:500', 500, undefined, 'server_error', null],
    ['status:418', 418, undefined, 'invalid_request_error', null],
  ])('%s is an error object, and no other fault happens', async (text, status, retryAfter, type, code) => {
    const server = await servers.start({ recordings, faults: [armedFault('cut@1'), armedFault(text)] });
    const response = await request(`${server.baseUrl}/chat/completions`, { method: 'POST', body: chatBody('s/a') });
    expect([response.statusCode, response.headers['retry-after']]).toEqual([status, retryAfter]);
    expect(await response.body.json()).toMatchObject({ error: { type, code } });
    await until(() => servers.exchanges.length === 1);
    expect(servers.exchanges[0]).toMatchObject({ status, end: 'complete', missed: ['cut@1'] });
  });
});

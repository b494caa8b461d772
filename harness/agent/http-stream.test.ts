import { once } from 'node:events';
import { Agent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpAnswer, openStream } from './http-stream.ts';
import { deferred, type Handler, streamOf, TestServer } from './test-server.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close();
});

async function open(handler: Handler, options: { signal?: AbortSignal; idleLimit?: number } = {}) {
  const server = await TestServer.start(handler);
  const dispatcher = new Agent();
  cleanUp.push(
    () => dispatcher.destroy(),
    () => server.close(),
  );
  const request = { url: new URL(`${server.url}/v1/x?a=b`), headers: { 'x-a': '1' }, body: 'é' };
  const { signal = new AbortController().signal, idleLimit = 30_000 } = options;
  return { server, answer: await openStream(request, { dispatcher, signal, idleLimit }) };
}

async function text(answer: HttpAnswer): Promise<string> {
  let all = '';
  for await (const chunk of answer.chunks) all += Buffer.from(chunk).toString('latin1');
  return all;
}

describe('an HTTP stream', () => {
  it('posts the body and gives status, head and bytes', async () => {
    const { server, answer } = await open(streamOf(Buffer.from('data: x\n\n')));
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(await text(answer)).toBe('data: x\n\n');
    expect(server.requests).toMatchObject([{ url: '/v1/x?a=b', headers: { 'x-a': '1' }, body: 'é' }]);
  });

  it('gives all that had arrived before a connection was lost, also what nobody had asked for yet', async () => {
    const lost = deferred<null>();
    const { answer } = await open((response) => {
      response.writeHead(200);
      response.write('first');
      response.write('second', () => {
        response.destroy();
        lost.resolve(null);
      });
    });
    await lost.promise;
    await new Promise((resolve) => setTimeout(resolve, 50));
    let arrived = '';
    const reading = async () => {
      for await (const chunk of answer.chunks) arrived += Buffer.from(chunk).toString('latin1');
    };
    await expect(reading()).rejects.toThrow();
    expect(arrived).toBe('firstsecond');
  });

  it('lets the server wait while nothing is pulled: its socket fills, and drains afterwards', async () => {
    const MIB = Buffer.alloc(1024 * 1024, 0x2e);
    const LENGTH = 64;
    let accepted = 0;
    const full = deferred<number>();
    const { answer } = await open(async (response) => {
      response.writeHead(200);
      for (; accepted < LENGTH; accepted++) {
        if (response.write(MIB)) continue;
        // Not drained by the kernel's buffers alone: nobody reads.
        const drained = await Promise.race([
          once(response, 'drain'),
          new Promise((r) => setTimeout(() => r(null), 300)),
        ]);
        if (drained === null) {
          full.resolve(accepted);
          await once(response, 'drain');
        }
      }
      response.end();
    });
    await answer.chunks.next();
    expect(await full.promise).toBeLessThan(LENGTH - 1);
    let size = 0;
    for await (const chunk of answer.chunks) size += chunk.length;
    expect(size).toBeGreaterThan((LENGTH - 1) * MIB.length);
    expect(accepted).toBe(LENGTH);
  });

  it('ends early at the server when it is closed', async () => {
    const closed = deferred<boolean>();
    const { answer } = await open((response) => {
      response.writeHead(200);
      response.write('x');
      response.on('close', () => closed.resolve(response.writableFinished));
    });
    await answer.chunks.next();
    answer.close();
    expect(await closed.promise).toBe(false);
    await expect(answer.chunks.next()).rejects.toThrow('closed');
  });

  it('keeps the connection when a complete answer is left, and closes it otherwise', async () => {
    const server = await TestServer.start((response) => {
      response.writeHead(200);
      response.write('first');
      setTimeout(() => response.end('rest'), 20);
    });
    const dispatcher = new Agent({ connections: 1 });
    cleanUp.push(
      () => dispatcher.destroy(),
      () => server.close(),
    );
    const options = { dispatcher, signal: new AbortController().signal, idleLimit: 30_000 };
    const ask = async () => {
      const answer = await openStream({ url: new URL(server.url), headers: {}, body: '' }, options);
      await answer.chunks.next();
      return answer;
    };
    (await ask()).leave();
    (await ask()).close();
    expect(server.connections).toBe(1);
    (await ask()).leave();
    expect(server.connections).toBe(2);
  });

  it('gives up on a server that is silent while a byte is waited for', async () => {
    const { answer } = await open((response) => response.writeHead(200).write('x'), { idleLimit: 60 });
    await answer.chunks.next();
    await new Promise((resolve) => setTimeout(resolve, 120));
    const before = Symbol('not rejected while nobody waited');
    expect(await Promise.race([answer.chunks.next().catch((error) => error.message), before])).toBe(before);
    await new Promise((resolve) => setTimeout(resolve, 120));
    await expect(answer.chunks.next()).rejects.toThrow('no byte came for 60 ms');
  });

  it('gives up on a server that sends no head', async () => {
    await expect(open(() => undefined, { idleLimit: 60 })).rejects.toThrow('no byte came for 60 ms');
  });

  it('is cancelled by its signal, before the head and after', async () => {
    const controller = new AbortController();
    const { answer } = await open((response) => response.writeHead(200).write('x'), { signal: controller.signal });
    await answer.chunks.next();
    const next = answer.chunks.next();
    controller.abort();
    await expect(next).rejects.toThrow('cancelled');
    await expect(open(() => undefined, { signal: controller.signal })).rejects.toThrow('cancelled');
  });
});

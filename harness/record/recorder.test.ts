import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifySuites } from '../replay/load.ts';
import type { Outcome } from './recorder.ts';
import { askedTask, BODY, HastyClock, ModelServers, runRecord, TestSuites } from './test-record.ts';

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

async function serve(bytes: Uint8Array, faults: readonly string[] = [], times: number | null = null): Promise<string> {
  return `${(await servers.serve(bytes, faults, times)).url}${CHAT}`;
}

async function serveBy(listener: RequestListener): Promise<string> {
  return `${await servers.serveBy(listener)}${CHAT}`;
}

function problemOf(outcome: Outcome | undefined): string {
  return outcome !== undefined && 'problem' in outcome && outcome.problem !== null ? outcome.problem : '';
}

describe('what is stored', () => {
  test('are the bytes of the server, with times that grow to their size', async () => {
    const url = await serve(BODY, ['trickle:1000:1']);
    const { outcomes } = await runRecord({ url, suites });
    expect(outcomes).toEqual([{ kind: 'stored', file: 't01.ctl.sse', bytes: BODY.length, end: 'whole', note: null }]);
    const [recording] = await suites.load();
    expect(Buffer.from((await recording?.bytes()) ?? []).equals(BODY)).toBe(true);
    const times = (await recording?.arrivals?.()) ?? [];
    expect(times.length).toBeGreaterThanOrEqual(5);
    expect(times.at(-1)?.bytes).toBe(BODY.length);
    expect(recording).toMatchObject({ source: 'recorded', model: 's/t01', run: 'run1', wire: 'openai-chat' });
  });

  test('does not depend on how many are asked at a time', async () => {
    const url = await serve(BODY, ['trickle:4000:1']);
    const tasks = ['b', 'a', 'c'].map((name) => askedTask(name));
    const plan = { protocols: ['ctl', 'xml'] as const, runs: 2 };
    const clock = new HastyClock();
    await runRecord({ url, suites, tasks, plan, concurrency: 5, clock });
    const many = (await suites.load()).map(({ file, run, sha256 }) => [file, run, sha256]);
    const serial = new TestSuites();
    await runRecord({ url, suites: serial, tasks, plan, concurrency: 1, clock });
    expect(many).toEqual((await serial.load()).map(({ file, run, sha256 }) => [file, run, sha256]));
    expect(many.map(([file, run]) => `${file} ${run}`)).toEqual(
      ['a', 'b', 'c'].flatMap((task) => [
        ...[`${task}.ctl.2.sse run2`, `${task}.ctl.sse run1`],
        ...[`${task}.xml.2.sse run2`, `${task}.xml.sse run1`],
      ]),
    );
    serial.remove();
  });

  test('of a stream that breaks off is what came, and why', async () => {
    for (const [fault, words] of [
      ['cut@700', 'The stream broke off after 700 bytes: the connection was closed by the server.'],
      ['reset@700', 'The stream broke off after 700 bytes: the connection was reset.'],
    ] as const) {
      const each = new TestSuites();
      await runRecord({ url: await serve(BODY, [fault]), suites: each });
      const [recording] = await each.load();
      expect(recording?.note).toBe(words);
      expect(Buffer.from((await recording?.bytes()) ?? []).equals(BODY.subarray(0, 700))).toBe(true);
      each.remove();
    }
  });

  test('of a stream that falls silent is what came', async () => {
    await runRecord({ url: await serve(BODY, ['stall@300']), suites, idleLimit: 60 });
    expect((await suites.load())[0]?.note).toBe('The stream broke off after 300 bytes: no byte came for 60 ms.');
  });

  test('has neither the key nor a header', async () => {
    let sent = '';
    const url = await serveBy((req, res) => {
      sent = String(req.headers.authorization);
      res.setHeader('content-type', 'text/event-stream').end(BODY);
    });
    await runRecord({ url, suites, secrets: { known: ['a-key-of-this-test'], redact: false } });
    expect(sent).toBe('Bearer a-key-of-this-test');
    const { text, files } = suites.everything();
    expect(files).toEqual(['manifest.json', 't01.ctl.sse', 't01.ctl.times.csv']);
    expect(text).not.toMatch(/a-key-of-this-test|authorization|bearer/i);
  });
});

describe('a server that is not ready', () => {
  test('a storm of 429 is waited out, as long as each wants', async () => {
    const url = await serve(BODY, ['status:429:7'], 2);
    const clock = new HastyClock();
    const tasks = ['a', 'b', 'c', 'd'].map((name) => askedTask(name));
    const { outcomes, retries } = await runRecord({ url, suites, tasks, concurrency: 4, clock });
    expect(outcomes.map(({ kind }) => kind)).toEqual(['stored', 'stored', 'stored', 'stored']);
    expect(retries).toHaveLength(8);
    for (const { wait } of retries) expect(wait >= 7000 && wait < 7250).toBe(true);
    expect(retries[0]?.problem).toMatch(/^the server answered 429: Rate limit/);
  });

  test('one that never ends is a failure that names itself', async () => {
    const clock = new HastyClock();
    const { outcomes, retries } = await runRecord({ url: await serve(BODY, ['status:503']), suites, clock });
    expect(problemOf(outcomes[0])).toMatch(/^the server answered 503/);
    const waits = retries.map(({ wait }) => wait);
    for (const [at, least] of [250, 500, 1000].entries()) {
      expect(waits[at]! >= least && waits[at]! < 2 * least).toBe(true);
    }
    expect((await verifySuites(suites.dir)).recordings).toBe(0);
  });

  test('a date in Retry-After counts from the date of the answer', async () => {
    let count = 0;
    const url = await serveBy((_, res) => {
      res.setHeader('date', 'Wed, 02 Dec 2026 10:00:00 GMT');
      if (count++ > 0) res.setHeader('content-type', 'text/event-stream').end(BODY);
      else res.writeHead(503, { 'retry-after': 'Wed, 02 Dec 2026 10:00:09 GMT' }).end();
    });
    const { retries } = await runRecord({ url, suites });
    expect(Math.floor(retries[0]!.wait / 1000)).toBe(9);
  });

  test('a wait that is too long is not waited for', async () => {
    const { outcomes, retries } = await runRecord({ url: await serve(BODY, ['status:429:3600']), suites });
    expect(problemOf(outcomes[0])).toMatch(/it wants to be asked again after 3600 s$/);
    expect(retries).toEqual([]);
  });

  test('a connection that is refused is tried again', async () => {
    const { outcomes, retries } = await runRecord({ url: 'http://127.0.0.1:9/v1/chat/completions', suites });
    expect(problemOf(outcomes[0])).toBe('nothing listens there (is the server running?)');
    expect(retries).toHaveLength(3);
  });

  test('a key that is refused ends the run, and the message does not show it', async () => {
    let asked = 0;
    const url = await serveBy((req, res) => {
      asked += 1;
      res.writeHead(401, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ error: { message: `wrong key ${String(req.headers.authorization)}` } }));
    });
    const tasks = ['a', 'b', 'c'].map((name) => askedTask(name));
    const secrets = { known: ['a-key-of-this-test'], redact: false };
    const { outcomes } = await runRecord({ url, suites, tasks, secrets });
    expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'left', 'left']);
    expect(problemOf(outcomes[0])).toMatch(/^the server answered 401: wrong key .*\*{18}$/);
    expect(asked).toBe(1);
  });
});

describe('what is no event stream is not stored, and its beginning is shown', () => {
  test.each([
    ['a JSON answer', 'application/json', '{"choices":[]}', 'no event stream (application/json): {"choices":[]}'],
    ['a page', 'text/html', '<html>hello', 'no event stream (text/html): <html>hello'],
    ['text of another kind', 'text/plain', 'hello', 'no event stream (text/plain): hello'],
    ['nothing', 'text/event-stream', '', 'the answer has no byte'],
  ])('%s', async (_, type, text, words) => {
    const url = await serveBy((_req, res) => void res.setHeader('content-type', type).end(text));
    const { outcomes } = await runRecord({ url, suites });
    expect(outcomes[0]?.kind).toBe('failed');
    expect(problemOf(outcomes[0])).toContain(words);
  });

  test('a stream whose server forgot the type is one', async () => {
    const { outcomes } = await runRecord({ url: await serveBy((_, res) => void res.end(BODY)), suites });
    expect(outcomes[0]?.kind).toBe('stored');
  });

  test('a compressed body is refused', async () => {
    const url = await serveBy((_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end(gzipSync(BODY));
    });
    const { outcomes } = await runRecord({ url, suites });
    expect(problemOf(outcomes[0])).toBe('the answer came compressed (gzip), though identity was asked for');
  });
});

describe('a run that was interrupted', () => {
  test('stores nothing of what was running, and the next one does the rest', async () => {
    const url = await serve(BODY, ['trickle:2000:3']);
    const tasks = ['a', 'b', 'c', 'd', 'e'].map((name) => askedTask(name));
    const stop = new AbortController();
    const clock = new HastyClock();
    const first = await runRecord({
      url,
      suites,
      tasks,
      concurrency: 2,
      signal: stop.signal,
      clock,
      onEnded: () => stop.abort(),
    });
    const kinds = first.outcomes.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'left').length).toBeGreaterThanOrEqual(3);
    const held = await suites.load();
    expect(held).toHaveLength(kinds.filter((kind) => kind === 'stored').length);
    const second = await runRecord({ url, suites, tasks, concurrency: 2, clock });
    expect(second.plan.done).toEqual(held.map(({ file }) => file));
    expect((await suites.load()).map(({ file }) => file)).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((task) => `${task}.ctl.sse`),
    );
    expect((await verifySuites(suites.dir)).problems).toEqual([]);
  });
});

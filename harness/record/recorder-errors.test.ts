import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifySuites } from '../replay/load.ts';
import { textBytes } from '../serve/test-server.ts';
import { MOST_HEADERS } from './answer-head.ts';
import type { RecordWire } from './endpoint.ts';
import type { Outcome } from './recorder.ts';
import { askedTask, BODY, ModelServers, type RunResult, runRecord, TestSuites } from './test-record.ts';

const servers = new ModelServers();
let suites: TestSuites;
let asked = 0;

beforeEach(() => {
  suites = new TestSuites();
  asked = 0;
});
afterEach(async () => {
  await servers.stop();
  suites.remove();
});

const OVERLOADED =
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
const LIMITED = 'data: {"error":{"message":"Rate limit exceeded","code":429}}\n\n';
const WRONG = 'data: {"error":{"message":"Too many tools","type":"invalid_request_error","code":400}}\n\n';
const PART = 'data: {"choices":[{"index":0,"delta":{"content":"call c1"}}]}\n\n';
const SSE = { 'content-type': 'text/event-stream' };

/** Answers of a server, in order; the last one again and again. */
function serve(answers: readonly (string | Uint8Array)[], headers: Record<string, string> = SSE): Promise<string> {
  return servers.serveBy((_, res) => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    res.writeHead(200, headers).end(answer);
  });
}

function run(url: string, more: { wire?: RecordWire; retries?: number; known?: string } = {}): Promise<RunResult> {
  const secrets = { known: more.known === undefined ? [] : [more.known], redact: false };
  return runRecord({ url, suites, secrets, wire: more.wire ?? 'openai-chat', retries: more.retries ?? 2 });
}

function failure(problem: string): Outcome {
  return { kind: 'failed', problem };
}

describe('an answer that is nothing but an error', () => {
  test.each([
    ['openai-chat', LIMITED, 'Rate limit exceeded'],
    ['anthropic', OVERLOADED, 'Overloaded'],
  ] as const)(
    'is asked again as often as allowed, is not stored, and is asked again by the next run: %s',
    async (wire, text, words) => {
      const problem = `the answer is nothing but an error: ${words}`;
      const url = await serve([text, text, text, BODY]);
      const first = await run(url, { wire });
      expect(first.outcomes).toEqual([failure(problem)]);
      expect(first.retries.map((retry) => [retry.attempt, retry.problem])).toEqual([
        [2, problem],
        [3, problem],
      ]);
      expect((await verifySuites(suites.dir)).recordings).toBe(0);
      const second = await run(url, { wire });
      expect([second.outcomes[0]?.kind, asked]).toEqual(['stored', 4]);
    },
  );

  test('waits as long as its head says', async () => {
    const { outcomes, retries } = await run(await serve([LIMITED, BODY], { ...SSE, 'retry-after': '7' }));
    expect(outcomes[0]?.kind).toBe('stored');
    expect(retries.map(({ wait }) => Math.floor(wait / 1000))).toEqual([7]);
  });

  test('is not asked again where it cannot pass', async () => {
    const { outcomes } = await run(await serve([WRONG]));
    expect([outcomes, asked]).toEqual([[failure('the answer is nothing but an error: Too many tools')], 1]);
  });

  test('ends the run where the key is refused, and does not show it', async () => {
    const key = 'a-key-of-this-test';
    const url = await serve([`data: {"error":{"message":"wrong key ${key}","code":401}}\n\n`]);
    const tasks = [askedTask('a'), askedTask('b')];
    const { outcomes } = await runRecord({ url, suites, tasks, secrets: { known: [key], redact: false } });
    const problem = `the answer is nothing but an error: wrong key ${'*'.repeat(key.length)}`;
    expect([outcomes, asked]).toEqual([[failure(problem), { kind: 'left', problem }], 1]);
  });
});

describe('an answer that ends in an error', () => {
  const note = 'The answer ends in an error of the provider: Rate limit exceeded.';

  test('is stored at once, and its note says so', async () => {
    const { outcomes } = await run(await serve([PART + LIMITED]));
    const bytes = PART.length + LIMITED.length;
    expect([outcomes, asked]).toEqual([[{ kind: 'stored', file: 't01.ctl.sse', bytes, end: 'error', note }], 1]);
    const [recording] = await suites.load();
    expect(recording?.note).toBe(note);
    expect(Buffer.from((await recording?.bytes()) ?? []).toString()).toBe(PART + LIMITED);
  });

  test('is masked in the note as in the bytes', async () => {
    const key = 'a-key-of-this-test';
    const url = await serve([`${PART}data: {"error":{"message":"limit of ${key}"}}\n\n`]);
    await runRecord({ url, suites, secrets: { known: [key], redact: true } });
    expect((await suites.load())[0]?.note).toBe(
      `The answer ends in an error of the provider: limit of ${'*'.repeat(key.length)}. A secret was masked.`,
    );
    expect(suites.everything().text).not.toContain(key);
  });
});

describe('an event stream without an event of a wire format', () => {
  const words = 'the answer holds no event of a known wire format';

  test.each([
    ['a page', '<html><body>gateway</body></html>', '<html><body>gateway</body></html>', 1],
    ['plain JSON', '{"error":{"message":"no"}}', 'no', 1],
    ['plain JSON with an error that can pass', '{"error":{"message":"busy","code":503}}', 'busy', 3],
    ['comments', ': keep\n\n: keep\n\n', ': keep : keep', 3],
  ])('is not stored: %s', async (_, text, said, times) => {
    const { outcomes } = await run(await serve([text]));
    expect([outcomes, asked]).toEqual([[failure(`${words}: ${said}`)], times]);
    expect((await verifySuites(suites.dir)).recordings).toBe(0);
  });

  test('is asked again where its connection was lost', async () => {
    const url = await servers.serveBy((_, res) => {
      asked++;
      res.writeHead(200, SSE).write('data: {"id"', () => res.destroy());
    });
    const { outcomes } = await run(url);
    expect(outcomes).toEqual([failure(`${words}: {"id" (the connection was closed by the server)`)]);
    expect(asked).toBe(3);
  });
});

describe('the type of an answer', () => {
  test.each([['text/plain; charset=utf-8'], ['application/octet-stream'], ['Text/Event-Stream']])(
    '%s may be that of a stream',
    async (type) => {
      const { outcomes } = await run(await serve([BODY], { 'content-type': type }));
      expect(outcomes[0]).toMatchObject({ kind: 'stored', bytes: BODY.length });
    },
  );

  test.each([
    ['application/x-ndjson', BODY],
    ['text/plain', `hello\n${PART}`],
    ['text/event-stream-of-mine', BODY],
  ])('%s is not that of this one', async (type, body) => {
    const { outcomes } = await run(await serve([body], { 'content-type': type }));
    expect(outcomes[0]?.kind).toBe('failed');
    expect(JSON.stringify(outcomes[0])).toContain(`the answer is no event stream (${type}): `);
  });
});

test('a head of 100 kB is read, and one that is longer than the limit is not asked for again', async () => {
  const head = (bytes: number): Record<string, string> => ({ ...SSE, 'x-big': 'a'.repeat(bytes) });
  expect((await run(await serve([textBytes('hi')], head(100_000)))).outcomes[0]?.kind).toBe('stored');
  suites.remove();
  suites = new TestSuites();
  const { outcomes } = await run(await serve([BODY], head(MOST_HEADERS)));
  expect([outcomes, asked]).toEqual([
    [failure('the head of the answer is longer than 262144 bytes, which is the most that is read')],
    2,
  ]);
});

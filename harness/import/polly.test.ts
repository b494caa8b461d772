import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import NodeHttpAdapter from '@pollyjs/adapter-node-http';
import { Polly } from '@pollyjs/core';
import FSPersister from '@pollyjs/persister-fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWERS, ask, REQUEST, startAnswerServer } from '../testing/answer-server.ts';
import { bytesOrReasons, importBytes } from '../testing/import-memory.ts';

/** CommonJS modules: TypeScript sees them as Node does, and vitest has taken `default` off. */
function classOf<T>(module: { readonly default: T }): T {
  return 'default' in module ? module.default : module;
}

const folder = mkdtempSync(join(tmpdir(), 'cst-polly-'));
let recorded: Buffer;

beforeAll(async () => {
  const server = await startAnswerServer();
  Polly.register(classOf(NodeHttpAdapter));
  Polly.register(classOf(FSPersister));
  const polly = new Polly('streams', {
    adapters: ['node-http'],
    persister: 'fs',
    persisterOptions: { fs: { recordingsDir: folder } },
    mode: 'record',
    recordFailedRequests: true,
    logLevel: 'silent',
  });
  for (const path of [...Object.keys(ANSWERS), '/json']) await ask(`${server.url}${path}/chat/completions`);
  await ask(`${server.url}/busy`);
  await polly.stop();
  await server.close();
  const file = readdirSync(folder, { recursive: true })
    .map(String)
    .find((name) => name.endsWith('.har'));
  recorded = readFileSync(join(folder, file ?? 'nothing was recorded'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what Polly.JS recorded', () => {
  it('is imported byte for byte, compressed or not, and the rest has its reason', () => {
    const file = importBytes(recorded, 'recording.har');
    expect(file.format).toBe('polly');
    // Polly.JS sorts its entries by hash.
    const got = bytesOrReasons(file).map(String);
    const want = [
      ...Object.values(ANSWERS).map(({ body }) => String(body)),
      'no event stream (application/json)',
      'status 429',
    ];
    expect(got.toSorted()).toEqual(want.toSorted());
  });

  it('has its request and its time', () => {
    const [first] = [...importBytes(recorded, 'recording.har').results.values()].filter((one) => 'recording' in one);
    const { entry } = first!.recording;
    expect(entry.request).toEqual({ messages: REQUEST.messages, parameters: { stream: true } });
    const times = (JSON.parse(recorded.toString()) as { log: { entries: { startedDateTime: string }[] } }).log.entries;
    expect(times.map(({ startedDateTime }) => startedDateTime)).toContain(entry.recordedAt);
  });
});

function pollyFile(content: object, encoding: string): string {
  const response = { status: 200, headers: [{ name: 'Content-Encoding', value: encoding }], content };
  const request = { url: 'https://api.openai.com/v1/chat/completions' };
  return JSON.stringify({ log: { creator: { name: 'Polly.JS' }, entries: [{ request, response }] } });
}

describe('a compressed body of Polly.JS', () => {
  it('is hexadecimal in old files', () => {
    const hex = ['data: {"choices"', ':[]}\n\n'].map((part) => Buffer.from(part).toString('hex'));
    const file = importBytes(pollyFile({ text: JSON.stringify(hex) }, 'identity'), 'recording.har');
    expect(bytesOrReasons(file)).toEqual([Buffer.from('data: {"choices":[]}\n\n')]);
  });

  it('is refused where a chunk of it is broken', () => {
    const file = importBytes(pollyFile({ text: '["H4sIAAAA", "!"]', encoding: 'base64' }, 'gzip'), 'recording.har');
    expect(bytesOrReasons(file)).toEqual(['a chunk of its body is neither base64 nor hexadecimal']);
    const cut = importBytes(pollyFile({ text: '["AAECAwQF"]', encoding: 'base64' }, 'gzip'), 'recording.har');
    expect(bytesOrReasons(cut)).toEqual(['its body is said to be gzip, and cannot be decoded']);
    const unknown = importBytes(pollyFile({ text: '["AAECAwQF"]', encoding: 'base64' }, 'zstd'), 'recording.har');
    expect(bytesOrReasons(unknown)).toEqual(['its body is encoded as zstd, which cannot be decoded here']);
  });
});

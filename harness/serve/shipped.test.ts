import { request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Recording } from '../replay/recording.ts';
import { DEFAULT_SEED } from '../replay/seeded.ts';
import { modelName } from './catalogue.ts';
import type { RunningServer } from './server.ts';
import { shippedRecordings } from './shipped.ts';
import { chatBody, TestServers } from './test-server.ts';

const servers = new TestServers();
let recordings: readonly Recording[];
let server: RunningServer;
beforeAll(async () => {
  recordings = await shippedRecordings(DEFAULT_SEED);
  server = await servers.start({ recordings });
});
afterAll(() => servers.stop());

const served = () => recordings.filter(({ wire }) => wire === 'openai-chat');

it('holds the suites of the repository, each under its names, but for streams that are no OpenAI chat', () => {
  expect([...new Set(recordings.map(({ suite }) => suite))]).toEqual(['crafted', 'local', 'replies', 'reframed']);
  const others = recordings.length - served().length;
  expect(others).toBeGreaterThan(100);
  expect([server.models.length, server.leftOut]).toEqual([served().length, others]);
});

it('comes out byte for byte, every recording', async () => {
  const wrong: string[] = [];
  for (const recording of served()) {
    const body = chatBody(modelName(recording));
    const response = await request(`${server.baseUrl}/chat/completions`, { method: 'POST', body });
    const got = Buffer.from(await response.body.arrayBuffer());
    if (!got.equals(await recording.bytes())) wrong.push(modelName(recording));
  }
  expect(wrong).toEqual([]);
});

it('is missing in the package, which is said with what to do', async () => {
  await expect(shippedRecordings(DEFAULT_SEED, 'no/such/folder')).rejects.toThrow(
    'there are no recordings in this package: name a folder of your own with --recordings DIR',
  );
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Outcome, StoredOutcome } from '../record/recorder.ts';
import { summaryLine } from './record-view.ts';
import { cst, TestFolder } from './test-terminal.ts';

const folder = new TestFolder();
const LIMITED = 'data: {"error":{"message":"Rate limit exceeded","code":429}}\n\n';
const PART = 'data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n';
let answer = LIMITED;
const server = createServer((_, res) => void res.setHeader('content-type', 'text/event-stream').end(answer));

afterAll(() => {
  server.close();
  folder.remove();
});

it('an error of status 200 is a failure that the same command asks again; one behind content is stored and counted', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tasks = folder.file('tasks.jsonl', '{"task":"t","prompt":"hi"}\n');
  const out = join(folder.path, 'out');
  const args = ['record', '--base-url', baseUrl, '--model', 'm', '--protocol', 'native', '--tasks', tasks];
  const command = [...args, '--out', out, '--suite', 's', '--retries', '0'];
  expect(await cst(command)).toEqual({
    code: 1,
    out: `t.native.sse: not recorded\n${out}/s: 0 answers recorded, 1 failed; the same command goes on\n`,
    err: 't.native.sse: the answer is nothing but an error: Rate limit exceeded\n',
  });
  answer = PART + LIMITED;
  const line = `t.native.sse: ${answer.length} bytes. The answer ends in an error of the provider: Rate limit exceeded.`;
  expect(await cst(command)).toEqual({
    code: 0,
    out: `${line}\n${out}/s: 1 answer recorded (1 of them ends in an error)\n`,
    err: '',
  });
});

it('the summary counts ends apart', () => {
  const stored = (end: StoredOutcome['end']): Outcome => ({
    kind: 'stored',
    file: 'f',
    bytes: 1,
    end,
    note: 'broke off',
  });
  expect(summaryLine([stored('whole')], 0)).toBe('1 answer recorded\n');
  expect(summaryLine([stored('cut'), stored('error'), stored('error'), stored('whole')], 0)).toBe(
    '4 answers recorded (1 cut off, 2 of them end in an error)\n',
  );
});

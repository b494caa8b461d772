import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSuites, verifySuites } from './load.ts';
import { SuiteWriter } from './suite-writer.ts';

let dir = '';
let suite = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'journal-'));
  suite = join(dir, 'own');
});
afterEach(() => rmSync(dir, { recursive: true }));

async function write(...tasks: readonly string[]): Promise<void> {
  const writer = await SuiteWriter.open(dir, { suite: 'own', about: 'Of a test.' });
  for (const task of tasks) {
    const entry = { task, protocol: 'ctl', wire: 'openai-chat', provider: null, model: 'm' } as const;
    const rest = { recordedAt: null, request: null, source: 'recorded' } as const;
    await writer.add({
      entry: { ...entry, ...rest },
      bytes: Buffer.from(task),
      times: [{ ms: 1, bytes: task.length }],
    });
  }
  await writer.close();
}

/** As an earlier writer left it: the second recording sealed, those of its files that are not `placed` not yet moved. */
async function sealAsBefore(placed: readonly string[]): Promise<void> {
  await write('a');
  const before = readFileSync(join(suite, 'manifest.json'));
  await write('b');
  const { recordings } = JSON.parse(readFileSync(join(suite, 'manifest.json'), 'utf8'));
  writeFileSync(join(suite, 'manifest.json'), before);
  mkdirSync(join(suite, '.writing'));
  writeFileSync(join(suite, '.writing', 'entry.json'), JSON.stringify(recordings[1]));
  for (const [part, name] of [
    ['stream', 'b.ctl.sse'],
    ['times', 'b.ctl.times.csv'],
  ] as const) {
    if (!placed.includes(part)) renameSync(join(suite, name), join(suite, '.writing', part));
  }
}

describe('a recording that an earlier writer sealed', () => {
  it.each([
    ['with nothing in its place', []],
    ['with its stream in its place', ['stream']],
    ['with all in its place but the manifest', ['stream', 'times']],
  ])('is ended as that would have done: %s', async (_, placed) => {
    await sealAsBefore(placed);
    await write();
    expect((await verifySuites(dir)).problems).toEqual([]);
    const loaded = await loadSuites(dir);
    expect(loaded.map(({ file }) => file)).toEqual(['a.ctl.sse', 'b.ctl.sse']);
    expect(await loaded[1]?.arrivals?.()).toEqual([{ ms: 1, bytes: 1 }]);
    expect(existsSync(join(suite, '.writing'))).toBe(false);
  });

  it('is refused where its entry is none', async () => {
    await write('a');
    mkdirSync(join(suite, '.writing'));
    writeFileSync(join(suite, '.writing', 'entry.json'), '{"file"');
    await expect(write()).rejects.toThrow('entry.json: not JSON. Remove the folder .writing');
  });
});

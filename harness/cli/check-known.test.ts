import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { chunk, cst, TestFolder, textStream, toolDelta } from './test-terminal.ts';

const folder = new TestFolder();
afterAll(() => folder.remove());

/** `{}` first, the next index, and back again: json-object has run the first call by then. */
const comesBack = [
  chunk(toolDelta(0, { id: 'a', name: 't', arguments: '{}' })),
  chunk(toolDelta(1, { id: 'b', name: 'u', arguments: '{}' })),
  chunk(toolDelta(0, { arguments: '{"x":1}' }), 'tool_calls'),
  'data: [DONE]\n\n',
].join('');
const good = chunk(toolDelta(0, { id: 'a', name: 't', arguments: '{"k":1}' }), 'tool_calls');

let dir = '';
let known = '';
let count = 0;
beforeEach(() => {
  const root = join(folder.path, `repository${count++}`);
  dir = join(root, 'recordings');
  known = join(root, 'known.json');
  mkdirSync(join(dir, 'inner'), { recursive: true });
  writeFileSync(join(dir, 'back.sse'), comesBack);
  writeFileSync(join(dir, 'inner', 'good.sse'), good);
});

const list = (): { parser: string; properties: string[]; recordings: string[]; reason: string }[] =>
  JSON.parse(readFileSync(known, 'utf8'));

describe('a list of expected findings', () => {
  it('is made from what is violated, and accepts it', async () => {
    const made = await cst(['check', dir, '--write-known', known]);
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.out).toContain('VIOLATED S1: ');
    expect(made.out).toContain(`${known} has the expected findings: say in each why it is one`);
    expect(list()).toEqual([
      {
        parser: 'json-object',
        properties: ['S1', 'agreement', 'continuation'],
        recordings: ['recordings/back.sse'],
        reason: 'not explained yet: call a (t) is executable and is no call of the whole stream',
      },
    ]);
    const judged = await cst(['check', dir, '--known', known]);
    expect(judged.code).toBe(0);
    expect(judged.out).not.toContain('VIOLATED');
    expect(judged.out).toContain('Everything else holds: 3 expected findings.\n');
    expect(judged.out).toContain(
      'in 1 reading: expected finding, json-object, S1 agreement continuation: not explained',
    );
    expect(judged.out).toMatch(/ {2}S1 +holds 6, violated 0, accepted 2\n/);
  });

  it('knows a recording whether its file or its folder is checked', async () => {
    await cst(['check', dir, '--write-known', known]);
    const { code, out } = await cst(['check', join(dir, 'back.sse'), '--known', known]);
    expect(code).toBe(0);
    expect(out).toContain(`expected  ${join(dir, 'back.sse')}  json-object (guessed)`);
    const json = await cst(['check', dir, '--known', known, '--json']);
    const lines = json.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ violations }) => violations)).toEqual([0, 0, 0, 0]);
    const s1 = lines[1].properties.find(({ property }: { property: string }) => property === 'S1');
    expect(s1).toMatchObject({ status: 'violated', expectedFinding: list()[0]?.reason });
  });

  it('accepts nothing that it does not list', async () => {
    await cst(['check', dir, '--write-known', known]);
    writeFileSync(join(dir, 'inner', 'good.sse'), comesBack);
    const { code, out } = await cst(['check', dir, '--known', known]);
    expect(code).toBe(1);
    expect(out).toContain(`VIOLATED S1: ${join(dir, 'inner', 'good.sse')}, json-object`);
    expect(out).not.toContain(`VIOLATED S1: ${join(dir, 'back.sse')}`);
  });

  it('fails on what has gone, in JUnit too', async () => {
    await cst(['check', dir, '--write-known', known]);
    writeFileSync(join(dir, 'back.sse'), good);
    const junit = join(folder.path, 'gone.xml');
    const { code, out } = await cst(['check', dir, '--known', known, '--junit', junit]);
    expect(code).toBe(1);
    expect(out).toContain('GONE expected finding: json-object no longer violates S1 on recordings/back.sse\n');
    expect(out).toContain('3 expected findings gone, see above');
    expect(readFileSync(junit, 'utf8')).toContain(
      '<failure type="expected finding" message="json-object no longer violates S1 on recordings/back.sse"/>',
    );
    expect((await cst(['check', dir, '--write-known', known])).code).toBe(0);
    expect(list()).toEqual([]);
  });

  it('says nothing of what was not asked, and does not outlive a recording', async () => {
    await cst(['check', dir, '--write-known', known]);
    expect((await cst(['check', join(dir, 'inner'), '--known', known])).code).toBe(0);
    expect((await cst(['check', dir, '--known', known, '--protocol', 'json-whole'])).code).toBe(0);
    expect((await cst(['check', dir, '--known', known, '--filter', 'good'])).code).toBe(0);
    rmSync(join(dir, 'back.sse'));
    const { code, out } = await cst(['check', dir, '--known', known]);
    expect(code).toBe(1);
    expect(out).toContain('GONE expected finding: json-object no longer violates S1 on recordings/back.sse');
  });

  it('keeps the reasons that were given', async () => {
    await cst(['check', dir, '--write-known', known]);
    writeFileSync(known, readFileSync(known, 'utf8').replace(/not explained yet: [^"]*/, 'a known provider'));
    writeFileSync(join(dir, 'inner', 'good.sse'), comesBack);
    await cst(['check', dir, '--write-known', known]);
    expect(list().map(({ recordings, reason }) => [recordings[0], reason.slice(0, 17)])).toEqual([
      ['recordings/back.sse', 'a known provider'],
      ['recordings/inner/good.sse', 'not explained yet'],
    ]);
  });

  it('may hold for any recording', async () => {
    const entry = { parser: 'json-object', properties: ['S1', 'agreement', 'continuation'], recordings: '*' };
    writeFileSync(known, JSON.stringify([{ ...entry, reason: 'not used' }]));
    expect((await cst(['check', dir, '--known', known])).code).toBe(0);
    writeFileSync(join(dir, 'back.sse'), good);
    const gone = await cst(['check', dir, '--known', known]);
    expect(gone.code).toBe(1);
    expect(gone.out).toContain('GONE expected finding: json-object violates S1 nowhere any more');
    expect((await cst(['check', join(dir, 'back.sse'), '--known', known])).code).toBe(0);
  });
});

describe('a mistake with the list', () => {
  it('is said in one sentence', async () => {
    const none = await cst(['check', textFile(), '--known', known]);
    expect(none).toMatchObject({ code: 3, out: '', err: `${known}: no such file or folder\n` });
    writeFileSync(known, '[{"parser":"ctl"}]');
    const wrong = await cst(['check', textFile(), '--known', known]);
    expect(wrong).toMatchObject({ code: 3, out: '', err: expect.stringContaining(`${known}, [0].properties: `) });
    const both = await cst(['check', textFile(), '--known', known, '--write-known', known]);
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('give one of both') });
  });

  it('leaves the list as it was where something cannot be read', async () => {
    writeFileSync(known, '[]');
    writeFileSync(join(dir, 'empty.sse'), '');
    const { code, out } = await cst(['check', dir, '--write-known', known]);
    expect(code).toBe(3);
    expect(out).toContain(`${known} is not written: there is something that could not be read`);
    expect(readFileSync(known, 'utf8')).toBe('[]');
  });
});

function textFile(): string {
  const path = join(dir, 'text.sse');
  writeFileSync(path, textStream('call c1 t\nend\n'));
  return path;
}

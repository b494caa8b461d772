import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolCall } from '../../parsers/parser.ts';
import { loadSuites } from '../../replay/load.ts';
import { parseStream } from '../../replay/parse-stream.ts';
import { type Framing, READERS } from '../../replay/recording.ts';
import { prepareCall } from './call-arguments.ts';
import { TestProject, told } from './test-project.ts';

const project = new TestProject();
afterAll(() => project.remove());

interface RecordedCall {
  readonly file: string;
  readonly framing: Framing;
  readonly call: ToolCall;
}
let recorded: readonly RecordedCall[];

beforeAll(async () => {
  const suites = await loadSuites(join(import.meta.dirname, '../../../recordings'), { suites: ['replies'] });
  const calls = suites.map(async (recording) => {
    const { calls } = parseStream(await recording.bytes(), { protocol: READERS[recording.framing][0]! });
    return calls.map((call) => ({ file: recording.file, framing: recording.framing, call }));
  });
  recorded = (await Promise.all(calls)).flat();
});

describe('the calls of the recorded answers', () => {
  it('can all be run', () => {
    expect(recorded.filter(({ call }) => 'refusal' in prepareCall(call))).toEqual([]);
    expect(new Set(recorded.map(({ call }) => call.name)).size).toBe(5);
    expect(new Set(recorded.map(({ framing }) => framing)).size).toBe(4);
  });

  it('write exactly what the model wrote', async () => {
    let files = 0;
    for (const { framing, call } of recorded.filter(({ call }) => call.name === 'write_file')) {
      const prepared = prepareCall(call);
      if (!('tool' in prepared)) throw new Error(prepared.refusal);
      const { path, content } = prepared.args as { path: string; content: string };
      const created = existsSync(project.path(path)) ? 'replaced' : 'created';
      const outcome = told(await prepared.tool.run(prepared.args, project.context));
      expect(outcome).toEqual([0, expect.stringMatching(`^${created} `)]);
      const sent =
        call.args.form === 'json'
          ? String(call.args.object['content'])
          : Buffer.from(call.args.values.find(({ key }) => key === 'content')!.bytes).toString();
      expect([framing, project.read(path)]).toEqual([framing, sent]);
      expect(content).toBe(sent);
      files += 1;
    }
    expect(files).toBeGreaterThan(100);
  });
});

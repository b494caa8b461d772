import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkRecording } from '../properties/recording-check.ts';
import { sse, toolChunk, toolDelta } from '../testing/chat-streams.ts';
import { interleaved } from './interleaving.ts';
import { openModule } from './module-parser.ts';
import { TranscriptNode } from './transcript.ts';

const folder = mkdtempSync(join(tmpdir(), 'cst-judge-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function stream(name: string): Uint8Array {
  return sse(
    toolChunk(toolDelta({ index: 0, id: 'a', name, args: '' })),
    toolChunk(toolDelta({ index: 0, args: '{"k"' })),
    toolChunk(toolDelta({ index: 0, args: ':1}' })),
    '[DONE]',
  );
}

let count = 0;
/** What the parser of a module is told of each stream: `holds`, or what was violated of `answers`. */
async function answersTo(source: string, streams: readonly Uint8Array[]): Promise<readonly unknown[]> {
  const path = join(folder, `parser${count++}.mjs`);
  writeFileSync(path, source);
  const parser = await openModule(path, { protocol: 'json-object', timeout: 5000, onStderr: () => undefined });
  const found: unknown[] = [];
  for (const bytes of streams) {
    const judged = await parser.check((foreign) => checkRecording(bytes, { ...foreign, protocol: 'json-object' }));
    const verdict = judged.outcomes.find(({ verdict: { property } }) => property === 'answers')?.verdict;
    found.push(verdict?.status === 'violated' ? verdict.first.what : verdict?.status);
  }
  await parser.close();
  return found;
}

describe('parsers of one module', () => {
  const collecting = (shared: string, own: string): string => `
    ${shared}
    export const createParser = () => { ${own} return { calls: [], end() {}, push(e) {
      if (e.type !== 'tool-delta') return;
      text += Buffer.from(e.bytes).toString();
      if (text.length > 6 && this.calls.length === 0) this.calls.push({ name: 't', arguments: JSON.stringify({ text }) });
    } }; };`;

  it('that share what they have read are found out when two streams come in turn', async () => {
    const what = /^fed alternately with itself: the parser answered otherwise when it was fed alone \(asked: \{/;
    const found = await answersTo(collecting("let text = '';", "text = '';"), [stream('t')]);
    expect(found).toEqual([expect.stringMatching(what)]);
  });

  it('that share nothing are not', async () => {
    expect(await answersTo(collecting('', "let text = '';"), [stream('t'), stream('u')])).toEqual(['holds', 'holds']);
  });

  it('that mix up two different streams alone are found out at the second', async () => {
    const source = `const names = new Map();
      export const createParser = () => ({ calls: [], end() {}, push(e) {
        if (e.type !== 'tool-delta') return;
        if (e.name !== undefined) names.set(e.call, e.name);
        else if (this.calls.length === 0) this.calls.push({ name: names.get(e.call), arguments: '{}' });
      } });`;
    const what = /^fed alternately with the stream before: the parser answered otherwise when it was fed alone/;
    expect(await answersTo(source, [stream('t'), stream('u')])).toEqual(['holds', expect.stringMatching(what)]);
  });
});

it('two streams come one message each in turn, each line with the stream that it belongs to', () => {
  const nodes = ['', '{"m":1}', '{"m":2}', '{"m":3}'].map((message) => new TranscriptNode(null, message, 0));
  const long = { start: (id: number) => `{"a":${id}}`, nodes };
  const short = { start: (id: number) => `{"b":${id}}`, nodes: nodes.slice(0, 2) };
  expect(interleaved([long, short], 5).map(({ line }) => line)).toEqual([
    '{"a":5}',
    '{"m":1,"stream":5}',
    '{"b":6,"beside":true}',
    '{"m":1,"stream":6}',
    '{"m":2,"stream":5}',
    '{"m":3,"stream":5}',
  ]);
  expect(interleaved([short, long], 5).map(({ line }) => line)).toEqual([
    '{"b":5}',
    '{"m":1,"stream":5}',
    '{"a":6,"beside":true}',
    '{"m":1,"stream":6}',
    '{"m":2,"stream":6}',
    '{"m":3,"stream":6}',
  ]);
});

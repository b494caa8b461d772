import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { callFingerprint } from '../parsers/call.ts';
import type { ToolCall } from '../parsers/parser.ts';
import { loadSuites } from '../replay/load.ts';
import type { Recording } from '../replay/recording.ts';
import { seededDraw } from '../replay/seeded.ts';
import { armedFault } from '../serve/faults.ts';
import { startServer } from '../serve/server.ts';
import { readAnswer } from './answer.ts';
import { openStream } from './http-stream.ts';
import { allowedCalls } from './irrevocable.ts';
import { AGENT_PROTOCOLS, type AgentProtocol, PROTOCOL_RULES } from './protocol.ts';

const recordings = await loadSuites(fileURLToPath(new URL('../../recordings', import.meta.url)), {
  suites: ['crafted', 'replies'],
});
const dispatcher = new Agent({ keepAliveTimeout: 1 });
afterAll(() => dispatcher.destroy());
const signal = new AbortController().signal;

/** What `json-object` is known to run too early (recordings/README.md): the oracle of the whole stream takes it back. */
const KNOWN_UNSOUND: ReadonlySet<string> = new Set([
  'case-02-empty-object-then-arguments-parallel.native.sse',
  'text-call-delta-after-text-call.native.sse',
  'text-call-delta-after-wrong-text.native.sse',
]);

const PAIRS = AGENT_PROTOCOLS.flatMap((protocol) =>
  recordings
    .filter(({ framing }) => framing === PROTOCOL_RULES[protocol].framing)
    .filter(({ file }) => protocol !== 'native-inc' || !KNOWN_UNSOUND.has(file))
    .map((recording) => ({ protocol, recording, name: `${recording.suite}/${recording.file} ${protocol}` })),
);

interface Run {
  readonly calls: readonly ToolCall[];
  readonly text: string;
}

async function runOf(protocol: AgentProtocol, chunks: AsyncIterable<Uint8Array>): Promise<Run> {
  const calls: ToolCall[] = [];
  let text = '';
  const answer = await readAnswer(chunks, {
    rules: PROTOCOL_RULES[protocol],
    signal,
    hooks: {
      emit: () => undefined,
      run: async (call, before) => {
        calls.push(call);
        text += before;
      },
    },
  });
  return { calls, text: text + answer.text };
}

/** The first bytes of a recording over HTTP: the server closes the connection behind them. */
async function overHttp(protocol: AgentProtocol, recording: Recording, length: number): Promise<Run> {
  const faults = length < recording.size ? [armedFault(`cut@${length}`)] : [];
  const server = await startServer({ recordings: [recording], speed: 0, faults });
  try {
    const body = JSON.stringify({ model: server.models[0], messages: [{ role: 'user', content: '?' }], stream: true });
    const request = { url: new URL(`${server.baseUrl}/chat/completions`), headers: {}, body };
    const answer = await openStream(request, { dispatcher, signal, idleLimit: 30_000 });
    const run = await runOf(protocol, answer.chunks);
    answer.close();
    return run;
  } finally {
    await server.close();
  }
}

async function* inPieces(bytes: Uint8Array, length: number, draw: (below: number) => number) {
  for (let from = 0; from < length; ) {
    const to = Math.min(length, from + 1 + draw(200));
    yield bytes.subarray(from, to);
    from = to;
  }
}

function expectAllowed(protocol: AgentProtocol, bytes: Uint8Array, run: Run): void {
  const allowed = allowedCalls(protocol, bytes);
  const ran = [...run.calls].sort((a, b) => a.ordinal - b.ordinal);
  expect(ran.map(({ id, name }) => [id, name])).toEqual(allowed.calls.map(({ id, name }) => [id, name]));
  expect(ran.map(callFingerprint)).toEqual(allowed.calls.map(callFingerprint));
  if (allowed.kept !== null) expect(run.text).toBe(allowed.kept);
  else if (PROTOCOL_RULES[protocol].form === 'text') expect(allowed.text.startsWith(run.text)).toBe(true);
}

/** `most` cuts at most: none, all but one byte, no cut at all, and seeded ones. */
function cuts(label: string, size: number, most: number): readonly number[] {
  if (size < most) return Array.from({ length: size + 1 }, (_, at) => at);
  const draw = seededDraw(label);
  return [...new Set([0, size - 1, size, ...Array.from({ length: most - 3 }, () => draw(size))])];
}

/** Every byte of a short stream. */
function mostCuts(size: number): number {
  if (size <= SHORT) return SHORT + 1;
  return size > LONG ? 10 : 60;
}

const SHORT = 600;
const LONG = 20_000;

describe('the calls that run are those that the oracle allows', () => {
  it('covers all recordings of both suites', () => {
    expect(PAIRS.length).toBeGreaterThan(400);
  });

  it.each(PAIRS)('$name, cut over HTTP', async ({ protocol, recording, name }) => {
    const bytes = await recording.bytes();
    for (const length of cuts(name, bytes.length, 5)) {
      expectAllowed(protocol, bytes.subarray(0, length), await overHttp(protocol, recording, length));
    }
  });

  it.each(PAIRS)('$name, cut at more bytes, in seeded pieces', async ({ protocol, recording, name }) => {
    const bytes = await recording.bytes();
    const draw = seededDraw(`pieces/${name}`);
    for (const length of cuts(`cuts/${name}`, bytes.length, mostCuts(bytes.length))) {
      const run = await runOf(protocol, inPieces(bytes, length, draw));
      expectAllowed(protocol, bytes.subarray(0, length), run);
    }
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { detectWireFormat } from './dialect.ts';
import type { StreamEvent } from './event.ts';
import { readStream } from './reader.ts';
import { StreamReader } from './stream-reader.ts';
import { WIRE_FORMATS, type WireFormat } from './wire-format.ts';

const CASES = fileURLToPath(new URL('../../../shared/cases/streams/', import.meta.url));
const CORPUS = fileURLToPath(new URL('../../../shared/corpus/', import.meta.url));

interface Call {
  id?: string;
  name?: string;
  text: string;
}

function assemble(events: readonly StreamEvent[]): Call[] {
  const calls: Call[] = [];
  for (const event of events) {
    if (event.type !== 'tool-delta') continue;
    calls[event.call] ??= { text: '' };
    const call = calls[event.call]!;
    if (event.id !== undefined) call.id = event.id;
    if (event.name !== undefined) call.name = event.name;
    call.text += Buffer.from(event.bytes).toString('utf8');
  }
  return calls;
}

function failureKind(events: readonly StreamEvent[]): string | null {
  return events.find((event) => event.type === 'failure')?.kind ?? null;
}

function readByteByByte(bytes: Uint8Array, wire: WireFormat = 'openai-chat') {
  const events: StreamEvent[] = [];
  const reader = new StreamReader(wire, (event) => events.push(event));
  for (let i = 0; i < bytes.length; i++) reader.push(bytes, i, i + 1);
  const heldAtEnd = reader.held;
  const end = reader.end();
  return { events, end, notes: reader.notes, heldAtEnd };
}

function files(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.sse')) : [];
}

interface Sidecar {
  readonly protocol: string;
  readonly end: string;
  readonly expectedCalls: readonly { id?: string; name: string; args: object; argsText?: string }[];
  readonly expectedError?: string;
}

const STREAM_FAILURES = ['stream_error', 'sse_bad_json', 'bad_delta'];

describe.skipIf(!existsSync(CASES))('the shared cases', () => {
  const cases = files(CASES).map((file) => {
    const bytes = readFileSync(CASES + file);
    const sidecar: Sidecar = JSON.parse(readFileSync(`${CASES}${file.replace('.sse', '.json')}`, 'utf8'));
    return { file, bytes, sidecar };
  });

  it('are all there', () => {
    expect(cases).toHaveLength(60);
  });

  it.each(cases)('$file ends and fails as its sidecar says', ({ bytes, sidecar }) => {
    const { events, end } = readStream(bytes, 'openai-chat');
    const { expectedError = '' } = sidecar;
    expect([end, failureKind(events)]).toEqual([
      sidecar.end,
      STREAM_FAILURES.includes(expectedError) ? expectedError : null,
    ]);
  });

  it.each(cases)('$file is the same byte by byte, and cut anywhere', ({ bytes }) => {
    const whole = readStream(bytes, 'openai-chat');
    expect(readByteByByte(bytes)).toEqual(whole);
    for (let cut = 0; cut < Math.min(bytes.length, 2000); cut++) {
      const events: StreamEvent[] = [];
      const reader = new StreamReader('openai-chat', (event) => events.push(event));
      reader.push(bytes, 0, cut);
      reader.push(bytes, cut);
      expect(reader.end()).toBe(whole.end);
      expect(events.length).toBe(whole.events.length);
    }
  });

  const sound = cases.filter(
    ({ sidecar }) =>
      sidecar.protocol === 'native-eos' && sidecar.end === 'complete' && sidecar.expectedError === undefined,
  );
  it.each(sound)('$file has the calls of its sidecar', ({ bytes, sidecar }) => {
    const { events } = readStream(bytes, 'openai-chat');
    expect(events.filter(({ type }) => type === 'refused-delta')).toEqual([]);
    const calls = assemble(events).map(({ text, ...call }) => ({
      ...call,
      args: JSON.parse(text === '' ? '{}' : text),
    }));
    expect(calls).toEqual(
      sidecar.expectedCalls.map(({ argsText: _, args, ...call }) => ({
        ...call,
        args: JSON.parse(JSON.stringify(args)),
      })),
    );
    sidecar.expectedCalls.forEach(({ argsText }, i) => {
      if (argsText !== undefined) expect(assemble(events)[i]?.text).toBe(argsText);
    });
  });

  it('the endless line is too long for a smaller limit', () => {
    const bytes = readFileSync(`${CASES}53-endless-line.sse`);
    const { events } = readStream(bytes, 'openai-chat', { eventLimit: 65_536 });
    expect(events.at(-1)).toMatchObject({
      type: 'failure',
      kind: 'event_too_long',
      at: bytes.lastIndexOf('data: ') + 6 + 65_536,
    });
  });
});

interface Entry {
  readonly slug: string;
  readonly wire_format: string;
  readonly tool_calls: number;
  readonly finish_reason: string | null;
}

/** The streams in which the provider reported an error. */
const REAL_ERRORS = [
  'openai-chat-groq-pydantic-ai-test-groq-test-tool-use-failed-error-streaming-i0',
  'openai-chat-groq-pydantic-ai-test-groq-test-tool-use-failed-error-streaming-with-text-i0',
  'openai-chat-openrouter-pydantic-ai-test-openrouter-test-openrouter-stream-error-i0',
  'openai-chat-openrouter-req-llm-google-gemini-2-5-flash-lite-object-streaming',
];

/** Where the rough counter of the index and the reader differ. */
const OTHER_COUNTS: Readonly<Record<string, [calls: number, why: string]>> = {
  'openai-chat-openai-dd-trace-py-cassettes-completion-stream-multiple-choices-with-tools-i0': [
    1,
    'the other one is of choice 1',
  ],
};

/** Where the end is not what the last finish reason alone would say. */
const OTHER_ENDS: Readonly<Record<string, ['complete' | 'cut', why: string]>> = {
  'openai-chat-anthropic-pydantic-ai-test-snowflake-test-snowflake-model-streaming-i0': [
    'complete',
    '[DONE] without a reason',
  ],
  'openai-chat-openrouter-req-llm-google-gemini-2-5-flash-lite-object-streaming': [
    'cut',
    'an error came after the reasons',
  ],
};

const COMPLETE = ['stop', 'tool_calls', 'eos'];

describe.skipIf(!existsSync(CORPUS))('the shared corpus', () => {
  const index: Entry[] = existsSync(CORPUS)
    ? readFileSync(`${CORPUS}index.jsonl`, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
  const chats = index.filter((entry) => entry.wire_format === 'openai-chat');

  it('is all there', () => {
    expect(chats.map(({ slug }) => `${slug}.sse`).sort()).toEqual(files(`${CORPUS}openai-chat`).sort());
    expect(chats).toHaveLength(193);
  });

  it.each(chats)('$slug is read', ({ slug, tool_calls, finish_reason }) => {
    const bytes = readFileSync(`${CORPUS}openai-chat/${slug}.sse`);
    const reading = readStream(bytes, 'openai-chat');
    const end = COMPLETE.includes(finish_reason ?? '') ? 'complete' : 'cut';
    expect({
      end: reading.end,
      calls: assemble(reading.events).length,
      failure: failureKind(reading.events),
      refused: reading.events.filter(({ type }) => type === 'refused-delta'),
    }).toEqual({
      end: OTHER_ENDS[slug]?.[0] ?? end,
      calls: OTHER_COUNTS[slug]?.[0] ?? tool_calls,
      failure: REAL_ERRORS.includes(slug) ? 'stream_error' : null,
      refused: [],
    });
    expect(readByteByByte(bytes)).toEqual(reading);
  });

  it.each(['anthropic', 'openai-responses', 'gemini'] as const)(
    'every stream of %s is the same byte by byte',
    (wire) => {
      for (const file of files(`${CORPUS}${wire}`)) {
        const bytes = readFileSync(`${CORPUS}${wire}/${file}`);
        expect(readByteByByte(bytes, wire)).toEqual(readStream(bytes, wire));
      }
    },
  );

  it.each(WIRE_FORMATS)('every stream of %s is recognised', (wire) => {
    const strays = files(`${CORPUS}${wire}`).filter(
      (file) => detectWireFormat(readFileSync(`${CORPUS}${wire}/${file}`)) !== wire,
    );
    expect(strays).toEqual([]);
  });
});

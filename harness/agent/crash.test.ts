import { describe, expect, it } from 'vitest';
import { argumentsAsJson } from '../parsers/call.ts';
import { chunk, sse, toolChunk, toolDelta } from '../testing/chat-streams.ts';
import { type ChatMessage, conversationParts, RecordedAnswer } from './conversation.ts';
import { type CallExecutor, runAgent } from './loop.ts';
import type { Model } from './model-client.ts';
import type { AgentProtocol } from './protocol.ts';
import { type CallRecord, recordLine, type SessionRecord } from './session-record.ts';
import { Transcript } from './transcript.ts';

const TASK: SessionRecord = { type: 'user', text: 'Do it.' };

function ctlCalls(...ids: readonly string[]): Uint8Array {
  const frames = ids.map((id) => `call ${id} list_dir\narg path 1\n${id}\nend\n`);
  return sse(chunk({ content: `Now:\n${frames.join('\n')}` }), chunk({}, 'stop'), '[DONE]');
}

function xmlCalls(...names: readonly string[]): Uint8Array {
  const invokes = names.map(
    (path) => `<invoke name="list_dir">\n<parameter name="path">${path}</parameter>\n</invoke>\n`,
  );
  return message(`Now:\n<minimax:tool_call>\n${invokes.join('')}</minimax:tool_call>\n`);
}

function nativeCalls(...ids: readonly string[]): Uint8Array {
  const deltas = ids.map((id, index) =>
    toolChunk(toolDelta({ index, id, name: 'list_dir', args: JSON.stringify({ path: id }) })),
  );
  return sse(chunk({ content: 'Now:' }), ...deltas, chunk({}, 'tool_calls'), '[DONE]');
}

const SCRIPTS: readonly { readonly protocol: AgentProtocol; readonly answers: readonly Uint8Array[] }[] = [
  { protocol: 'ctl', answers: [ctlCalls('a', 'b', 'c'), ctlCalls('d'), message('Done.')] },
  { protocol: 'xml', answers: [xmlCalls('a', 'b', 'c'), xmlCalls('d'), message('Done.')] },
  { protocol: 'native-eos', answers: [nativeCalls('a', 'b'), nativeCalls('c', 'd'), message('Done.')] },
  { protocol: 'native-inc', answers: [nativeCalls('a', 'b', 'c'), nativeCalls('d'), message('Done.')] },
];

function message(content: string): Uint8Array {
  return sse(chunk({ content }), chunk({}, 'stop'), '[DONE]');
}

/** As `cst serve` does it: the turn is told from the messages of the assistant. */
function model(answers: readonly Uint8Array[], asked: (readonly ChatMessage[])[]): Model {
  return {
    ask: async ({ messages }) => {
      asked.push(messages);
      const bytes = answers[messages.filter(({ role }) => role === 'assistant').length] ?? message('Done.');
      async function* body() {
        yield bytes;
      }
      return { chunks: body(), close: () => undefined, leave: () => undefined };
    },
  };
}

interface World {
  /** What survives a crash. */
  readonly disk: SessionRecord[];
  /** Paths of the calls that have had their effect: no two calls of a script have the same. */
  readonly effects: string[];
  readonly asked: (readonly ChatMessage[])[];
}

type Crash = { readonly at: number; readonly when: 'before' | 'behind' } | null;

/** Runs until the end, or until the process "dies": just before, or just behind, the record with that number is on disk. */
async function live({ disk, effects, asked }: World, script: (typeof SCRIPTS)[number], crash: Crash): Promise<void> {
  const death = new Promise<null>((die) => {
    const forever = new Promise<never>(() => undefined);
    const append = async (record: SessionRecord): Promise<void> => {
      const isLast = crash?.at === disk.length;
      if (!isLast || crash.when === 'behind') disk.push(record);
      if (!isLast) return;
      die(null);
      await forever;
    };
    const transcript = new Transcript({ append }, disk);
    const options = { protocol: script.protocol, system: 'S', tools: [], maxTurns: 9, retries: 3 } as const;
    const execute: CallExecutor = async ({ args }) => {
      const { path } = argumentsAsJson(args);
      effects.push(String(path));
      return { type: 'result', exit: 0, output: `out of ${path}` };
    };
    const run = async (): Promise<void> => {
      await transcript.closeInterrupted();
      await runAgent(
        { ...options, signal: new AbortController().signal },
        { model: model(script.answers, asked), transcript, execute, emit: () => undefined },
      );
      die(null);
    };
    void run();
  });
  await death;
}

async function fresh(script: (typeof SCRIPTS)[number]): Promise<World> {
  const world: World = { disk: [TASK], effects: [], asked: [] };
  await live(world, script, null);
  return world;
}

function pathOf({ values, arguments: source }: CallRecord): unknown {
  return values === undefined ? JSON.parse(source ?? '').path : values[0]?.[1];
}

function callsOf(disk: readonly SessionRecord[]) {
  const answers = conversationParts(disk).filter((part) => part instanceof RecordedAnswer);
  return answers.flatMap((answer) =>
    answer.calls.map((call) => ({ path: pathOf(call), outcome: answer.outcomeOf(call) })),
  );
}

describe.each(SCRIPTS)('a crash under $protocol', (script) => {
  it('anywhere, and once more while it is resumed, runs no call twice and loses none silently', async () => {
    const whole = (await fresh(script)).disk.length;
    expect(whole).toBeGreaterThan(12);
    for (let at = 1; at < whole; at++) {
      for (const when of ['before', 'behind'] as const) {
        for (const again of [null, { at: at + 1, when }, { at: at + 4, when }] as const) {
          const world: World = { disk: [TASK], effects: [], asked: [] };
          await live(world, script, { at, when });
          await live(world, script, again);
          await live(world, script, null);
          const place = `crash ${when} record ${at}, then ${JSON.stringify(again)}`;
          expect(new Set(world.effects).size, place).toBe(world.effects.length);
          const calls = callsOf(world.disk);
          // Whatever had an effect is recorded; what is recorded has a result, or is unknown.
          expect(
            calls.map(({ path }) => path),
            place,
          ).toEqual(expect.arrayContaining(world.effects));
          for (const { path, outcome } of calls) {
            const known = outcome?.type === 'result' && outcome.exit === 0 && world.effects.includes(String(path));
            expect(known || (outcome?.type === 'result' && outcome.exit === 'unknown'), `${place}: ${path}`).toBe(true);
          }
        }
      }
    }
  });

  it('behind the record of a call tells the model that it is unknown', async () => {
    const at = (await fresh(script)).disk.findIndex(({ type }) => type === 'call');
    const world: World = { disk: [TASK], effects: [], asked: [] };
    await live(world, script, { at, when: 'behind' });
    await live(world, script, null);
    expect(world.effects).not.toContain('a');
    const told = JSON.stringify(world.asked[1]);
    expect(told).toMatch(/exit=255/);
    expect(told).toContain('it was not run again. Look before you repeat it.');
  });

  it('leaves what was there before it as it was', async () => {
    const { disk } = await fresh(script);
    const world: World = { disk: [TASK], effects: [], asked: [] };
    await live(world, script, { at: 7, when: 'behind' });
    const before = world.disk.map(recordLine);
    await live(world, script, null);
    expect(world.disk.slice(0, before.length).map(recordLine)).toEqual(before);
    expect(before).toEqual(disk.slice(0, before.length).map(recordLine));
  });
});

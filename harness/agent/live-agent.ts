/** For tests: the whole agent against `cst serve` over HTTP, with its own tools in a folder of its own. */

import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { chatStream } from '../replay/envelope.ts';
import { writeCtl } from '../replay/frames.ts';
import type { Framing, Recording } from '../replay/recording.ts';
import type { Exchange, ServeObserver } from '../serve/exchange.ts';
import { armedFault } from '../serve/faults.ts';
import { startServer } from '../serve/server.ts';
import type { Turn } from '../serve/session.ts';
import { inMemory as recordingInMemory } from '../serve/test-server.ts';
import type { AgentEvent, AgentOutcome } from './agent-event.ts';
import { KeyMask } from './key-mask.ts';
import { type CallExecutor, runAgent } from './loop.ts';
import { maskedEvents } from './masked-events.ts';
import { completionsUrl, ModelClient } from './model-client.ts';
import { Permission } from './permission.ts';
import { type AgentProtocol, systemPrompt } from './protocol.ts';
import { DEFAULT_OUTPUT_CAP } from './result-frame.ts';
import type { SessionRecord } from './session-record.ts';
import type { Tool } from './tool.ts';
import { toolExecutor } from './tool-executor.ts';
import { nativeTools, TOOLS, toolsPrompt } from './tools/registry.ts';
import { Transcript } from './transcript.ts';

export interface LiveRun {
  readonly protocol: AgentProtocol;
  readonly recordings: readonly Recording[];
  /** What answers, turn by turn; `Done.` behind it. */
  readonly turns: readonly Turn[];
  readonly tools?: readonly Tool[];
  /** Instead of the tools. */
  readonly execute?: CallExecutor;
  readonly observer?: ServeObserver;
  readonly idleLimit?: number;
  readonly retries?: number;
  readonly maxTurns?: number;
  readonly speed?: number;
  readonly key?: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
}

export interface LiveRunEnd {
  readonly outcome: AgentOutcome;
  readonly events: readonly AgentEvent[];
  readonly records: readonly SessionRecord[];
  readonly exchanges: readonly Exchange[];
  /** Waits of the model's client, in ms; none was waited for. */
  readonly waits: readonly number[];
}

/** A turn that a recording answers, with faults as they are written (`cut@1200`). */
export function recordedTurn(recording: string, ...faults: readonly string[]): Turn {
  return { answer: { recording }, faults: faults.map((fault) => armedFault(fault)) };
}

export class LiveAgent {
  /** The project folder. */
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'cst-agent-')));

  async run(run: LiveRun): Promise<LiveRunEnd> {
    const exchanges: Exchange[] = [];
    const waits: number[] = [];
    const events: AgentEvent[] = [];
    const server = await startServer({
      recordings: run.recordings,
      session: { turns: run.turns, after: 'done' },
      speed: run.speed ?? 0,
      observer: {
        ...run.observer,
        ended: (exchange) => {
          exchanges.push(exchange);
          run.observer?.ended?.(exchange);
        },
      },
    });
    const model = new ModelClient({
      url: completionsUrl(server.url) as URL,
      model: 'default',
      key: run.key,
      retries: run.retries ?? 3,
      idleLimit: run.idleLimit ?? 30_000,
      sleep: async (ms) => void waits.push(ms),
    });
    const mask = new KeyMask(run.key === undefined ? [] : [run.key]);
    const transcript = new Transcript({ append: async () => undefined }, [{ type: 'user', text: 'Do it.' }], mask);
    try {
      const emit = maskedEvents(mask, (event) => {
        events.push(event);
        run.onEvent?.(event);
      });
      const execute = run.execute ?? this.#execute(run);
      const outcome = await runAgent(this.#options(run), { model, transcript, emit, execute });
      return { outcome, events, records: transcript.records, exchanges, waits };
    } finally {
      await model.close();
      await server.close();
    }
  }

  /** Files below the project folder, by path. */
  files(): Readonly<Record<string, string>> {
    const entries = readdirSync(this.root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = entries.map(({ parentPath, name }) => relative(this.root, join(parentPath, name))).sort();
    return Object.fromEntries(paths.map((path) => [path, readFileSync(join(this.root, path), 'utf8')]));
  }

  /** Empties the project folder. */
  clear(): void {
    for (const name of readdirSync(this.root)) rmSync(join(this.root, name), { recursive: true });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #options({ protocol, maxTurns = 50, retries = 3, signal = new AbortController().signal }: LiveRun) {
    const system = systemPrompt(protocol, toolsPrompt());
    return { protocol, system, tools: nativeTools(), maxTurns, retries, signal };
  }

  #execute({ tools = TOOLS, key }: LiveRun): CallExecutor {
    const permission = new Permission('allow', async () => 'no');
    const environment = { PATH: process.env['PATH'] ?? '' };
    const context = { root: this.root, timeLimit: 30_000, outputCap: DEFAULT_OUTPUT_CAP, environment };
    return toolExecutor({ permission, context, tools, mask: new KeyMask(key === undefined ? [] : [key]) });
  }
}

/** A recording of suite `s` in memory, of a text or of wire bytes. */
export function inMemory(task: string, content: string | Uint8Array, framing: Framing = 'ctl'): Recording {
  return recordingInMemory(task, typeof content === 'string' ? textStream(content) : content, { framing });
}

/** A call of a tool as a CTL frame. */
export function ctlCall(id: string, name: string, args: Readonly<Record<string, string>>): string {
  return writeCtl([{ id, name, args: Object.entries(args) }]);
}

const DELTA = 4096;

function textStream(text: string): Uint8Array {
  const pieces = Array.from({ length: Math.ceil(text.length / DELTA) }, (_, at) =>
    text.slice(at * DELTA, (at + 1) * DELTA),
  );
  return chatStream({
    id: 'x',
    model: 'm',
    parts: [{ type: 'text', pieces }],
    finish: 'stop',
    usage: { promptTokens: 1, completionTokens: 1 },
  });
}

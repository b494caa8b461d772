/** The streams of a dialect, and the tools that a request for them would have named. */
import { ORACLES } from '../../harness/oracles/oracles.ts';
import { DEFAULT_OPTIONS } from '../../harness/parsers/parser.ts';
import type { Dialect } from '../../harness/parsers/protocols.ts';
import { tokenChunks } from '../../harness/replay/chunking.ts';
import { chatStream } from '../../harness/replay/envelope.ts';
import type { Recording } from '../../harness/replay/recording.ts';
import { contentSize } from '../../harness/replay/replay.ts';
import { seededDraw } from '../../harness/replay/seeded.ts';
import { shippedSuites } from '../../harness/replay/shipped.ts';
import { readStream } from '../../harness/stream/reader.ts';
import type { Pair } from './pairs.ts';

/** Content bytes. Parsers that read their buffer again at each token take minutes for more, and show nothing new. */
const MOST_CONTENT = 4096;
const SEED = 1;

export interface DialectStream {
  readonly suite: string;
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly wire: Recording['wire'];
  readonly contentBytes: number;
}

/** A function of a request, as `tools` of the chat API has it. */
export interface ToolFunction {
  readonly name: string;
  readonly parameters: { readonly type: 'object'; readonly properties: { readonly [key: string]: { type: 'string' } } };
}

/** Crafted and reframed streams up to {@link MOST_CONTENT}; not those that are read under limits of their own. */
export async function pairStreams({ dialect, form }: Pair): Promise<readonly DialectStream[]> {
  const suites = await shippedSuites(SEED);
  const wanted = suites.filter(({ suite, framing, limits }) => {
    return framing === dialect && (suite === 'crafted' || suite === 'reframed') && limits === undefined;
  });
  const streams: DialectStream[] = [];
  for (const { suite, file, wire, ...recording } of wanted) {
    const isToFence = form === 'fenced' && suite === 'reframed';
    const stored = await recording.bytes();
    const bytes = isToFence ? inFences(stored, file) : stored;
    const contentBytes = contentSize(readStream(bytes, wire).events);
    const isOfForm = form === undefined || form === (textOf(bytes).includes(FENCE) ? 'fenced' : 'plain');
    if (contentBytes <= MOST_CONTENT && isOfForm) streams.push({ suite, file, bytes, wire, contentBytes });
  }
  return streams;
}

const FENCE = '```json';
const PLAIN_CALL = /<｜tool▁call▁begin｜>(?!function<)(.*?)<｜tool▁sep｜>(.*?)<｜tool▁call▁end｜>/gs;

/** The calls of a V3.1 answer in the form of V3 (docs/dialects-special-tokens.md), cut in the way of the suite. */
function inFences(bytes: Uint8Array, file: string): Uint8Array {
  const text = textOf(bytes).replaceAll(PLAIN_CALL, (_, name: string, json: string) => {
    return `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n${FENCE}\n${json}\n\`\`\`<｜tool▁call▁end｜>`;
  });
  const pieces = tokenChunks(text, seededDraw(`${SEED}/${file}`));
  const usage = { promptTokens: 0, completionTokens: 0 };
  return chatStream({ id: file, model: 'reframed', parts: [{ type: 'text', pieces }], finish: 'stop', usage });
}

function textOf(bytes: Uint8Array): string {
  const events = readStream(bytes, 'openai-chat').events;
  return Buffer.concat(events.flatMap((event) => (event.type === 'text' ? [event.bytes] : []))).toString();
}

/**
 * The tools of the oracle's calls, and `t`. In dialects without types every parameter is declared a string, so that a
 * server does not guess; in those with JSON nothing is declared, so that it does not convert.
 */
export function toolsOf(dialect: Dialect, streams: readonly DialectStream[]): readonly ToolFunction[] {
  const keys = new Map<string, Set<string>>([['t', new Set(['k'])]]);
  for (const { bytes, wire } of streams) {
    const { events, end } = readStream(bytes, wire);
    for (const { name, args } of ORACLES[dialect](events, end, DEFAULT_OPTIONS).calls) {
      const known = keys.get(name) ?? new Set();
      keys.set(name, known);
      if (args.form === 'values') for (const { key } of args.values) known.add(key);
    }
  }
  const hasTypes = dialect !== 'qwen-xml' && dialect !== 'glm';
  return [...keys].map(([name, names]) => {
    const properties = Object.fromEntries(
      [...(hasTypes ? [] : names)].map((key) => [key, { type: 'string' as const }]),
    );
    return { name, parameters: { type: 'object', properties } };
  });
}

/**
 * The suite `reframed`, made at run time and not stored (recordings.md): the calls of the good native replies written
 * again in every framing, so that only the frame differs, and one call from 16 bytes to 1 MiB (64 KiB in the dialects).
 *
 * The expectation of each is what was meant. Where a framing cannot carry a value (xml and a value that holds
 * `</parameter>`), it is not met: that is a finding about the framing.
 */
import { TextDecoder } from 'node:util';
import type { JsonObject } from '../parsers/parser.ts';
import type { StreamEvent } from '../stream/event.ts';
import { readStream } from '../stream/reader.ts';
import { byteChunks, tokenChunks } from './chunking.ts';
import { type Answer, type AnswerPart, chatStream } from './envelope.ts';
import {
  type MeantCall,
  writeCtl,
  writeCtlHeredoc,
  writeGlm,
  writeHermes,
  writeJsonArguments,
  writeQwenXml,
  writeXml,
} from './frames.ts';
import { writeDeepseek } from './frames-deepseek.ts';
import { writeHarmony } from './frames-harmony.ts';
import { kimiId, writeKimi } from './frames-kimi.ts';
import { type ExpectedCall, FRAMINGS, type Framing, isContractFraming, READERS, type Recording } from './recording.ts';
import { seededDraw } from './seeded.ts';
import { sha256 } from './stored-recording.ts';
import { SWEEP_SIZES, sweepCall } from './sweep.ts';

export const REFRAMED_SUITE = 'reframed';

/** Bytes in a delta of the size sweep: tokenizing a megabyte would measure the tokenizer. */
const SWEEP_CHUNK = 256;

/** The largest value of the sweep in a dialect (bytes): more of the same line is not worth the time. */
const DIALECT_SWEEP = 64 * 1024;

/** How a text is cut into deltas. */
type Cut = (text: string) => readonly string[];

const WRITERS: Readonly<Record<Exclude<Framing, 'native'>, (calls: readonly MeantCall[]) => string>> = {
  ctl: writeCtl,
  'ctl-heredoc': writeCtlHeredoc,
  xml: writeXml,
  hermes: writeHermes,
  'qwen-xml': writeQwenXml,
  glm: writeGlm,
  deepseek: writeDeepseek,
  kimi: writeKimi,
  harmony: writeHarmony,
};

/**
 * The reframed recordings of the native ones among `replies`, in order of file. The draws depend on `seed` and the
 * task, not on the framing: the same sequence of chunk sizes cuts every frame's own tokens. Bytes are made when they
 * are asked for.
 */
export async function reframedSuite(replies: readonly Recording[], seed: string): Promise<readonly Recording[]> {
  const recordings: Recording[] = [];
  for (const reply of replies.filter(isFirstNative)) {
    const calls = goodCalls(readStream(await reply.bytes(), reply.wire).events);
    if (calls === null) continue;
    const cutAfresh = (): Cut => {
      const draw = seededDraw(`${seed}/${reply.task}`);
      return (text) => tokenChunks(text, draw);
    };
    for (const framing of FRAMINGS) recordings.push(reframed({ task: reply.task, framing, calls, cutAfresh }));
  }
  const cutAfresh = (): Cut => (text) => byteChunks(text, SWEEP_CHUNK);
  for (const size of SWEEP_SIZES) {
    const calls = [sweepCall(size)];
    const framings = FRAMINGS.filter((framing) => isContractFraming(framing) || size <= DIALECT_SWEEP);
    for (const framing of framings) recordings.push(reframed({ task: `sweep-${size}`, framing, calls, cutAfresh }));
  }
  return recordings;
}

/**
 * The calls of a native answer if every one is good: its arguments are one JSON object whose values are all strings
 * (other values have no text form of their own). Null if one is not, or if there are none.
 */
export function goodCalls(events: readonly StreamEvent[]): readonly MeantCall[] | null {
  const open = new Map<number, { name: string; parts: Uint8Array[] }>();
  for (const event of events) {
    if (event.type === 'refused-delta' || event.type === 'failure') return null;
    if (event.type !== 'tool-delta') continue;
    const call = open.get(event.call) ?? { name: '', parts: [] };
    call.parts.push(event.bytes);
    open.set(event.call, { name: event.name ?? call.name, parts: call.parts });
  }
  const calls = [...open.values()].map(({ name, parts }, at) => goodCall(`c${at + 1}`, name, Buffer.concat(parts)));
  return calls.length === 0 || calls.includes(null) ? null : calls.filter((call) => call !== null);
}

function goodCall(id: string, name: string, argument: Uint8Array): MeantCall | null {
  const args = Object.entries(parseObject(new TextDecoder().decode(argument)) ?? { '': null });
  const strings = args.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return name === '' || strings.length !== args.length ? null : { id, name, args: strings };
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

/** The answer of the first run, where there are several. */
function isFirstNative(recording: Recording): boolean {
  return recording.framing === 'native' && recording.file.endsWith(`${recording.task}.native.sse`);
}

interface Reframing {
  readonly task: string;
  readonly framing: Framing;
  readonly calls: readonly MeantCall[];
  /** A new cut with its draws at the start: the bytes come out the same every time. */
  readonly cutAfresh: () => Cut;
}

function reframed(reframing: Reframing): Recording {
  const { task, framing, calls } = reframing;
  const made = reframedBytes(reframing);
  const expected = calls.map((call, at) => expectedCall(call, framing, at));
  return {
    suite: REFRAMED_SUITE,
    file: `${task}.${framing}.sse`,
    task,
    framing,
    guessed: false,
    wire: 'openai-chat',
    sha256: sha256(made),
    size: made.length,
    source: 'reframed',
    expectations: READERS[framing].map((protocol) => ({ protocol, end: 'complete', calls: expected, error: null })),
    bytes: async () => reframedBytes(reframing),
  };
}

function reframedBytes({ task, framing, calls, cutAfresh }: Reframing): Uint8Array {
  const parts =
    framing === 'native' ? nativeParts(calls, cutAfresh()) : textParts(WRITERS[framing](calls), cutAfresh());
  const answer: Answer = {
    id: `chatcmpl-${task}-${framing}`,
    model: REFRAMED_SUITE,
    parts,
    finish: framing === 'native' ? 'tool_calls' : 'stop',
    usage: { promptTokens: 0, completionTokens: 0 },
  };
  return chatStream(answer);
}

function textParts(text: string, cut: Cut): readonly AnswerPart[] {
  return [{ type: 'text', pieces: cut(text) }];
}

function nativeParts(calls: readonly MeantCall[], cut: Cut): readonly AnswerPart[] {
  return calls.map((call) => ({
    type: 'call',
    id: call.id,
    name: call.name,
    pieces: cut(writeJsonArguments(call)),
  }));
}

function expectedCall(call: MeantCall, framing: Framing, index: number): ExpectedCall {
  const id = idIn(call, framing, index);
  return { ...(id !== null && { id }), name: call.name, args: Object.fromEntries(call.args) };
}

/** The id that the frame carries. xml and most dialects have none: their ids are the parser's. */
function idIn(call: MeantCall, framing: Framing, index: number): string | null {
  if (framing === 'kimi') return kimiId(call, index);
  return isContractFraming(framing) && framing !== 'xml' ? call.id : null;
}

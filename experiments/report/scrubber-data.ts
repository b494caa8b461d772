/** The data of the byte scrubber: every framing of every task, and what the parsers make of it at every prefix. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { cells, quoted, visible } from '../../harness/cli/glyphs.ts';
import { InputError } from '../../harness/cli/run-command.ts';
import { traceTimeline } from '../../harness/cli/timeline.ts';
import { ORACLES } from '../../harness/oracles/oracles.ts';
import { argumentMembers, textOrBase64 } from '../../harness/parsers/call.ts';
import { type ContractError, describeError } from '../../harness/parsers/contract-error.ts';
import { type CallArguments, DEFAULT_OPTIONS, type ParserOptions } from '../../harness/parsers/parser.ts';
import { PARSERS, type Protocol } from '../../harness/parsers/protocols.ts';
import { CONTRACT_FRAMINGS, READERS, type Recording } from '../../harness/replay/recording.ts';
import { REFRAMED_SUITE } from '../../harness/replay/reframe.ts';
import { replayContent } from '../../harness/replay/replay.ts';
import { contentLength, type StreamEvent } from '../../harness/stream/event.ts';
import { readStream, type StreamReading } from '../../harness/stream/reader.ts';
import { ByteTrace } from './scrubber-trace.ts';
import type {
  ScrubberData,
  ScrubberError,
  ScrubberReading,
  ScrubberRun,
  ScrubberStream,
  StreamMark,
} from './scrubber-types.ts';

const TASKS = 'recordings/replies/tasks.json';
const TASK_LIST = z.array(z.object({ id: z.string(), title: z.string() }));
const REPLIES_SUITE = 'replies';
/** The run that has every framing. */
const RUN = 'run1';
/** Characters of a value that are shown. */
const PREVIEW = 48;
/** Many fonts of browsers lack the control pictures that a terminal shows. */
const COMMON_GLYPHS: Readonly<Record<string, string>> = { '\n': '↵', '\t': '⇥' };
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Of `recordings` those of the suite `replies`, run 1, and of the suite `reframed` whose task is one of the 28; the size
 * sweep is left out. Deterministic, whatever the order of `recordings`.
 */
export async function scrubberData(recordings: readonly Recording[]): Promise<ScrubberData> {
  const tasks = await readTasks();
  const sources = [];
  for (const suite of [REPLIES_SUITE, REFRAMED_SUITE]) {
    const own = recordings.filter((recording) => recording.suite === suite && (recording.run ?? RUN) === RUN);
    const streams: ScrubberStream[] = [];
    for (const { id } of tasks) {
      for (const framing of CONTRACT_FRAMINGS) {
        const recording = own.find((candidate) => candidate.task === id && candidate.framing === framing);
        if (recording !== undefined) streams.push(await scrubberStream(recording));
      }
    }
    sources.push({ suite, streams });
  }
  const shown = new Set(sources.flatMap(({ streams }) => streams.map(({ task }) => task)));
  return {
    tasks: tasks.filter(({ id }) => shown.has(id)).map(({ id, title }) => ({ id, title })),
    sources,
    glyphs: glyphsOf(sources.flatMap(({ streams }) => streams)),
  };
}

async function readTasks(): Promise<z.infer<typeof TASK_LIST>> {
  try {
    const text = await readFile(fileURLToPath(new URL(`../../${TASKS}`, import.meta.url)), 'utf8');
    return TASK_LIST.parse(JSON.parse(text));
  } catch {
    throw new InputError(`${TASKS} cannot be read, or is no list of tasks: restore it, it is committed`);
  }
}

/** Throws a `RecordingError` if the recording cannot be read, a `TypeError` if its content is not UTF-8. */
export async function scrubberStream(recording: Recording): Promise<ScrubberStream> {
  const source = { bytes: await recording.bytes(), wire: recording.wire };
  const stream = readStream(source.bytes, source.wire);
  const { eventLimit: _, ...limits } = recording.limits ?? {};
  const options = { ...DEFAULT_OPTIONS, ...limits };
  const text = UTF8.decode(contentOf(stream.events));
  return {
    task: recording.task,
    file: recording.file,
    text,
    bytes: Buffer.byteLength(text),
    end: stream.end,
    marks: marksOf(stream.events),
    readings: READERS[recording.framing].map((protocol) => readAs(protocol, { ...source, stream, options })),
  };
}

interface Source {
  readonly bytes: Uint8Array;
  readonly wire: Recording['wire'];
  readonly stream: StreamReading;
  readonly options: ParserOptions;
}

function readAs(protocol: Protocol, source: Source): ScrubberReading {
  const { stream, options } = source;
  const timeline = traceTimeline(source, PARSERS[protocol](options), 'content');
  const trace = new ByteTrace(stream.events, READERS.native.includes(protocol));
  replayContent(stream, PARSERS[protocol](options), trace);
  const end = timeline.bytes.length + 1;
  const { runs: underWay, places } = trace.underWay();
  return {
    protocol,
    segments: trace.segments(),
    pending: trace.pending(),
    underWay,
    places,
    runs: timeline.runs.map(({ call, after, atEnd }): ScrubberRun => {
      const args = argumentsOf(call.args);
      return { from: atEnd ? end : after, id: visible(call.id), name: visible(call.name), args };
    }),
    complete: ORACLES[protocol](stream.events, stream.end, options).calls.map((call) => Math.min(call.end + 1, end)),
    error: timeline.error === null ? null : errorOf(timeline.error, trace.errorFrom ?? end),
  };
}

function argumentsOf(args: CallArguments): ScrubberRun['args'] {
  if (args.form === 'values') {
    return args.values.map(({ key, bytes }) => {
      const value = textOrBase64(bytes);
      const preview = quoted(typeof value === 'string' ? value : value.base64, PREVIEW);
      return { key: visible(key), bytes: bytes.length, preview };
    });
  }
  return argumentMembers(args).map(([key, json]) => {
    const value: unknown = JSON.parse(json);
    // Of a string its own bytes, as in the other framings: quotes and escapes are JSON's.
    const text = typeof value === 'string' ? value : json;
    return { key: visible(key), bytes: Buffer.byteLength(text), preview: quoted(text, PREVIEW) };
  });
}

function errorOf(error: ContractError, from: number): ScrubberError {
  const { kind, offset, line } = error;
  return { from, kind, offset, line, message: visible(describeError(error)) };
}

function contentOf(events: readonly StreamEvent[]): Uint8Array {
  return Buffer.concat(
    events.flatMap((event) => (event.type === 'text' || event.type === 'tool-delta' ? [event.bytes] : [])),
  );
}

/** What tells calls apart in a native stream, and what announces its end. */
function marksOf(events: readonly StreamEvent[]): StreamMark[] {
  const marks: StreamMark[] = [];
  let offset = 0;
  let call: number | null = null;
  for (const event of events) {
    const length = contentLength(event);
    const from = length > 0 ? offset + 1 : offset;
    if (event.type === 'tool-delta' && (event.call !== call || event.id !== undefined || event.name !== undefined)) {
      const identity = [event.id, event.name].filter((part) => part !== undefined).map(visible);
      marks.push({ offset, from, label: [`call ${event.call}`, ...identity].join(' · ') });
    }
    if (event.type === 'finish') marks.push({ offset, from, label: `finish_reason · ${visible(event.reason)}` });
    if (event.type === 'done') marks.push({ offset, from, label: '[DONE]' });
    if (event.type === 'failure') marks.push({ offset, from, label: `${event.kind} · ${visible(event.detail)}` });
    if (event.type === 'tool-delta') call = event.call;
    offset += length;
  }
  return marks;
}

function glyphsOf(streams: readonly ScrubberStream[]): ScrubberData['glyphs'] {
  const characters = new Set(streams.flatMap(({ text }) => [...new Set(text)]));
  const drawn = [...characters].sort().map((character) => {
    const glyph = COMMON_GLYPHS[character] ?? cells(Buffer.from(character))[0] ?? '';
    return [character, glyph] as const;
  });
  return Object.fromEntries(drawn.filter(([character, glyph]) => character !== glyph));
}

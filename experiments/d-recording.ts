/** Experiment D on one recording: bytes in, what each length-prefixed argument said, meant and did out. */
import { afterThinking, gatherText, readable } from '../harness/oracles/readable.ts';
import { CtlParser } from '../harness/parsers/ctl.ts';
import { DEFAULT_OPTIONS, type ParserOptions, type ToolCall, type ToolCallParser } from '../harness/parsers/parser.ts';
import type { Recording } from '../harness/replay/recording.ts';
import type { DecodedStream } from '../harness/replay/replay.ts';
import { readStream } from '../harness/stream/reader.ts';
import { countMade, countsOf } from './d-counts.ts';
import { alteredRows, effectOfCall, effectOfValue, type MeantValue, unmeantRows } from './d-effect.ts';
import { heredocEffect } from './d-heredoc.ts';
import { type MeantArgument, type MeantFrame, type MeantMessage, readMeant } from './d-readings.ts';
import type { AlteredRow, CounterfactualRow, Effect, MiscountRow, Origin, Outcome } from './d-rows.ts';

/** A row of miscount.csv, and what figures need beside it. */
export interface ArgumentFacts {
  readonly row: MiscountRow;
  /** Effect had the separator been mandatory. */
  readonly mandatory: Effect | '';
  /** The value that is meant; `null` where the readings do not say. */
  readonly value: Uint8Array | null;
}

export interface RecordingFacts {
  readonly origin: Origin;
  readonly isComplete: boolean;
  /** It has a reading, or no call. */
  readonly isReadable: boolean;
  readonly endsInError: boolean;
  readonly args: readonly ArgumentFacts[];
  readonly calls: readonly CounterfactualRow[];
  readonly altered: readonly AlteredRow[];
}

const NO_MODEL = 'not stated';

/** @param recording of the framing `ctl`. */
export async function measureRecording(recording: Recording, lineLimit: number): Promise<RecordingFacts> {
  const { eventLimit, ...limits } = recording.limits ?? {};
  const options: ParserOptions = { ...DEFAULT_OPTIONS, lineLimit, ...limits };
  const stream = readStream(await recording.bytes(), recording.wire, eventLimit === undefined ? {} : { eventLimit });
  const origin = {
    suite: recording.suite,
    recording: recording.file,
    model: recording.model ?? NO_MODEL,
    task: recording.task,
    run: recording.run ?? '',
    inFigures: recording.source === 'crafted' ? 'no' : 'yes',
  } as const;
  const facts = { origin, isReadable: true, args: [], calls: [], altered: [] };
  const whole = readable(stream.events, stream.end);
  if (!whole.complete) return { ...facts, isComplete: false, endsInError: false };
  const text = gatherText(whole);
  const start = afterThinking(text.latin1);
  const message = readMeant(text.latin1.slice(start), options.lineLimit);
  const parser = run(stream, options);
  const readings: Readings = {
    origin,
    bytes: text.bytes.subarray(start),
    offsetAt: (index) => text.offsetAt(start + index),
    message,
    parser,
    mandatory: run(stream, { ...options, separator: 'mandatory' }),
    options,
  };
  return { ...facts, isComplete: true, endsInError: parser.error !== null, ...rowsOf(readings) };
}

interface Readings {
  readonly origin: Origin;
  /** The message that `message` has its positions in. */
  readonly bytes: Uint8Array;
  readonly message: MeantMessage;
  /** Content offset of a position in the message. */
  readonly offsetAt: (index: number) => number;
  /** What the contract makes of the stream, and what it would with a mandatory separator. */
  readonly parser: ToolCallParser;
  readonly mandatory: ToolCallParser;
  readonly options: ParserOptions;
}

function run(stream: DecodedStream, options: ParserOptions): ToolCallParser {
  const parser = new CtlParser(options);
  for (const event of stream.events) parser.push(event);
  parser.end(stream.end);
  return parser;
}

function rowsOf(readings: Readings): Pick<RecordingFacts, 'isReadable' | 'args' | 'calls' | 'altered'> {
  const { message, origin, parser } = readings;
  const calls = message.calls.map((call, ordinal) => callFacts(readings, call, ordinal));
  const unmeant = message.isReadable ? unmeantRows(origin, message.calls, parser.calls) : [];
  return {
    isReadable: message.isReadable,
    args: calls.flatMap(({ args }) => args),
    calls: calls.map(({ row }) => row),
    altered: [...calls.flatMap(({ altered }) => altered), ...unmeant],
  };
}

/** The call that ran from this frame: of several frames with its id, the last that had begun when it became executable. */
function ranCall({ message, offsetAt }: Readings, parser: ToolCallParser, ordinal: number): ToolCall | null {
  const { id } = message.calls[ordinal]!;
  const ran = parser.calls.find((call) => call.id === id);
  if (ran === undefined) return null;
  const from = message.calls.findLastIndex((call) => call.id === id && offsetAt(call.start) <= ran.end);
  return from === ordinal ? ran : null;
}

function callFacts(readings: Readings, call: MeantFrame, ordinal: number) {
  const { message, origin, bytes } = readings;
  const ran = ranCall(readings, readings.parser, ordinal);
  const ranMandatory = ranCall(readings, readings.mandatory, ordinal);
  const values = call.args.map((arg): MeantValue => {
    const declared = arg.status === 'stated' ? null : arg.declared;
    // Without a reading nothing is known, not even of a value that says itself where it ends.
    const isKnown = message.isReadable && arg.to !== null;
    return { key: arg.key, declared, value: isKnown ? bytes.subarray(arg.from, arg.to!) : null };
  });
  const place = { ...origin, call: ordinal, id: call.id };
  const lengthPrefixed = call.args.flatMap((arg, i) =>
    arg.status === 'stated' ? [] : [{ arg, argument: i, value: values[i]! }],
  );
  return {
    args: lengthPrefixed.map(({ arg, argument, value }) => ({
      row: miscountRow(
        readings,
        { ...place, argument },
        { arg, value: value.value, effect: effectOfValue(value, ran) },
      ),
      mandatory: effectOfValue(value, ranMandatory),
      value: value.value,
    })),
    row: {
      suite: origin.suite,
      recording: origin.recording,
      model: origin.model,
      task: origin.task,
      inFigures: origin.inFigures,
      call: ordinal,
      id: call.id,
      name: call.name,
      bytes:
        message.isReadable && values.every(({ value }) => value !== null)
          ? values.reduce((sum, { value }) => sum + value!.length, 0)
          : null,
      ctl: message.isReadable ? effectOfCall(call, values, ran) : 'undecided',
      ctlMandatory: message.isReadable ? effectOfCall(call, values, ranMandatory) : 'undecided',
      heredoc: message.isReadable ? heredocEffect(call, values, readings.options) : 'undecided',
    },
    altered: ran === null || !message.isReadable ? [] : alteredRows(origin, { call, values, ran }),
  };
}

function miscountRow(
  { parser }: Readings,
  place: Origin & Pick<MiscountRow, 'call' | 'id' | 'argument'>,
  { arg, value, effect }: { arg: MeantArgument; value: Uint8Array | null; effect: Effect | '' },
): MiscountRow {
  const counts = value === null ? null : countsOf(value);
  const { error: contractError } = parser;
  const error = counts === null ? null : arg.declared - counts.bytes;
  return {
    ...place,
    key: arg.key,
    declared: arg.declared,
    meant: counts?.bytes ?? null,
    error,
    relativeError: counts === null || error === null || counts.bytes === 0 ? null : error / counts.bytes,
    codePoints: counts?.codePoints ?? null,
    utf16Units: counts?.utf16Units ?? null,
    lines: counts?.lines ?? null,
    tokens: counts?.tokens ?? null,
    nonAsciiBytes: counts?.nonAsciiBytes ?? null,
    endsWithLf: counts === null ? '' : counts.endsWithLf ? 'yes' : 'no',
    outcome: outcomeOf(arg, error),
    counted: counts === null ? '' : countMade(arg.declared, counts),
    errorKind: contractError?.call === place.id && contractError.key === arg.key ? contractError.kind : '',
    effect,
    naiveMeant: lengthTo(arg, arg.naiveTo),
    shortestMeant: lengthTo(arg, arg.shortestTo),
  };
}

function lengthTo({ from }: MeantArgument, to: number | null): number | null {
  return to === null ? null : to - from;
}

function outcomeOf({ status }: MeantArgument, error: number | null): Outcome {
  if (status !== 'decided' || error === null) return status === 'ambiguous' ? 'ambiguous' : 'unrecoverable';
  if (error === 0) return 'exact';
  return error < 0 ? 'short' : 'long';
}

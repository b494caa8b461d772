/** Experiment E on one recording: its times under each protocol that reads it, and what the controls would have run. */
import { CONTROL_NAMES, CONTROLS, type ControlName } from '../harness/controls/controls.ts';
import { ORACLES } from '../harness/oracles/oracles.ts';
import { callDifference } from '../harness/parsers/call.ts';
import { DEFAULT_OPTIONS, type ParserOptions, type ToolCall } from '../harness/parsers/parser.ts';
import { type ContractProtocol, isContractProtocol, PARSERS, type Protocol } from '../harness/parsers/protocols.ts';
import { pacedArrivals, seededPace, tokensIn } from '../harness/replay/pace.ts';
import { READERS, type Recording } from '../harness/replay/recording.ts';
import { readStream } from '../harness/stream/reader.ts';
import { type CallRow, type HarmCase, type RuntimeProtocol, type TimingRow, TOOL_PROFILES } from './e-rows.ts';
import { toolTime } from './e-tools.ts';
import { runVirtually, type TimedStream, type VirtualRun } from './e-virtual-run.ts';

/** The runtime's name of what a parser's rule is (runtime.md). */
const RUNTIME_NAMES: Record<ContractProtocol, RuntimeProtocol> = {
  ctl: 'ctl',
  'ctl-heredoc': 'ctl-heredoc',
  xml: 'xml',
  'json-whole': 'native-eos',
  'json-object': 'native-inc',
};

/** What a control ran on one recording. */
export interface ControlReading {
  readonly suite: string;
  readonly control: ControlName;
  readonly ran: number;
  /** Calls that are not the answer's, or ran before their frame had ended. */
  readonly cases: readonly HarmCase[];
}

export interface EagerRows {
  readonly timing: readonly TimingRow[];
  readonly calls: readonly CallRow[];
  readonly controls: readonly ControlReading[];
}

export async function timeRecording(
  recording: Recording,
  { lineLimit, seed }: { readonly lineLimit: number; readonly seed: number },
): Promise<EagerRows> {
  const { eventLimit, ...limits } = recording.limits ?? {};
  const options: ParserOptions = { ...DEFAULT_OPTIONS, lineLimit, ...limits };
  const bytes = await recording.bytes();
  const { events, end } = readStream(bytes, recording.wire, eventLimit === undefined ? {} : { eventLimit });
  // Whole milliseconds, as all times here.
  const recorded = (await recording.arrivals?.())?.map(({ ms, bytes }) => ({ ms: Math.round(ms), bytes })) ?? null;
  const { suite, file, task } = recording;
  // One pace and one sequence of jitters a task: its framings differ by their tokens and how they are put into events.
  const pace = seededPace(`${seed}/${task}`);
  const arrivals = recorded ?? pacedArrivals({ events, size: bytes.length }, pace, `${seed}/${task}`);
  const stream: TimedStream = { events, end, arrivals };
  const tokens = events.reduce((sum, event) => sum + tokensIn(event), 0);
  const base = { suite, recording: file, task, times: recorded === null ? 'seeded' : 'recorded', tokens } as const;
  // The runtime speaks the protocols of the specification, no dialect.
  const readers = READERS[recording.framing].filter(isContractProtocol);
  const runs = readers.flatMap((reader) =>
    TOOL_PROFILES.map((tools) => {
      const duration = (call: ToolCall) => toolTime(tools, call, `${seed}/${task}`);
      return { protocol: RUNTIME_NAMES[reader], tools, run: runVirtually(stream, PARSERS[reader](options), duration) };
    }),
  );
  return {
    timing: runs.map(({ protocol, tools, run }) => ({ ...base, protocol, tools, ...timesOf(run) })),
    calls: runs.flatMap(({ protocol, tools, run }) =>
      run.calls.map(({ call, startedAt, endedAt }, position) => {
        const times = { call: position, name: call.name, started: startedAt, ended: endedAt };
        return { suite, recording: file, task, protocol, tools, ...times };
      }),
    ),
    controls: readers.flatMap((protocol) =>
      CONTROL_NAMES.filter((name) => CONTROLS[name].judgedAs.includes(protocol)).map((control) =>
        readControl({ recording, stream, options }, protocol, control),
      ),
    ),
  };
}

function timesOf({ calls, generatedAt, doneAt }: VirtualRun) {
  const overlapped = calls.reduce(
    (sum, { startedAt, endedAt }) => sum + Math.max(0, Math.min(endedAt, generatedAt) - startedAt),
    0,
  );
  return {
    generated: generatedAt,
    calls: calls.length,
    firstExecution: calls[0]?.startedAt ?? null,
    lastResult: calls.at(-1)?.endedAt ?? null,
    done: doneAt,
    overlapped,
  };
}

function readControl(
  { recording, stream, options }: { recording: Recording; stream: TimedStream; options: ParserOptions },
  judgedAs: Protocol,
  control: ControlName,
): ControlReading {
  const { suite, file } = recording;
  const { calls } = runVirtually(stream, CONTROLS[control].create(options), () => 0);
  const truth = new Map(
    ORACLES[judgedAs](stream.events, stream.end, options).calls.map((call) => [call.ordinal, call]),
  );
  const cases = calls.flatMap(({ call }): HarmCase[] => {
    const place = { suite, recording: file, control, call: call.ordinal, name: call.name };
    const meant = truth.get(call.ordinal);
    if (meant === undefined) return [{ ...place, what: 'no call', difference: '' }];
    const difference = callDifference(call, meant);
    if (difference !== null) return [{ ...place, what: 'another', difference }];
    return call.end < meant.end ? [{ ...place, what: 'early', difference: '' }] : [];
  });
  return { suite, control, ran: calls.length, cases };
}

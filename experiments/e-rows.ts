/** The tables of experiment E: what eager execution buys, and what an unsafe early trigger would have run. Times are ms of virtual time. */
import { CONTROL_NAMES, type ControlName } from '../harness/controls/controls.ts';
import type { Table } from '../harness/report/table.ts';

/** Of the runtime (runtime.md): where calls come from, and when they run. */
export const RUNTIME_PROTOCOLS = ['native-eos', 'native-inc', 'ctl', 'ctl-heredoc', 'xml'] as const;
export type RuntimeProtocol = (typeof RUNTIME_PROTOCOLS)[number];

/** How long tools take: `drawn` by kind of tool, the others the same for each call. */
export const TOOL_PROFILES = ['instant', 'drawn', '2 s each'] as const;
export type ToolProfile = (typeof TOOL_PROFILES)[number];

const byProtocol = { key: 'protocol', order: RUNTIME_PROTOCOLS } as const;
const byTools = { key: 'tools', order: TOOL_PROFILES } as const;

/** One answer under one protocol and one profile of tools. */
export interface TimingRow {
  readonly suite: string;
  readonly recording: string;
  readonly task: string;
  readonly protocol: RuntimeProtocol;
  readonly tools: ToolProfile;
  readonly times: 'recorded' | 'seeded';
  readonly tokens: number;
  /** When the last byte of the answer arrives. */
  readonly generated: number;
  readonly calls: number;
  /** When the first call starts; `null` if none runs. */
  readonly firstExecution: number | null;
  /** When the last call has its result; `null` if none runs. */
  readonly lastResult: number | null;
  /** When the answer is read and every call has its result. */
  readonly done: number;
  /** Tool time that passed while the answer was still being generated. */
  readonly overlapped: number;
}

export const TIMING: Table<TimingRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'task', format: 'text' },
    { key: 'protocol', format: 'text' },
    { key: 'tools', format: 'text' },
    { key: 'times', format: 'text' },
    { key: 'tokens', format: 'integer' },
    { key: 'generated', name: 'generated_ms', format: 'integer' },
    { key: 'calls', format: 'integer' },
    { key: 'firstExecution', name: 'first_execution_ms', format: 'integer' },
    { key: 'lastResult', name: 'last_result_ms', format: 'integer' },
    { key: 'done', name: 'done_ms', format: 'integer' },
    { key: 'overlapped', name: 'overlapped_ms', format: 'integer' },
  ],
  sortBy: ['suite', 'task', 'recording', byProtocol, byTools],
};

/** One call of one answer. */
export interface CallRow extends Pick<TimingRow, 'suite' | 'recording' | 'task' | 'protocol' | 'tools'> {
  /** Position among the calls that ran, from 0. */
  readonly call: number;
  readonly name: string;
  readonly started: number;
  readonly ended: number;
}

export const CALLS: Table<CallRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'task', format: 'text' },
    { key: 'protocol', format: 'text' },
    { key: 'tools', format: 'text' },
    { key: 'call', format: 'integer' },
    { key: 'name', format: 'text' },
    { key: 'started', name: 'started_ms', format: 'integer' },
    { key: 'ended', name: 'ended_ms', format: 'integer' },
  ],
  sortBy: ['suite', 'task', 'recording', byProtocol, byTools, 'call'],
};

export const CALL_COUNTS = ['all', 'one call', 'several calls'] as const;

/** Tasks of a suite whose calls all run under every protocol: each against `native-eos` on the same task. */
export interface GainRow {
  readonly suite: string;
  readonly calls: (typeof CALL_COUNTS)[number];
  readonly tools: ToolProfile;
  readonly protocol: RuntimeProtocol;
  readonly tasks: number;
  readonly medianFirstExecution: number;
  readonly medianLastResult: number;
  /** Mean of `native-eos` − this one on the same task; bootstrap by task, `null` with fewer than two. */
  readonly firstSaved: number;
  readonly firstSavedLow: number | null;
  readonly firstSavedHigh: number | null;
  readonly lastSaved: number;
  readonly lastSavedLow: number | null;
  readonly lastSavedHigh: number | null;
  /** Mean share of `native-eos`' time to the last result. */
  readonly lastSavedShare: number;
  /** Mean tokens of the answer: a framing may cost more of them. */
  readonly meanTokens: number;
}

export const GAIN: Table<GainRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'calls', format: 'text' },
    { key: 'tools', format: 'text' },
    { key: 'protocol', format: 'text' },
    { key: 'tasks', format: 'integer' },
    { key: 'medianFirstExecution', name: 'median_first_execution_ms', format: 'integer' },
    { key: 'medianLastResult', name: 'median_last_result_ms', format: 'integer' },
    { key: 'firstSaved', name: 'mean_first_saved_ms', format: 'integer' },
    { key: 'firstSavedLow', name: 'first_saved_low', format: 'integer' },
    { key: 'firstSavedHigh', name: 'first_saved_high', format: 'integer' },
    { key: 'lastSaved', name: 'mean_last_saved_ms', format: 'integer' },
    { key: 'lastSavedLow', name: 'last_saved_low', format: 'integer' },
    { key: 'lastSavedHigh', name: 'last_saved_high', format: 'integer' },
    { key: 'lastSavedShare', name: 'mean_last_saved_share', format: { decimals: 4 } },
    { key: 'meanTokens', name: 'mean_tokens', format: { decimals: 1 } },
  ],
  sortBy: ['suite', { key: 'calls', order: CALL_COUNTS }, byTools, byProtocol],
};

const byControl = { key: 'control', order: CONTROL_NAMES } as const;

/** What a control would have run on the streams of a suite. */
export interface HarmRow {
  readonly suite: string;
  readonly control: ControlName;
  readonly streams: number;
  /** Calls that it ran; those that are no call of the answer, or another one; the right ones that ran before their frame had ended. */
  readonly ran: number;
  readonly wrong: number;
  readonly early: number;
  /** Streams with at least one wrong call, their share and its Wilson interval. */
  readonly harmed: number;
  readonly harmedShare: number;
  readonly harmedLow: number;
  readonly harmedHigh: number;
}

export const HARM: Table<HarmRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'control', format: 'text' },
    { key: 'streams', format: 'integer' },
    { key: 'ran', format: 'integer' },
    { key: 'wrong', format: 'integer' },
    { key: 'early', format: 'integer' },
    { key: 'harmed', format: 'integer' },
    { key: 'harmedShare', name: 'harmed_share', format: { decimals: 4 } },
    { key: 'harmedLow', name: 'harmed_low', format: { decimals: 4 } },
    { key: 'harmedHigh', name: 'harmed_high', format: { decimals: 4 } },
  ],
  sortBy: ['suite', byControl],
};

/** One wrong or early call of a control. */
export interface HarmCase {
  readonly suite: string;
  readonly recording: string;
  readonly control: ControlName;
  /** Ordinal of the call in its message, from 0. */
  readonly call: number;
  readonly name: string;
  /** `no call`: the answer has none here. `another`: it has one, with other bytes. `early`: the very one, but it could still have become another. */
  readonly what: 'no call' | 'another' | 'early';
  readonly difference: string;
}

export const HARM_CASES: Table<HarmCase> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'control', format: 'text' },
    { key: 'call', format: 'integer' },
    { key: 'name', format: 'text' },
    { key: 'what', format: 'text' },
    { key: 'difference', format: 'text' },
  ],
  sortBy: ['suite', 'recording', byControl, 'call'],
};

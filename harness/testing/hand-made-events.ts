/** Stream events as tests write them by hand; wire offsets play no part for oracles and are 0. */
import type {
  DoneEvent,
  FailureEvent,
  FailureKind,
  FinishEvent,
  ReasoningEvent,
  RefusedDeltaEvent,
  StreamEnd,
  TextEvent,
  ToolDeltaEvent,
} from '../stream/event.ts';

export function text(content: string): TextEvent {
  return { type: 'text', at: 0, bytes: Buffer.from(content) };
}

export function reasoning(content: string): ReasoningEvent {
  return { type: 'reasoning', at: 0, bytes: Buffer.from(content) };
}

export function delta(
  call: number,
  args: string,
  identity: { readonly id?: string; readonly name?: string } = {},
): ToolDeltaEvent {
  return { type: 'tool-delta', at: 0, call, bytes: Buffer.from(args), ...identity };
}

export function refused(call: number | null, kind: RefusedDeltaEvent['kind']): RefusedDeltaEvent {
  return { type: 'refused-delta', at: 0, call, kind, detail: '' };
}

export function finish(meaning: StreamEnd): FinishEvent {
  return { type: 'finish', at: 0, reason: meaning === 'complete' ? 'stop' : 'length', meaning };
}

export function done(): DoneEvent {
  return { type: 'done', at: 0 };
}

export function failure(kind: FailureKind): FailureEvent {
  return { type: 'failure', at: 0, kind, detail: '' };
}

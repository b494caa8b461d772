/**
 * The normal form of one streamed answer, whatever the provider (spec: properties.md "Streams, levels, prefixes",
 * streams.md "OpenAI chat chunks → stream events").
 *
 * Offsets: `at` is the 0-based **wire** offset of the byte that completed the SSE event (and so made this stream event
 * available): a wire prefix of n bytes contains the event exactly if `n > at`.
 *
 * **Content bytes** are the bytes of `text` and `tool-delta` events, in order of arrival; a content offset counts them
 * from 0. Reasoning is no content.
 */
export type StreamEvent =
  | TextEvent
  | ReasoningEvent
  | ToolDeltaEvent
  | ToolCloseEvent
  | RefusedDeltaEvent
  | FinishEvent
  | DoneEvent
  | FailureEvent;

/** Assistant text: whole UTF-8 sequences of one delta (a lone surrogate is held back by the reader). */
export interface TextEvent {
  readonly type: 'text';
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Reasoning: never searched for calls, never content. */
export interface ReasoningEvent {
  readonly type: 'reasoning';
  readonly at: number;
  readonly bytes: Uint8Array;
}

/**
 * A fragment of one native tool call, already attributed by the call-identity table of streams.md.
 *
 * The first event with a given `call` opens it; ordinals are given in order of opening, from 0. `id` and `name` are
 * present on the event that set them and on no other: they are set once. A call may be opened without a name; if it
 * still has none at a complete end, it is an `orphan_delta`.
 */
export interface ToolDeltaEvent {
  readonly type: 'tool-delta';
  readonly at: number;
  readonly call: number;
  readonly id?: string;
  readonly name?: string;
  /** On the event that opens the call: its argument is free text, and no JSON object (an OpenAI custom tool). */
  readonly input?: 'text';
  /**
   * On the event that opens the call: its provider announces the end of the call with a `tool-close`. Neither a later call
   * nor a finish reason nor `done` closes it; a complete end does.
   */
  readonly closes?: 'announced';
  readonly bytes: Uint8Array;
  /** Behind these bytes half a character (a lone surrogate, which has no bytes) is held back for the next delta. */
  readonly half?: true;
}

/**
 * The provider has said that a call is whole. It comes once for a call that was opened with `closes`; after it the call gets
 * no byte any more (what comes for it is a `refused-delta` of nobody).
 */
export interface ToolCloseEvent {
  readonly type: 'tool-close';
  readonly at: number;
  readonly call: number;
}

/**
 * A tool delta that is refused and not repaired. `call` is the call it would have belonged to: that call is bad for
 * good. `null`: it belongs to nobody.
 */
export interface RefusedDeltaEvent {
  readonly type: 'refused-delta';
  readonly at: number;
  readonly call: number | null;
  readonly kind: 'orphan_delta' | 'bad_delta' | 'args_not_object';
  readonly detail: string;
}

/** A finish reason: recorded, not the end. `meaning` by the lists of the format (docs/wire-formats.md); an unknown reason is a cut. */
export interface FinishEvent {
  readonly type: 'finish';
  readonly at: number;
  readonly reason: string;
  readonly meaning: StreamEnd;
}

/** `[DONE]`, `message_stop`, `response.completed` or `response.incomplete`: the last event of a stream. */
export interface DoneEvent {
  readonly type: 'done';
  readonly at: number;
}

/** The stream has failed: nothing after it is read, and its end is a cut. */
export interface FailureEvent {
  readonly type: 'failure';
  readonly at: number;
  readonly kind: FailureKind;
  readonly detail: string;
}

export type FailureKind = 'stream_error' | 'sse_bad_json' | 'event_too_long' | 'bad_delta';

/** How a stream ended (ctl.md "two different ends", streams.md "End"). */
export type StreamEnd = 'complete' | 'cut';

/** Length in content bytes: 0 for everything but text and tool deltas. */
export function contentLength(event: StreamEvent): number {
  return event.type === 'text' || event.type === 'tool-delta' ? event.bytes.length : 0;
}

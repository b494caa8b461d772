/**
 * The tool calls of a format whose provider says when a call is whole (docs/wire-formats.md "What closes a call"). Closing
 * is for good: what comes for a closed call belongs to nobody, and the call stays as it was. So no call that has run can
 * be taken back.
 *
 * These providers tell calls apart by their ids (results are sent back under them, and Anthropic refuses a conversation in
 * which one stands twice): a further call under an id that has been used is the first one delivered again, or a mistake,
 * and is refused.
 */
import type { RefusedDeltaEvent, ToolDeltaEvent } from './event.ts';
import type { EventOutlet } from './event-outlet.ts';
import { SaidText } from './said-text.ts';
import { DeltaEncoder, LONE_SURROGATE } from './surrogates.ts';

/** One call; ids and names are set once. */
export interface ClosingCall {
  /** Position in order of opening, from 0. */
  readonly ordinal: number;
  id: string | null;
  name: string | null;
  state: 'open' | 'refused' | 'closed';
  readonly said: SaidText;
  readonly encoder: DeltaEncoder;
}

export interface Refusal {
  readonly kind: RefusedDeltaEvent['kind'];
  readonly detail: string;
}

/** What a provider says of a call, unchecked. Absent, `null` and empty ids and names are none. */
export interface ClaimedIdentity {
  readonly id: unknown;
  readonly name: unknown;
}

const NO_BYTES = new Uint8Array(0);

export class ClosingCalls {
  readonly #outlet: EventOutlet;
  readonly #calls: ClosingCall[] = [];
  readonly #ids = new Set<string>();
  /** Calls opened with, or given, the id of an earlier one. */
  repeatedIds = 0;
  /** Events that brought a call another id than it had; the first stands. */
  laterIds = 0;

  constructor(outlet: EventOutlet) {
    this.#outlet = outlet;
  }

  get all(): readonly ClosingCall[] {
    return this.#calls;
  }

  open(claimed: ClaimedIdentity, input: 'json' | 'text', at: number): ClosingCall {
    const ordinal = this.#calls.length;
    const call: ClosingCall = {
      ordinal,
      id: null,
      name: null,
      state: 'open',
      said: new SaidText(),
      encoder: new DeltaEncoder(),
    };
    this.#calls.push(call);
    const identity = this.#identify(call, claimed);
    const kind = input === 'text' ? ({ input } as const) : {};
    const opening = { type: 'tool-delta', at, call: ordinal, ...identity, ...kind, closes: 'announced' } as const;
    const isRepeated = identity.id !== undefined && !this.#isNew(identity.id);
    this.#outlet.emit({ ...opening, bytes: NO_BYTES });
    this.#refuseWrongIdentity(call, claimed, at);
    if (isRepeated) this.refuse(call, USED_ID, at);
    return call;
  }

  /** An event says again, or says at last, who the call is. */
  identify(call: ClosingCall, claimed: ClaimedIdentity, at: number): void {
    if (isName(claimed.name) && call.name !== null && claimed.name !== call.name) {
      this.refuse(call.state === 'closed' ? null : call, RENAMED, at);
      return;
    }
    if (call.state === 'closed') {
      if (isName(claimed.id) && claimed.id !== call.id) this.laterIds++;
      return;
    }
    const identity = this.#identify(call, claimed);
    const isRepeated = identity.id !== undefined && !this.#isNew(identity.id);
    if (identity.id !== undefined || identity.name !== undefined) {
      this.#outlet.emit({ type: 'tool-delta', at, call: call.ordinal, ...identity, bytes: NO_BYTES });
    }
    this.#refuseWrongIdentity(call, claimed, at);
    if (isRepeated) this.refuse(call, USED_ID, at);
  }

  /** A fragment of the arguments. */
  append(call: ClosingCall, fragment: string, at: number): void {
    if (fragment === '') return;
    if (call.state === 'closed') {
      this.refuse(null, AFTER_CLOSE, at);
      return;
    }
    call.said.add(fragment);
    const bytes = call.encoder.encode(fragment);
    if (bytes === null) this.refuse(call, NO_PARTNER, at);
    else if (bytes.length > 0 || call.encoder.holds) this.#outlet.emit(this.#delta(call, bytes, at));
  }

  /** The whole arguments, after their fragments: they must be the same. Where no fragment came, they are the arguments. */
  repeat(call: ClosingCall, whole: string, at: number): void {
    if (call.said.length === 0 && call.state !== 'closed') this.append(call, whole, at);
    else if (!call.said.is(whole)) this.refuse(call.state === 'closed' ? null : call, SAID_OTHERWISE, at);
  }

  close(call: ClosingCall, at: number): void {
    if (call.state !== 'open') return;
    if (call.encoder.holds) {
      this.refuse(call, NO_PARTNER, at);
      return;
    }
    call.state = 'closed';
    this.#outlet.emit({ type: 'tool-close', at, call: call.ordinal });
  }

  /** `null`: it belongs to no call. */
  refuse(call: ClosingCall | null, { kind, detail }: Refusal, at: number): void {
    if (call !== null) call.state = 'refused';
    this.#outlet.emit({ type: 'refused-delta', at, call: call?.ordinal ?? null, kind, detail });
  }

  /** Arguments came for no call: they belong to one of those that are open, and none of these is whole without them. */
  orphan(at: number): void {
    for (const call of this.#calls) if (call.state === 'open') this.refuse(call, LOST_PIECE, at);
    this.refuse(null, NO_CALL, at);
  }

  /** The message is complete: a call that its provider has not closed is bad. */
  settle(at: number): void {
    for (const call of this.#calls) if (call.state === 'open') this.refuse(call, NEVER_CLOSED, at);
  }

  #delta(call: ClosingCall, bytes: Uint8Array, at: number): ToolDeltaEvent {
    const delta = { type: 'tool-delta', at, call: call.ordinal, bytes } as const;
    return call.encoder.holds ? { ...delta, half: true } : delta;
  }

  /** The id and the name that are new. */
  #identify(call: ClosingCall, { id, name }: ClaimedIdentity): { readonly id?: string; readonly name?: string } {
    const newId = isName(id) && call.id === null ? id : null;
    if (isName(id) && call.id !== null && id !== call.id) this.laterIds++;
    const newName = isName(name) && call.name === null ? name : null;
    call.id ??= newId;
    call.name ??= newName;
    return { ...(newId !== null && { id: newId }), ...(newName !== null && { name: newName }) };
  }

  #isNew(id: string): boolean {
    if (!this.#ids.has(id)) {
      this.#ids.add(id);
      return true;
    }
    this.repeatedIds++;
    return false;
  }

  #refuseWrongIdentity(call: ClosingCall, { id, name }: ClaimedIdentity, at: number): void {
    const wrong = [isNoneOrName(id) ? null : 'id', isNoneOrName(name) ? null : 'name'].find((field) => field !== null);
    if (wrong === undefined) return;
    this.refuse(call, { kind: 'bad_delta', detail: `the field ${wrong} of a tool call has the wrong type` }, at);
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !LONE_SURROGATE.test(value);
}

function isNoneOrName(value: unknown): boolean {
  return value === undefined || value === null || value === '' || isName(value);
}

const NO_CALL: Refusal = { kind: 'orphan_delta', detail: 'arguments came for a call that was never opened' };
export const WRONG_ARGUMENTS: Refusal = {
  kind: 'bad_delta',
  detail: 'the arguments of a tool call have the wrong type',
};
const LOST_PIECE: Refusal = {
  kind: 'bad_delta',
  detail: 'arguments came for a call that was never opened while this one was open: they may be its own',
};
const USED_ID: Refusal = { kind: 'bad_delta', detail: 'a further call has the id of an earlier one' };
const RENAMED: Refusal = { kind: 'bad_delta', detail: 'a tool delta gives its call a second name' };
const AFTER_CLOSE: Refusal = { kind: 'bad_delta', detail: 'arguments came for a call that its provider has closed' };
const SAID_OTHERWISE: Refusal = {
  kind: 'bad_delta',
  detail: 'the arguments of a call, said again as a whole, are not what its deltas gave',
};
const NO_PARTNER: Refusal = { kind: 'bad_delta', detail: 'a surrogate in the arguments of a call has no partner' };
const NEVER_CLOSED: Refusal = { kind: 'bad_delta', detail: 'the message ended and a call in it was never closed' };
export const SECOND_FRAGMENT: Refusal = {
  kind: 'args_not_object',
  detail: 'arguments given as an object must be the only fragment of their call',
};

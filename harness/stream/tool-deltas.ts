/** The tool calls of one OpenAI chat stream: attributes their deltas, and refuses what cannot be theirs. */
import { type CallIdentity, type Owner, ownerOf } from './call-identity.ts';
import type { RefusedDeltaEvent } from './event.ts';
import type { EventOutlet } from './event-outlet.ts';
import { type Fields, isAbsent, isFields } from './json-fields.ts';
import { rawValue } from './raw-json.ts';
import { DeltaEncoder } from './surrogates.ts';
import { type ToolDeltaFields, toolDeltaFields } from './tool-delta-fields.ts';

/** Where a delta stands. */
export interface Origin {
  /** Wire offset of the last byte of its chunk. */
  readonly at: number;
  /** Source text of its chunk. */
  readonly payload: string;
  /** Its place in the array `choices`. */
  readonly choice: number;
}

interface Call extends CallIdentity {
  id: string | null;
  name: string | null;
  readonly input: 'json' | 'text';
  /** How its arguments come: an object is accepted as the sole fragment only. */
  fragments: 'none' | 'text' | 'object';
  readonly encoder: DeltaEncoder;
}

interface Refusal {
  readonly kind: RefusedDeltaEvent['kind'];
  readonly detail: string;
}

/** The members of a tool call and of its `function` that the short way looks at. */
interface Fragment {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
}

const NO_BYTES = new Uint8Array(0);

export class ToolDeltas {
  readonly #outlet: EventOutlet;
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<number, Call>();
  readonly #byId = new Map<string, Call>();
  /** Calls opened with, or given, the id of an earlier one. */
  repeatedIds = 0;
  /** Deltas that brought a call another id than it had. */
  laterIds = 0;

  constructor(outlet: EventOutlet) {
    this.#outlet = outlet;
  }

  /** How many calls were opened. */
  get count(): number {
    return this.#calls.length;
  }

  /** Reads one element of `delta.tool_calls`; `position` is its place there. */
  element(element: unknown, position: number, origin: Origin): void {
    this.#read(element, origin, () => ['tool_calls', position, 'function', 'arguments']);
  }

  /** Reads the legacy `delta.function_call`: one call at index 0. */
  functionCall(called: unknown, origin: Origin): void {
    this.#read({ index: 0, function: called }, origin, () => ['function_call', 'arguments']);
  }

  /** A complete end: a call whose text ends in half a character is bad. */
  settle(at: number): void {
    for (const call of this.#calls) if (call.encoder.holds) this.#refuse(call, LONE_SURROGATE, at);
  }

  #read(element: unknown, origin: Origin, argumentsPath: () => (string | number)[]): void {
    if (isAbsent(element) || this.#continues(element, origin.at)) return;
    const delta = isFields(element) ? toolDeltaFields(element) : { unattributable: 'a tool call is no object' };
    if ('unattributable' in delta) {
      this.#outlet.fail('bad_delta', delta.unattributable, origin.at);
      return;
    }
    const owner = this.#ownerOf(delta);
    if (owner.kind === 'nobody') {
      this.#refuse(null, delta.wrong === null ? ORPHAN : wrongType(delta.wrong), origin.at);
    } else if (owner.kind === 'renamed') {
      this.#refuse(owner.call, RENAMED, origin.at);
    } else if (owner.kind === 'known' && delta.input !== null && delta.input !== owner.call.input) {
      this.#refuse(owner.call, OTHER_KIND, origin.at);
    } else {
      const raw = () => rawValue(origin.payload, ['choices', origin.choice, 'delta', ...argumentsPath()]) ?? '';
      const call = owner.kind === 'new' ? this.#open(delta) : owner.call;
      const content = delta.wrong === null ? this.#content(call, delta.args, raw) : wrongType(delta.wrong);
      this.#emit(call, delta, { at: origin.at, opens: owner.kind === 'new', content });
    }
  }

  /**
   * The usual delta, and nearly all of them: a further fragment at a used index, without id and name. True if it was one;
   * the table has the same row.
   */
  #continues(element: unknown, at: number): boolean {
    if (!isFields(element)) return false;
    const { index, id, function: called }: Fragment = element;
    if (typeof index !== 'number' || !isAbsent(id) || !isFields(called)) return false;
    const { name, arguments: args }: Fragment = called;
    const call = this.#byIndex.get(index);
    if (call === undefined || call.input === 'text' || call.fragments === 'object' || !isAbsent(name)) return false;
    if (typeof args !== 'string' || args === '') return false;
    call.fragments = 'text';
    const bytes = call.encoder.encode(args);
    if (bytes === null) this.#refuse(call, LONE_SURROGATE, at);
    else if (call.encoder.holds) this.#outlet.emit({ type: 'tool-delta', at, call: call.ordinal, bytes, half: true });
    else if (bytes.length > 0) this.#outlet.emit({ type: 'tool-delta', at, call: call.ordinal, bytes });
    return true;
  }

  #ownerOf(delta: ToolDeltaFields): Owner<Call> {
    return ownerOf(delta, {
      atIndex: delta.index === null ? undefined : this.#byIndex.get(delta.index),
      withId: delta.id === null ? undefined : this.#byId.get(delta.id),
      last: this.#calls.at(-1),
    });
  }

  #open({ index, input }: ToolDeltaFields): Call {
    const call: Call = {
      ordinal: this.#calls.length,
      id: null,
      name: null,
      input: input ?? 'json',
      fragments: 'none',
      encoder: new DeltaEncoder(),
    };
    this.#calls.push(call);
    if (index !== null) this.#byIndex.set(index, call);
    return call;
  }

  /** The bytes of a fragment; `null` and empty ones are nothing. */
  #content(call: Call, args: string | Fields | null, raw: () => string): Uint8Array | Refusal {
    if (args === null || args === '') return NO_BYTES;
    if (call.fragments === 'object' || (call.fragments === 'text' && typeof args !== 'string')) return SECOND_FRAGMENT;
    call.fragments = typeof args === 'string' ? 'text' : 'object';
    return call.encoder.encode(typeof args === 'string' ? args : raw()) ?? LONE_SURROGATE;
  }

  #emit(call: Call, delta: ToolDeltaFields, what: { at: number; opens: boolean; content: Uint8Array | Refusal }): void {
    const { at, opens, content } = what;
    const bytes = content instanceof Uint8Array ? content : NO_BYTES;
    const id = this.#newId(call, delta.id);
    const name = call.name === null ? delta.name : null;
    const half = call.encoder.holds ? ({ half: true } as const) : {};
    if (opens || id !== null || name !== null) {
      call.id ??= id;
      call.name ??= name;
      const identity = { ...(id !== null && { id }), ...(name !== null && { name }) };
      const kind = opens && call.input === 'text' ? ({ input: 'text' } as const) : {};
      this.#outlet.emit({ type: 'tool-delta', at, call: call.ordinal, ...identity, ...kind, bytes, ...half });
    } else if (bytes.length > 0 || call.encoder.holds) {
      this.#outlet.emit({ type: 'tool-delta', at, call: call.ordinal, bytes, ...half });
    }
    if (!(content instanceof Uint8Array)) this.#refuse(call, content, at);
  }

  /** The id that this delta sets, or null. */
  #newId(call: Call, id: string | null): string | null {
    if (id === null || id === call.id) return null;
    if (call.id !== null) {
      this.laterIds++;
      return null;
    }
    if (this.#byId.has(id)) this.repeatedIds++;
    this.#byId.set(id, call);
    return id;
  }

  #refuse(call: Call | null, { kind, detail }: Refusal, at: number): void {
    this.#outlet.emit({ type: 'refused-delta', at, call: call?.ordinal ?? null, kind, detail });
  }
}

const ORPHAN: Refusal = {
  kind: 'orphan_delta',
  detail: 'a tool delta without index, id and name came before any call',
};
const OTHER_KIND: Refusal = { kind: 'bad_delta', detail: 'a tool call is a function call and a custom one' };
const RENAMED: Refusal = { kind: 'bad_delta', detail: 'a tool delta gives its call a second name' };
const LONE_SURROGATE: Refusal = { kind: 'bad_delta', detail: 'a surrogate in the arguments of a call has no partner' };
const SECOND_FRAGMENT: Refusal = {
  kind: 'args_not_object',
  detail: 'arguments given as an object must be the only fragment of their call',
};

function wrongType(field: string): Refusal {
  return { kind: 'bad_delta', detail: `the field ${field} of a tool call has the wrong type` };
}

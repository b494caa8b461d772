/** The output items of an OpenAI response that are calls (docs/wire-formats.md "OpenAI Responses", the identity table). */
import { type ClosingCall, ClosingCalls, type Refusal, WRONG_ARGUMENTS } from './closing-calls.ts';
import type { EventOutlet } from './event-outlet.ts';
import { type Fields, isAbsent, isFields, wordOf } from './json-fields.ts';

interface CallItem {
  readonly call: ClosingCall;
  readonly type: unknown;
  /** The whole arguments have been said: no delta follows them. */
  whole: boolean;
  /**
   * What its `output_item.done` said: no status, so that the end of the response decides; or another than `completed`,
   * and then no later word closes the call.
   */
  ended: 'undecided' | 'unfinished' | null;
}

/** `null`: an item that is no call of a client's tool; its deltas are not read. */
type Item = CallItem | null;

type ArgumentsMember = 'arguments' | 'input';

/** The member that holds the arguments, by type of item. */
const ARGUMENTS: { readonly [type: string]: { readonly member: ArgumentsMember; readonly input: 'json' | 'text' } } = {
  function_call: { member: 'arguments', input: 'json' },
  custom_tool_call: { member: 'input', input: 'text' },
};

/** Calls that the provider runs itself. */
const PROVIDER_CALLS: ReadonlySet<unknown> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
]);
/** Calls that a client must run, or allow, and whose arguments are no JSON text in deltas. */
const CLIENT_CALLS: ReadonlySet<unknown> = new Set([
  'computer_call',
  'local_shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);
/** A type comes from a provider: `constructor` is none. */
function argumentsOf(type: unknown): (typeof ARGUMENTS)[string] | undefined {
  return Object.hasOwn(ARGUMENTS, wordOf(type)) ? ARGUMENTS[wordOf(type)] : undefined;
}

/** Items that are no calls. */
const OTHER_ITEMS = /^(message|reasoning|compaction|mcp_list_tools|\w+_output)$/;

export class ResponseItems {
  readonly calls: ClosingCalls;
  providerCalls = 0;
  unreadCalls = 0;
  unknownItems = 0;
  readonly #items = new Map<string, Item>();
  readonly #outlet: EventOutlet;

  constructor(outlet: EventOutlet) {
    this.#outlet = outlet;
    this.calls = new ClosingCalls(outlet);
  }

  added(key: string, item: Fields, at: number): void {
    if (this.#items.has(key)) this.#outlet.fail('bad_delta', 'a second output item begins at a used index', at);
    else this.#open(key, item, at);
  }

  /** A fragment of the arguments; its event is named for the member that they stand in. */
  delta(key: string | null, member: ArgumentsMember, fragment: unknown, at: number): void {
    const item = this.#argued(key, member, at);
    if (item === null) return;
    if (typeof fragment !== 'string') this.#refuse(item, WRONG_ARGUMENTS, at);
    else if (item.whole && fragment !== '') this.#refuse(item, AFTER_WHOLE, at);
    else this.calls.append(item.call, fragment, at);
  }

  /** The arguments are said again, as a whole. */
  whole(key: string | null, member: ArgumentsMember, text: unknown, at: number): void {
    const item = this.#argued(key, member, at);
    if (item !== null) this.#repeat(item, text, at);
  }

  /** `output_item.done`: the status says whether the call is whole. */
  done(key: string, fields: Fields, at: number): void {
    const known = this.#items.get(key);
    const { type, status }: ItemFields = fields;
    if (known === null && argumentsOf(type) !== undefined) this.calls.refuse(null, OTHER_TYPE, at);
    const named = this.#named(fields);
    if (known !== undefined && named !== undefined && known !== named) {
      for (const item of [known, named]) if (item !== null) this.#refuse(item, OTHER_PLACE, at);
      return;
    }
    const item = known === undefined ? (named ?? this.#open(key, fields, at)) : known;
    if (item === null) return;
    this.#sayAgain(item, fields, at);
    if (isAbsent(status) || status === '') item.ended ??= 'undecided';
    else this.#endBy(item, status, at);
  }

  /** `response.completed` says all items again; what is not in it, and was not done, was never closed. */
  completed(output: readonly unknown[], at: number): void {
    const said: Fields[] = [];
    for (const [position, fields] of output.entries()) {
      if (!isFields(fields)) continue;
      if (argumentsOf(fields['type']) !== undefined) said.push(fields);
      else if (!this.#items.has(String(position))) this.#note(fields);
    }
    for (const [fields, item] of this.#whichCalls(said, at)) {
      this.#sayAgain(item, fields, at);
      this.#endBy(item, fields['status'] ?? 'completed', at);
    }
    for (const item of this.#items.values()) {
      // Some servers say no item done, and list none: then its whole arguments, and the complete response, must do.
      const isWhole = item?.ended === 'undecided' || (item?.ended === null && item.whole && said.length === 0);
      if (item != null && isWhole) this.calls.close(item.call, at);
    }
  }

  /** The item that has the `call_id` of `fields`. */
  #named({ call_id }: ItemFields): CallItem | undefined {
    if (isAbsent(call_id) || call_id === '') return undefined;
    for (const item of this.#items.values()) if (item?.call.id === call_id && item !== null) return item;
    return undefined;
  }

  /**
   * Which calls the whole response says again: those with the same `call_id`; the rest in their order, since servers
   * give a call another id there (vllm-project/vllm#47916) or leave out items before it. What has nothing to stand for
   * is new. Where neither tells, nobody is meant: a call must not run a second time under another id, or with the
   * arguments of another one.
   */
  #whichCalls(said: readonly Fields[], at: number): Map<Fields, CallItem> {
    const found = new Map<Fields, CallItem>();
    const calls = new Set([...this.#items.values()].filter((item) => item !== null));
    for (const fields of said) {
      const same = [...calls].find(({ call }) => call.id !== null && call.id === fields['call_id']);
      if (same === undefined) continue;
      found.set(fields, same);
      calls.delete(same);
    }
    const [left, rest] = [[...calls], said.filter((fields) => !found.has(fields))];
    const isOrdered = left.length === rest.length && (left.length === 1 || left.every(hasArguments));
    for (const [position, fields] of rest.entries()) {
      const item = left.length === 0 ? this.#open(`late ${position}`, fields, at) : left[position];
      if (left.length > 0 && !isOrdered) this.calls.refuse(null, WHICH_CALL, at);
      else if (item !== null && item !== undefined) found.set(fields, item);
    }
    return found;
  }

  /** The call that arguments come for; its kind must be that of the event. Null: none, and that has been said. */
  #argued(key: string | null, member: ArgumentsMember, at: number): CallItem | null {
    const item = key === null ? undefined : this.#items.get(key);
    if (item === undefined) this.calls.orphan(at);
    else if (item !== null && argumentsOf(item.type)?.member !== member) this.#refuse(item, OTHER_TYPE, at);
    else return item;
    return null;
  }

  /** Only `completed` closes, and only what was not called unfinished before. */
  #endBy(item: CallItem, status: unknown, at: number): void {
    if (status === 'completed') {
      if (item.ended !== 'unfinished') this.calls.close(item.call, at);
      return;
    }
    item.ended = 'unfinished';
    if (item.call.state === 'closed') this.calls.refuse(null, UNFINISHED_LATER, at);
  }

  #open(key: string, fields: Fields, at: number): Item {
    const { type, call_id, name }: ItemFields = fields;
    const kind = argumentsOf(type);
    if (kind === undefined) {
      this.#note(fields);
      this.#items.set(key, null);
      return null;
    }
    const call = this.calls.open({ id: call_id, name }, kind.input, at);
    const item: CallItem = { call, type, whole: false, ended: null };
    this.#items.set(key, item);
    const first = fields[kind.member];
    if (typeof first === 'string') this.calls.append(call, first, at);
    else if (!isAbsent(first)) this.calls.refuse(call, WRONG_ARGUMENTS, at);
    return item;
  }

  #sayAgain(item: CallItem, fields: Fields, at: number): void {
    const { type, call_id, name }: ItemFields = fields;
    if (type !== item.type) {
      this.#refuse(item, OTHER_TYPE, at);
      return;
    }
    this.calls.identify(item.call, { id: call_id, name }, at);
    const text = fields[argumentsOf(type)?.member ?? ''];
    if (!isAbsent(text)) this.#repeat(item, text, at);
  }

  #repeat(item: CallItem, text: unknown, at: number): void {
    if (typeof text !== 'string') {
      this.#refuse(item, WRONG_ARGUMENTS, at);
      return;
    }
    this.calls.repeat(item.call, text, at);
    item.whole = true;
  }

  #refuse({ call }: CallItem, refusal: Refusal, at: number): void {
    this.calls.refuse(call.state === 'closed' ? null : call, refusal, at);
  }

  #note(fields: Fields): void {
    const { type, execution, environment }: ItemFields = fields;
    if (PROVIDER_CALLS.has(type)) this.providerCalls++;
    else if (CLIENT_CALLS.has(type)) this.unreadCalls++;
    else if (type === 'tool_search_call') this.#count(execution === 'server');
    else if (type === 'shell_call') this.#count(isFields(environment) && environment['type'] !== 'local');
    else if (!OTHER_ITEMS.test(wordOf(type))) this.unknownItems++;
  }

  /** Tools that run here or there. */
  #count(atProvider: boolean): void {
    if (atProvider) this.providerCalls++;
    else this.unreadCalls++;
  }
}

/** Its arguments have come, so that others said for it are told from them. */
function hasArguments({ call, whole }: CallItem): boolean {
  return whole || call.said.length > 0;
}

interface ItemFields {
  readonly type?: unknown;
  readonly call_id?: unknown;
  readonly name?: unknown;
  readonly status?: unknown;
  readonly execution?: unknown;
  readonly environment?: unknown;
}

const AFTER_WHOLE: Refusal = {
  kind: 'bad_delta',
  detail: 'a delta came after the whole arguments of its call',
};
const OTHER_TYPE: Refusal = { kind: 'bad_delta', detail: 'an output item goes on as another type than it began' };
const OTHER_PLACE: Refusal = {
  kind: 'bad_delta',
  detail: 'an output item is done at the index of another call than the one that has its call_id',
};
const WHICH_CALL: Refusal = {
  kind: 'bad_delta',
  detail: 'the whole response holds a call under an id that no event gave, and its order does not tell which it is',
};
const UNFINISHED_LATER: Refusal = {
  kind: 'bad_delta',
  detail: 'an item that was completed is called unfinished afterwards',
};

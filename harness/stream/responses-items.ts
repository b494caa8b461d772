/** The output items of an OpenAI response that are calls (docs/wire-formats.md "OpenAI Responses", the identity table). */
import { type ClosingCall, ClosingCalls, NO_CALL, type Refusal, WRONG_ARGUMENTS } from './closing-calls.ts';
import type { EventOutlet } from './event-outlet.ts';
import { type Fields, isAbsent, isFields } from './json-fields.ts';

interface CallItem {
  readonly call: ClosingCall;
  /** The whole arguments have been said: no delta follows them. */
  whole: boolean;
  /** Its `output_item.done` has come without a status: the end of the response decides. */
  undecided: boolean;
}

/** `null`: an item that is no call of a client's tool; its deltas are not read. */
type Item = CallItem | null;

/** The member that holds the arguments, by type of item. */
const ARGUMENTS: { readonly [type: string]: { readonly member: string; readonly input: 'json' | 'text' } } = {
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
  return Object.hasOwn(ARGUMENTS, String(type)) ? ARGUMENTS[String(type)] : undefined;
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

  delta(key: string | null, fragment: unknown, at: number): void {
    const item = key === null ? undefined : this.#items.get(key);
    if (item === null) return;
    if (item === undefined) this.calls.refuse(null, NO_CALL, at);
    else if (typeof fragment !== 'string') this.#refuse(item, WRONG_ARGUMENTS, at);
    else if (item.whole && fragment !== '') this.#refuse(item, AFTER_WHOLE, at);
    else this.calls.append(item.call, fragment, at);
  }

  /** The arguments are said again, as a whole. */
  whole(key: string | null, text: unknown, at: number): void {
    const item = key === null ? undefined : this.#items.get(key);
    if (item === undefined) this.calls.refuse(null, NO_CALL, at);
    else if (item !== null) this.#repeat(item, text, at);
  }

  /** `output_item.done`: the status says whether the call is whole. `incomplete` closes nothing. */
  done(key: string, fields: Fields, at: number): void {
    const known = this.#items.get(key);
    const item = known === undefined ? this.#open(key, fields, at) : known;
    if (item === null) return;
    const { status }: ItemFields = fields;
    this.#sayAgain(item, fields, at);
    if (status === 'completed') this.calls.close(item.call, at);
    else if (isAbsent(status)) item.undecided = true;
  }

  /** `response.completed` says all items again; what is not in it, and was not done, was never closed. */
  completed(output: readonly unknown[], at: number): void {
    for (const [position, fields] of output.entries()) {
      if (!isFields(fields)) continue;
      const found = this.#find(position, fields);
      const item = found === undefined ? this.#openLate(position, fields, at) : found;
      if (item === null) continue;
      this.#sayAgain(item, fields, at);
      if ((fields as ItemFields).status !== 'incomplete') this.calls.close(item.call, at);
    }
    for (const item of this.#items.values()) if (item?.undecided === true) this.calls.close(item.call, at);
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
    const item: CallItem = { call, whole: false, undecided: false };
    this.#items.set(key, item);
    const first = fields[kind.member];
    if (typeof first === 'string') this.calls.append(call, first, at);
    else if (!isAbsent(first)) this.calls.refuse(call, WRONG_ARGUMENTS, at);
    return item;
  }

  /** An item that only the end of the response names; one that was no call before is none now. */
  #openLate(position: number, fields: Fields, at: number): Item {
    const key = String(position);
    return this.#items.has(key) && this.#items.get(key) === null ? null : this.#open(`late ${key}`, fields, at);
  }

  /** The item with that id; without an id, the one at the place. */
  #find(position: number, fields: Fields): Item | undefined {
    const { type, call_id }: ItemFields = fields;
    if (argumentsOf(type) === undefined) return this.#items.has(String(position)) ? null : undefined;
    const there = this.#items.get(String(position));
    if (isAbsent(call_id) || there?.call.id === call_id) return there;
    return [...this.#items.values()].find((item) => item?.call.id === call_id);
  }

  #sayAgain(item: CallItem, fields: Fields, at: number): void {
    const { type, call_id, name }: ItemFields = fields;
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
    else if (!OTHER_ITEMS.test(String(type))) this.unknownItems++;
  }

  /** Tools that run here or there. */
  #count(atProvider: boolean): void {
    if (atProvider) this.providerCalls++;
    else this.unreadCalls++;
  }
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

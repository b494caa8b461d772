/** `functionCall` parts of a Gemini answer → calls (docs/wire-formats.md "Gemini", the identity table). */
import { type ClosingCall, ClosingCalls, type Refusal, SECOND_FRAGMENT, WRONG_ARGUMENTS } from './closing-calls.ts';
import type { EventOutlet } from './event-outlet.ts';
import { type Fields, isAbsent, isFields } from './json-fields.ts';
import { stepsOf } from './json-path.ts';
import { JsonPieces, type Piece } from './json-pieces.ts';
import { type JsonPath, rawValue } from './raw-json.ts';

/** Where a part stands. */
export interface PartOrigin {
  readonly at: number;
  readonly payload: string;
  /** Of the `functionCall` in its payload. */
  readonly path: JsonPath;
}

/** The call whose last part has not come. */
interface Current {
  readonly call: ClosingCall;
  readonly pieces: JsonPieces;
}

export class GeminiCalls {
  readonly calls: ClosingCalls;
  #current: Current | null = null;

  constructor(outlet: EventOutlet) {
    this.calls = new ClosingCalls(outlet);
  }

  /**
   * A part with a name opens a call; one without belongs to the call whose last part has not come. So does one that
   * names that call again, by its id: else the first half of the arguments would be lost, and the second would run.
   */
  part(value: Fields, origin: PartOrigin): void {
    const { id, name, willContinue }: FunctionCall = value;
    const { at } = origin;
    const current = this.#goesOn(value) ? this.#current : this.#begin(value, at);
    if (current === null) {
      this.calls.orphan(at);
      return;
    }
    if (current === this.#current) this.#identify(current.call, { id, name }, at);
    this.#current = current;
    if (!isAbsent(willContinue) && typeof willContinue !== 'boolean') this.#refuse(current.call, WRONG_ARGUMENTS, at);
    this.#arguments(current, value, origin);
    if (willContinue === true) return;
    this.#finish(current, at);
    this.#current = null;
  }

  /** Whether a part belongs to the call whose last part has not come, or to none. */
  #goesOn({ id, name }: FunctionCall): boolean {
    if (isNone(name)) return true;
    const call = this.#current?.call;
    if (call === undefined) return false;
    return isNone(id) || call.id === null ? name === call.name : id === call.id;
  }

  #begin({ id, name }: FunctionCall, at: number): Current {
    if (this.#current !== null) this.#refuse(this.#current.call, NOT_FINISHED, at);
    return { call: this.calls.open({ id, name }, 'json', at), pieces: new JsonPieces() };
  }

  /** An id may come with a later part. Another id is another call; the same name without an id may be either. */
  #identify(call: ClosingCall, { id, name }: FunctionCall, at: number): void {
    if (!isNone(id) && call.id !== null && id !== call.id) this.#refuse(call, OTHER_ID, at);
    else if (!isNone(name) && (isNone(id) || call.id === null)) this.#refuse(call, NAMED_AGAIN, at);
    else this.calls.identify(call, { id, name }, at);
  }

  #arguments({ call, pieces }: Current, { args, partialArgs }: FunctionCall, origin: PartOrigin): void {
    const { at, payload, path } = origin;
    if (isFields(args)) {
      if (call.said.length > 0) this.#refuse(call, SECOND_FRAGMENT, at);
      else this.calls.append(call, rawValue(payload, [...path, 'args']) ?? '', at);
    } else if (!isAbsent(args)) this.#refuse(call, WRONG_ARGUMENTS, at);
    if (isAbsent(partialArgs)) return;
    if (!Array.isArray(partialArgs)) {
      this.#refuse(call, WRONG_ARGUMENTS, at);
      return;
    }
    if (partialArgs.length > 0 && pieces.isEmpty && call.said.length > 0) this.#refuse(call, SECOND_FRAGMENT, at);
    for (const [index, value] of partialArgs.entries()) {
      if (call.state === 'open')
        this.#piece({ call, pieces }, value, { ...origin, path: [...path, 'partialArgs', index] });
    }
  }

  #piece({ call, pieces }: Current, value: unknown, origin: PartOrigin): void {
    const { jsonPath }: PartialArg = isFields(value) ? value : {};
    const steps = typeof jsonPath === 'string' ? stepsOf(jsonPath) : null;
    const piece = isFields(value) ? pieceOf(value, origin) : null;
    if (steps === null || piece === null) {
      this.#refuse(call, WRONG_ARGUMENTS, origin.at);
      return;
    }
    const text = pieces.add(steps, piece);
    if (text === null) this.#refuse(call, NOT_IN_ORDER, origin.at);
    else this.calls.append(call, text, origin.at);
  }

  #finish({ call, pieces }: Current, at: number): void {
    if (call.state !== 'open') return;
    const rest = pieces.close();
    if (rest === null) {
      this.#refuse(call, OPEN_STRING, at);
      return;
    }
    this.calls.append(call, rest, at);
    this.calls.close(call, at);
  }

  #refuse(call: ClosingCall, refusal: Refusal, at: number): void {
    if (call.state === 'open') this.calls.refuse(call, refusal, at);
  }
}

/** Absent, `null` and empty ids and names are none. */
function isNone(value: unknown): boolean {
  return isAbsent(value) || value === '';
}

const VALUES = ['stringValue', 'numberValue', 'boolValue', 'nullValue'] as const;

/** Exactly one value (those that are not meant may stand there as null); numbers are taken as they are written. */
function pieceOf(arg: PartialArg & Fields, { payload, path }: PartOrigin): Piece | null {
  const { stringValue, numberValue, boolValue, nullValue, willContinue } = arg;
  const given = VALUES.filter((field) => !isAbsent(arg[field]));
  if (given.length === 0 && 'nullValue' in arg) return willContinue === true ? null : { source: 'null' };
  if (given.length !== 1) return null;
  if (typeof stringValue === 'string') return { string: stringValue, more: willContinue === true };
  if (willContinue === true) return null;
  if (typeof numberValue === 'number') return { source: rawValue(payload, [...path, 'numberValue']) ?? '' };
  if (typeof boolValue === 'boolean') return { source: String(boolValue) };
  return nullValue === 'NULL_VALUE' ? { source: 'null' } : null;
}

const NOT_FINISHED: Refusal = { kind: 'bad_delta', detail: 'another call begins before the last part of this one' };
const OTHER_ID: Refusal = {
  kind: 'bad_delta',
  detail: 'a part without a name has another id than the call it continues',
};
const NAMED_AGAIN: Refusal = {
  kind: 'bad_delta',
  detail: 'a part has the name of the call that goes on, and no id tells whether it is that call or another one',
};
const NOT_IN_ORDER: Refusal = {
  kind: 'bad_delta',
  detail: 'a piece of the arguments does not fit behind those before it: its place was left, given twice or skipped',
};
const OPEN_STRING: Refusal = {
  kind: 'bad_delta',
  detail: 'the last part of a call leaves a string of its arguments open',
};

interface FunctionCall {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly args?: unknown;
  readonly partialArgs?: unknown;
  readonly willContinue?: unknown;
}

interface PartialArg {
  readonly jsonPath?: unknown;
  readonly stringValue?: unknown;
  readonly numberValue?: unknown;
  readonly boolValue?: unknown;
  readonly nullValue?: unknown;
  readonly willContinue?: unknown;
}

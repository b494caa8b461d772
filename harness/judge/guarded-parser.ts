/** A parser object of somebody else's, read with suspicion: what it throws or makes up becomes a sentence. */
import type { ContractError } from '../parsers/contract-error.ts';
import type { Frontier, ToolCall, UnfinishedCall } from '../parsers/parser.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { BadAnswer, readCall, readError, readPending, readUnfinished } from './reported.ts';

/** What a module's parser must be: `push`, `end`, and the frontier as getters or by a method. */
export interface ForeignObject {
  push(event: StreamEvent): unknown;
  end(how: StreamEnd): unknown;
  frontier?: () => unknown;
}

interface RawFrontier {
  readonly calls: unknown;
  readonly pending?: unknown;
  readonly error?: unknown;
  readonly unfinished?: unknown;
}

/** After a fault the frontier stays as it was before, and nothing is fed any more. */
export class GuardedParser implements Frontier {
  calls: readonly ToolCall[] = [];
  pending = 0;
  error: ContractError | null = null;
  unfinished: UnfinishedCall | null = null;
  fault: string | null = null;
  /** What its frontier has told, ever. */
  readonly tells = { pending: false, error: false };

  readonly #object: ForeignObject;
  readonly #seen: { readonly raw: unknown; readonly print: readonly unknown[]; readonly call: ToolCall }[] = [];

  constructor(object: ForeignObject) {
    this.#object = object;
    this.#guarded('at its start', () => this.#look());
  }

  /** The event is the parser's to change. */
  push(event: StreamEvent): void {
    this.#guarded(`in push of ${event.type}`, () => {
      refusePromise(this.#object.push(event), 'push');
      this.#look();
    });
  }

  end(how: StreamEnd): void {
    this.#guarded(`in end('${how}')`, () => {
      refusePromise(this.#object.end(how), 'end');
      // What was changed in place, behind an object that stayed the same, is seen here at the latest.
      this.#seen.length = 0;
      this.#look();
    });
  }

  #guarded(where: string, work: () => void): void {
    if (this.fault !== null) return;
    try {
      work();
    } catch (error) {
      this.fault = sentenceOf(error, where);
    }
  }

  #look(): void {
    const raw = frontierOf(this.#object);
    this.tells.pending ||= raw.pending !== undefined;
    this.tells.error ||= raw.error !== undefined;
    this.#takeCalls(raw.calls);
    if (raw.pending !== undefined) this.pending = readPending(raw.pending);
    if (raw.error !== undefined) this.error = readError(raw.error);
    if (raw.unfinished !== undefined) this.unfinished = readUnfinished(raw.unfinished);
  }

  #takeCalls(raw: unknown): void {
    if (!Array.isArray(raw)) throw new BadAnswer(`calls is ${kindOf(raw)}, an array of calls is wanted`);
    let changed = raw.length !== this.calls.length;
    for (const [i, given] of raw.entries()) {
      const print = fingerprint(given);
      const seen = this.#seen[i];
      if (seen !== undefined && seen.raw === given && print.every((part, at) => part === seen.print[at])) continue;
      this.#seen[i] = { raw: given, print, call: readCall(given, i) };
      changed = true;
    }
    if (!changed) return;
    this.#seen.length = raw.length;
    this.calls = this.#seen.map(({ call }) => call);
  }
}

/** The frontier that the object shows now. */
export function frontierOf(object: ForeignObject): RawFrontier {
  const frontier = typeof object.frontier === 'function' ? object.frontier() : object;
  if (typeof frontier !== 'object' || frontier === null) {
    throw new BadAnswer(`the frontier is ${kindOf(frontier)}, an object with "calls" is wanted`);
  }
  refusePromise(frontier, 'frontier');
  return frontier as RawFrontier;
}

/** What of a call can change without a new object, as far as it is cheap to see: compared by identity. */
function fingerprint(given: unknown): readonly unknown[] {
  if (typeof given !== 'object' || given === null) return [given];
  const { ordinal, id, name, args, values, arguments: source } = given as { [key: string]: unknown };
  const text = typeof args === 'object' && args !== null && 'text' in args ? args.text : null;
  return [ordinal, id, name, args, values, source, text];
}

function refusePromise(value: unknown, method: string): void {
  if (typeof value !== 'object' || value === null || !('then' in value) || typeof value.then !== 'function') return;
  if ('catch' in value && typeof value.catch === 'function') value.catch(() => undefined);
  throw new BadAnswer(
    `${method} returned a promise: the frontier is read when ${method} returns, so it must be up to date by then (a parser that has to wait can be run as a command: --parser-cmd)`,
  );
}

function sentenceOf(error: unknown, where: string): string {
  if (error instanceof BadAnswer) return `${where}: ${error.message}`;
  return `the parser threw ${where}: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`;
}

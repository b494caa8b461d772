/** One request and what became of it, as an observer sees it. Headers are never part of it: they hold keys. */

/**
 * `complete`: everything was sent; `cut`, `reset`: by a fault; `client-closed`: the client left before the end;
 * `stopped`: the server was; `failed`: the answer could not be made (`problem`).
 */
export type ExchangeEnd = 'complete' | 'cut' | 'reset' | 'client-closed' | 'stopped' | 'failed';

/** The socket took no more: the client does not read, and every buffer between is full. */
export interface Refusal {
  /** Bytes of the body that the system had taken by then. */
  readonly taken: number;
  /** The system takes bytes again: the client has read. */
  readonly drained: boolean;
}

/** What the server chose to answer with. */
export interface Choice {
  /** The conversation's turn: assistant messages in the request, plus 1. */
  readonly turn: number;
  /** How often this turn of this conversation has been asked for, this time included. */
  readonly attempt: number;
  /** Name of the recording; null for a text of the script. */
  readonly recording: string | null;
  /** Faults of this answer, as they were written. */
  readonly faults: readonly string[];
}

/** Live: it changes until `end` is set. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** The request body as received, decoded as UTF-8; '' before it is read, and where it was too long. */
  readonly body: string;
  /** The request's `model`, where there is one. */
  readonly model: string | null;
  readonly choice: Choice | null;
  /** Of the response; null before its head is sent. */
  readonly status: number | null;
  /** Bytes of the response body that were handed to the socket. */
  readonly given: number;
  /** Those that the system has taken from it. A client may have read fewer. */
  readonly taken: number;
  readonly refusals: readonly Refusal[];
  /** Faults that the answer never came to. */
  readonly missed: readonly string[];
  readonly end: ExchangeEnd | null;
  /** Why it failed, or what was wrong with the request. */
  readonly problem: string | null;
}

/** Called as it happens, with the live exchange. A method must not throw. */
export interface ServeObserver {
  /** The request has been read, and what answers it is chosen; not called for what is refused. */
  chosen?(exchange: Exchange): void;
  /** The socket takes no more. */
  refused?(exchange: Exchange): void;
  /** It takes bytes again. */
  drained?(exchange: Exchange): void;
  ended?(exchange: Exchange): void;
}

/** The exchange as the server writes it. */
export class ExchangeLog implements Exchange {
  readonly method: string;
  readonly path: string;
  body = '';
  model: string | null = null;
  status: number | null = null;
  missed: readonly string[] = [];
  problem: string | null = null;
  readonly refusals: { taken: number; drained: boolean }[] = [];
  #choice: Choice | null = null;
  #given = 0;
  #taken = 0;
  #end: ExchangeEnd | null = null;
  readonly #observer: ServeObserver;

  constructor(request: { readonly method: string; readonly path: string }, observer: ServeObserver) {
    this.method = request.method;
    this.path = request.path;
    this.#observer = observer;
  }

  get choice(): Choice | null {
    return this.#choice;
  }

  get given(): number {
    return this.#given;
  }

  get taken(): number {
    return this.#taken;
  }

  get end(): ExchangeEnd | null {
    return this.#end;
  }

  choose(choice: Choice): void {
    this.#choice = choice;
    this.#observer.chosen?.(this);
  }

  give(bytes: number): void {
    this.#given += bytes;
  }

  refuse(): void {
    this.refusals.push({ taken: this.#taken, drained: false });
    this.#observer.refused?.(this);
  }

  take(bytes: number): void {
    this.#taken += bytes;
    const last = this.refusals.at(-1);
    if (last === undefined || last.drained) return;
    last.drained = true;
    this.#observer.drained?.(this);
  }

  /** The first end stands. */
  finish(end: ExchangeEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.#observer.ended?.(this);
  }
}

/** What the proxy keeps of an exchange: the pieces as they pass, and at the end a recording, or the reason why there is none. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Framing } from '../replay/recording.ts';
import type { SuiteWriter } from '../replay/suite-writer.ts';
import type { Arrival } from '../replay/times.ts';
import type { WireFormat } from '../stream/wire-format.ts';
import { type ProxyEnd, proxyRecording } from './proxy-recording.ts';

/** What became of an answer that may be stored. */
export interface Stored {
  /** The file of its recording; null if it was not stored. */
  readonly file: string | null;
  /** Why not, or what is wrong with it. */
  readonly problem: string | null;
  /** It was to be stored, and is not. */
  readonly lost: boolean;
}

/** What is known of an exchange beside its bodies, when it has ended. */
export interface ExchangeFacts {
  readonly at: Date;
  readonly headers: IncomingHttpHeaders;
  readonly wire: WireFormat;
  /** Of the target, with the query. */
  readonly path: string;
  /** That the client named; null: a hash of the request. */
  readonly task: string | null;
  /** Keys that were sent. */
  readonly known: readonly string[];
  /** Bytes of the response body. */
  readonly size: number;
  readonly end: ProxyEnd;
  readonly problem: string | null;
}

/** The copy of one exchange. Pieces are kept as they are: nobody may write into them. */
export interface ExchangeCopy {
  request(piece: Uint8Array): void;
  /** @param ms since the request */
  response(piece: Uint8Array, ms: number): void;
  /** It is none that is stored. */
  drop(): void;
  /** Never rejects. */
  end(facts: ExchangeFacts): Promise<Stored>;
}

export interface ProxyStore {
  open(): ExchangeCopy;
}

export interface StoreOptions {
  /** Of all answers; null: guessed from each. */
  readonly protocol: Framing | null;
  readonly provider: string | null;
  /** Mask secrets instead of refusing what has one. */
  readonly redact: boolean;
  /** Most bytes of a request or an answer that are kept. */
  readonly keepLimit: number;
}

/** Stores in the thread that calls it. */
export class SuiteStore implements ProxyStore {
  readonly #writer: Pick<SuiteWriter, 'add'>;
  readonly #options: StoreOptions;

  constructor(writer: Pick<SuiteWriter, 'add'>, options: StoreOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  open(): ExchangeCopy {
    const { keepLimit } = this.#options;
    const request = new KeptBytes(keepLimit);
    const response = new KeptBytes(keepLimit);
    const times: Arrival[] = [];
    return {
      request: (piece) => request.add(piece),
      response: (piece, ms) => {
        response.add(piece);
        if (response.size <= keepLimit) times.push({ ms, bytes: response.size });
      },
      drop: () => {},
      end: (facts) => this.#store(facts, { times, requestBody: request.bytes(), bytes: response.bytes() }),
    };
  }

  async #store(facts: ExchangeFacts, bodies: Bodies): Promise<Stored> {
    const { wire, path, task, known } = facts;
    const { protocol, provider, redact } = this.#options;
    try {
      const naming = { task, protocol, provider };
      const made = proxyRecording({ ...facts, ...bodies }, { wire, path }, { naming, secrets: { known, redact } });
      if ('problem' in made) return { file: null, problem: joined(facts.problem, made.problem), lost: made.lost };
      const file = await this.#writer.add(made.recording);
      const error = made.error === null ? null : `it ends in an error: ${made.error}`;
      return { file, problem: joined(facts.problem, error), lost: false };
    } catch (error) {
      return { file: null, problem: error instanceof Error ? error.message : String(error), lost: true };
    }
  }
}

function joined(...problems: readonly (string | null)[]): string | null {
  const parts = problems.filter((problem) => problem !== null);
  return parts.length === 0 ? null : parts.join('; ');
}

interface Bodies {
  readonly requestBody: Uint8Array | null;
  readonly bytes: Uint8Array | null;
  readonly times: readonly Arrival[];
}

/** A copy of a body, up to a limit. */
class KeptBytes {
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(piece: Uint8Array): void {
    this.size += piece.length;
    if (this.size > this.#limit) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  /** Null if there were more. */
  bytes(): Uint8Array | null {
    return this.size > this.#limit ? null : Buffer.concat(this.#pieces);
  }
}

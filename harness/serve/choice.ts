/**
 * What answers a request: a recording by the model's name, else the session, and the faults of that turn and attempt.
 */
import { countTokens, tokenChunks } from '../replay/chunking.ts';
import { chatStream } from '../replay/envelope.ts';
import type { Framing, Recording } from '../replay/recording.ts';
import { seededDraw } from '../replay/seeded.ts';
import { ApiError, unknownModel } from './api-error.ts';
import { Attempts } from './attempts.ts';
import { Catalogue, modelName } from './catalogue.ts';
import type { ChatRequest } from './chat-request.ts';
import { type ArmedFault, faultsOf } from './faults.ts';
import { ServeError } from './serve-error.ts';
import { type After, type Answer, recordingSession, type Session, type Turn, turnOf } from './session.ts';
import type { TimedSource } from './timing.ts';

/** The model name that is listed for the session; every name that is no recording gets it. */
export const DEFAULT_MODEL = 'default';

export interface ChoiceOptions {
  readonly recordings: readonly Recording[];
  /** What a model that is no recording gets; null: a 404. */
  readonly session: Session | null;
  /** What a conversation with a recording gets after its first turn. */
  readonly after: After;
  /** Of a task that has recordings in several framings, where the request offers no tools. */
  readonly framing: Framing;
  /** Of every answer, besides those of its turn. */
  readonly faults: readonly ArmedFault[];
  readonly seed: number;
}

export interface Chosen {
  readonly source: TimedSource;
  /** Name of the recording; null for a text. */
  readonly recording: string | null;
  readonly attempt: number;
  readonly faults: readonly ArmedFault[];
  bytes(): Promise<Uint8Array>;
}

export class Chooser {
  readonly catalogue: Catalogue;
  /** The names that `GET /v1/models` lists. */
  readonly models: readonly string[];
  readonly #options: ChoiceOptions;
  readonly #attempts = new Attempts();

  /** Throws `ServeError` if the session names a recording that there is not. */
  constructor(options: ChoiceOptions) {
    this.#options = options;
    this.catalogue = new Catalogue(options.recordings);
    this.models = options.session === null ? this.catalogue.names : [...this.catalogue.names, DEFAULT_MODEL];
    for (const [at, { answer }] of (options.session?.turns ?? []).entries()) {
      if (!('recording' in answer) || this.catalogue.has(answer.recording)) continue;
      throw new ServeError('option', `${this.catalogue.missing(answer.recording)} (turn ${at + 1})`);
    }
  }

  /** Throws `ApiError` if nothing answers. */
  choose(request: ChatRequest): Chosen {
    const turn = this.#turn(request);
    const attempt = this.#attempts.next(request.turnKey);
    const faults = faultsOf([...this.#options.faults, ...turn.faults], attempt);
    return { ...this.#source(turn.answer, request), attempt, faults };
  }

  #turn(request: ChatRequest): Turn {
    const session = this.#session(request);
    const turn = turnOf(session, request.turn);
    if (turn !== null) return turn;
    const message = `This is turn ${request.turn} of the conversation, and the session has ${session.turns.length}`;
    throw new ApiError({ status: 400, message, param: 'messages', code: 'no_more_turns' });
  }

  #session({ model }: ChatRequest): Session {
    const { session, after } = this.#options;
    if (model !== null && this.catalogue.has(model)) return recordingSession(model, after);
    if (session !== null) return session;
    if (model !== null) throw unknownModel(this.catalogue.missing(model));
    const message = 'model: name a recording (GET /v1/models lists them)';
    throw new ApiError({ status: 400, message, param: 'model' });
  }

  #source(answer: Answer, { hasTools }: ChatRequest): Pick<Chosen, 'source' | 'recording' | 'bytes'> {
    if ('text' in answer) return textSource(answer.text, this.#options.seed);
    const finding = this.catalogue.find(answer.recording, this.#framing(hasTools));
    if ('missing' in finding) throw unknownModel(finding.missing);
    const { recording } = finding;
    return { source: recording, recording: modelName(recording), bytes: () => recording.bytes() };
  }

  /** A model that is offered tools answers with native calls. */
  #framing(hasTools: boolean): Framing {
    return hasTools ? 'native' : this.#options.framing;
  }
}

function textSource(text: string, seed: number): Pick<Chosen, 'source' | 'recording' | 'bytes'> {
  const source: TimedSource = { suite: 'session', file: 'text', task: 'text', wire: 'openai-chat' };
  const bytes = chatStream({
    id: 'chatcmpl-text',
    model: DEFAULT_MODEL,
    parts: [{ type: 'text', pieces: tokenChunks(text, seededDraw(`${seed}/text/${text}`)) }],
    finish: 'stop',
    usage: { promptTokens: 0, completionTokens: countTokens(text) },
  });
  return { source, recording: null, bytes: async () => bytes };
}

/** `POST /v1/chat/completions`: from a request to the last byte of its answer. */
import { ApiError, faultError } from './api-error.ts';
import type { ChatRequest } from './chat-request.ts';
import { readChatRequest } from './chat-request.ts';
import type { Chooser, Chosen } from './choice.ts';
import type { Clock } from './clock.ts';
import { deliver } from './deliver.ts';
import { planDelivery } from './delivery-plan.ts';
import { readBody } from './request-body.ts';
import { breakOff, endResponse, type Reply, ResponseBody, sendHead } from './response.ts';
import { onePiece, type TimedPiece, type Timing, timedPieces } from './timing.ts';
import { wholeMessage } from './whole-message.ts';

export interface ChatServing {
  readonly chooser: Chooser;
  readonly timing: Timing;
  readonly clock: Clock;
  /** Most bytes of a request body. */
  readonly bodyLimit: number;
}

/** What goes out, before faults happen to it. */
interface Body {
  readonly bytes: Uint8Array;
  readonly pieces: readonly TimedPiece[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Throws `ApiError`, and `RecordingError` for a recording that has changed on disk. */
export async function answerChat(reply: Reply, serving: ChatServing): Promise<void> {
  const since = serving.clock.now();
  const { res, log, signal } = reply;
  log.body = await readBody(res.req, serving.bodyLimit, signal);
  const request = readChatRequest(log.body);
  log.model = request.model;
  const chosen = choose(reply, request, serving.chooser);
  const body = await bodyOf(chosen, request, serving.timing);
  const plan = planDelivery(body.bytes, body.pieces, chosen.faults);
  log.missed = plan.missed.map(({ text }) => text);
  sendHead(reply, { status: 200, headers: body.headers });
  const pace = { clock: serving.clock, since, signal };
  const end = await deliver({ body: body.bytes, plan }, new ResponseBody(reply), pace);
  if (end === 'complete') await endResponse(res, signal);
  log.finish(end);
  if (end !== 'complete') breakOff(reply, end);
}

/** Throws the error of a `status` fault. */
function choose({ log }: Reply, request: ChatRequest, chooser: Chooser): Chosen {
  const chosen = chooser.choose(request);
  const { recording, attempt, faults } = chosen;
  log.choose({ turn: request.turn, attempt, recording, faults: faults.map(({ text }) => text) });
  const refusing = faults.find(({ fault }) => fault.kind === 'status');
  if (refusing?.fault.kind !== 'status') return chosen;
  log.missed = faults.filter((fault) => fault !== refusing).map(({ text }) => text);
  throw faultError(refusing.fault.status, refusing.fault.retryAfter);
}

async function bodyOf(chosen: Chosen, request: ChatRequest, timing: Timing): Promise<Body> {
  const { source } = chosen;
  const bytes = await chosen.bytes();
  const pieces = await timedPieces(source, bytes, timing);
  if (request.isStreamed) {
    return { bytes, pieces, headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' } };
  }
  const message = wholeMessage(bytes, source.limits?.eventLimit);
  if ('problem' in message) throw noWholeMessage(chosen.recording ?? 'the text', message.problem);
  const whole = Buffer.from(`${JSON.stringify(message.completion)}\n`);
  const headers = { 'content-type': 'application/json', 'content-length': String(whole.length) };
  return { bytes: whole, pieces: onePiece(pieces, whole.length), headers };
}

function noWholeMessage(name: string, problem: string): ApiError {
  return new ApiError({
    status: 400,
    message: `${name} has no whole message (${problem}): ask for it with "stream": true`,
    param: 'stream',
    code: 'stream_required',
  });
}

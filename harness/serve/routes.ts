/** From a request's path and method to what answers it. */
import { ApiError, unknownModel } from './api-error.ts';
import { answerChat, type ChatServing } from './chat-answer.ts';
import type { Chooser } from './choice.ts';
import { type Reply, sendJson } from './response.ts';

const CHAT = '/v1/chat/completions';
const MODELS = '/v1/models';

const METHODS = { chat: ['POST', 'OPTIONS'], models: ['GET', 'HEAD', 'OPTIONS'] } as const;

/** Throws `ApiError` for what there is not. */
export async function route(reply: Reply, serving: ChatServing): Promise<void> {
  const { method, path } = reply.log;
  const model = path.startsWith(`${MODELS}/`) ? decoded(path.slice(MODELS.length + 1)) : null;
  if (path !== CHAT && path !== MODELS && model === null) throw unknownPath(path);
  const allowed: readonly string[] = path === CHAT ? METHODS.chat : METHODS.models;
  if (!allowed.includes(method)) throw wrongMethod(method, path, allowed);
  if (method === 'OPTIONS') await sendJson(reply, { status: 204, headers: { allow: allowed.join(', ') } }, null);
  else if (path === CHAT) await answerChat(reply, serving);
  else await sendJson(reply, { status: 200, headers: {} }, modelsBody(serving.chooser, model));
}

/** @param model the one that was asked for; null: all */
function modelsBody({ models, catalogue }: Chooser, model: string | null): object {
  if (model === null) return { object: 'list', data: models.map(modelObject) };
  if (models.includes(model)) return modelObject(model);
  throw unknownModel(catalogue.missing(model));
}

function modelObject(id: string): object {
  return { id, object: 'model', created: 0, owned_by: 'cst-eval' };
}

/** Null if it is no URL encoding. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function unknownPath(path: string): ApiError {
  const message = `There is no ${path}; there are POST ${CHAT}, GET ${MODELS} and GET ${MODELS}/NAME`;
  return new ApiError({ status: 404, message, code: 'unknown_url' });
}

function wrongMethod(method: string, path: string, allowed: readonly string[]): ApiError {
  const headers = { allow: allowed.join(', ') };
  return new ApiError({ status: 405, message: `${path} takes ${allowed.join(', ')}, not ${method}`, headers });
}

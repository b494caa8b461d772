/** The body of `POST /v1/chat/completions`, as far as it decides what answers. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { ApiError } from './api-error.ts';

const message = z.looseObject({ role: z.string() });

const chatRequest = z.looseObject({
  model: z.string().nullish(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  tools: z.array(z.unknown()).nullish(),
  functions: z.array(z.unknown()).nullish(),
});

export interface ChatRequest {
  /** Null if the request names none. */
  readonly model: string | null;
  readonly isStreamed: boolean;
  /** The request offers tools: the answer has native calls. */
  readonly hasTools: boolean;
  /** Assistant messages in the request, plus 1. */
  readonly turn: number;
  /**
   * The same for every request of this turn of this conversation, whatever was said since its last assistant message. A
   * conversation is known by its model and its messages up to the first of the user.
   */
  readonly turnKey: string;
}

/** Throws `ApiError` (400) that names the field at fault. */
export function readChatRequest(text: string): ChatRequest {
  const result = chatRequest.safeParse(parsed(text));
  if (!result.success) throw fieldError(result.error);
  const { model, messages, stream, tools, functions } = result.data;
  const turn = messages.filter(({ role }) => role === 'assistant').length + 1;
  const firstUser = messages.findIndex(({ role }) => role === 'user');
  const opening = messages.slice(0, firstUser + 1);
  return {
    model: model ?? null,
    isStreamed: stream === true,
    hasTools: (tools ?? functions ?? []).length > 0,
    turn,
    turnKey: createHash('sha256')
      .update(JSON.stringify([model ?? null, turn, opening]))
      .digest('base64'),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ApiError({ status: 400, message: `The request body is not JSON: ${why}`, code: 'invalid_json' });
  }
}

function fieldError(error: z.ZodError): ApiError {
  const [issue] = error.issues;
  const param = (issue?.path ?? []).map(String).join('.');
  const place = param === '' ? 'The request body' : param;
  return new ApiError({
    status: 400,
    message: `${place}: ${issue?.message ?? 'not as expected'}`,
    ...(param !== '' && { param }),
  });
}

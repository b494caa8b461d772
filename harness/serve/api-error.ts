/** Errors as an OpenAI-compatible server answers them: `{"error":{"message","type","param","code"}}`. */

export interface ApiErrorDetails {
  readonly status: number;
  readonly message: string;
  /** The field of the request at fault. */
  readonly param?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #details: ApiErrorDetails;

  constructor(details: ApiErrorDetails) {
    super(details.message);
    this.status = details.status;
    this.headers = details.headers ?? {};
    this.#details = details;
  }

  /** The response body. */
  body(): object {
    const { message, status, param, code } = this.#details;
    return { error: { message, type: typeOf(status), param: param ?? null, code: code ?? null } };
  }
}

/** @param why a sentence that names the model */
export function unknownModel(why: string): ApiError {
  const message = `The model does not exist: ${why}`;
  return new ApiError({ status: 404, message, param: 'model', code: 'model_not_found' });
}

/** The error that a `status` fault answers with. @param retryAfter seconds */
export function faultError(status: number, retryAfter: number | null): ApiError {
  return new ApiError({
    status,
    message: `${MESSAGES[status] ?? 'The request failed'} (a fault that was asked for)`,
    ...(status === 429 && { code: 'rate_limit_exceeded' }),
    ...(retryAfter !== null && { headers: { 'retry-after': String(retryAfter) } }),
  });
}

const MESSAGES: Readonly<Record<number, string>> = {
  429: 'Rate limit reached',
  500: 'The server had an error while processing the request',
  503: 'The server is overloaded',
};

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** What went wrong with a connection or an answer, in words for the user. */
import { systemCode } from '../replay/system-code.ts';

type CodeWords = Readonly<Record<string, string>>;

const CODES: CodeWords = {
  ECONNREFUSED: 'nothing listens there (is the server running?)',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name cannot be looked up now',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too long',
};

/** Of a connection that was lost at any time. */
const LOST: CodeWords = {
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed by the server',
};

/** @param lost words for the codes of a lost connection, where it is known how far the exchange had come */
export function connectionProblem(error: unknown, lost = LOST): string {
  const code = connectionCode(error);
  const words = code === null ? undefined : { ...CODES, ...lost }[code];
  return words ?? (error instanceof Error ? error.message : String(error));
}

/** Certificates do not mend themselves. */
export function isLasting(error: unknown): boolean {
  return /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_VERIFY|ERR_SSL/.test(connectionCode(error) ?? '');
}

/** The message of an error body as providers send it, or the body itself. */
export function messageIn(body: string): string {
  try {
    const { error, message } = JSON.parse(body) as { error?: unknown; message?: unknown };
    const inner = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
    const found = [inner, message].find((candidate) => typeof candidate === 'string');
    return typeof found === 'string' ? found : body;
  } catch {
    return body;
  }
}

/** A host with several addresses fails with the errors of all. */
function connectionCode(error: unknown): string | null {
  return systemCode(error instanceof AggregateError ? error.errors[0] : error);
}

/** What went wrong with a connection or an answer, in words for the user. */
import type { IncomingHttpHeaders } from 'node:http';

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (is the server running?)',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name cannot be looked up now',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed by the server',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
};

export function connectionProblem(error: unknown): string {
  const code = codeOf(error);
  return (code === null ? undefined : CODES[code]) ?? (error instanceof Error ? error.message : String(error));
}

/** Certificates do not mend themselves. */
export function isLasting(error: unknown): boolean {
  return /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_VERIFY|ERR_SSL/.test(codeOf(error) ?? '');
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

/**
 * How long the server wants to be left alone (RFC 9110, 10.2.3), in ms. A date is taken against the server's own `Date`:
 * its clock is not ours.
 */
export function retryAfter(headers: IncomingHttpHeaders): number | undefined {
  const wanted = headers['retry-after']?.trim();
  if (wanted === undefined) return undefined;
  if (/^\d+$/.test(wanted)) return Number(wanted) * 1000;
  // Date.parse takes much for a date: `1.5` is one of 2001.
  if (!/^[A-Z][a-z]{2,8},? /.test(wanted)) return undefined;
  const until = Date.parse(wanted) - Date.parse(headers.date ?? '');
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}

/** A host with several addresses fails with the errors of all. */
function codeOf(error: unknown): string | null {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : null;
}

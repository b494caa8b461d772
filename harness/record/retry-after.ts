import type { IncomingHttpHeaders } from 'node:http';

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

/** Times as texts. One without a zone would depend on the machine, and is none. */

const ZONED = /(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/;
/** ISO 8601, and the dates of HTTP (RFC 9110 5.6.7) with their names of months. */
const ISO_DAY = /^(\d{4})-(\d\d)-(\d\d)/;
const NAMED_DAY = /\b(\d{1,2})[ -]([A-Za-z]{3})[ -](\d{4})\b/;

export function isZoned(text: string): boolean {
  return ZONED.test(text.trim());
}

/** In ms since 1970; null for what is no time, as the 30th of February, which `Date.parse` takes for the 2nd of March. */
export function zonedTime(text: string): number | null {
  const trimmed = text.trim();
  if (!isZoned(trimmed) || !isDay(trimmed)) return null;
  const ms = Date.parse(trimmed);
  return Number.isNaN(ms) ? null : ms;
}

function isDay(text: string): boolean {
  const iso = ISO_DAY.exec(text);
  const named = iso === null ? NAMED_DAY.exec(text) : null;
  if (iso !== null) return Number(iso[3]) <= daysOf(Number(iso[1]), Number(iso[2]) - 1);
  if (named === null) return true;
  const month = new Date(Date.parse(`1 ${named[2] ?? ''} 2000 UTC`)).getUTCMonth();
  return Number(named[1]) <= daysOf(Number(named[3]), month);
}

/** `month` from 0. */
function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

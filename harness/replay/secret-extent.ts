/** Where a secret ends: a mask that leaves its tail has hidden nothing. For text of one character a byte. */

/** Backslashes of an escape: JSON within JSON doubles them, five times at the most. */
export const BACKSLASHES = String.raw`\\{1,31}`;

/** Backslashes, and what they make of a slash or a printable character that neither ends nor parts a value. */
export const ESCAPED = `${BACKSLASHES}/|${BACKSLASHES}u00(?:2[134589A-Fa-f]|3[0-9ABDFabdf]|[46][0-9A-Fa-f]|5[0-9ABDEFabdef]|7[0-9A-Ea-e])`;

/** Characters at a time: a regular expression that repeats a choice without bound runs out of stack. */
const STEP = 1000;

function tail(characters: string): RegExp {
  return new RegExp(`(?:${characters}){1,${STEP}}`, 'y');
}

/** What may follow on a token that has a form of its own. */
export const TOKEN_TAIL = tail('[A-Za-z0-9_-]');
/** What may follow on the beginning of a key that stands in no quotes. */
export const KEY_TAIL = tail(`[^\\x00-\\x20"'\\\\&#,;<>(){}\\[\\]\`\\x80-\\xff]|${ESCAPED}`);
/** `&name=` begins the next parameter of a URL. */
export const AMPERSAND = '&(?![A-Za-z_]{1,20}=)';
/** A password may have nearly all characters. */
export const PASSWORD_TAIL = tail(`[^\\x00-\\x20"'\\\\&<>\`]|${AMPERSAND}|${ESCAPED}`);
/** A PEM line's characters, and line ends as they are or escaped; a lone "-" stands in the headers of old keys. */
export const PEM_TAIL = tail(String.raw`[A-Za-z0-9+/=\s,:]|${BACKSLASHES}[nrt/]|-(?!-)`);

/** The index behind all that `regex` (sticky) matches from `from` on, in pieces. */
export function endOf(text: string, from: number, regex: RegExp): number {
  let at = from;
  regex.lastIndex = from;
  while (regex.test(text)) at = regex.lastIndex;
  return at;
}

/** A quoted value is no longer than that: else its quotes are taken for something else. */
const LONGEST_QUOTED = 8192;

/**
 * The index of the quote that closes a value, where it was opened by `quote`: as many backslashes as JSON within JSON has,
 * and the quote itself; one written as its code (`\\u0022`) by the same code. An end of the string around it ends it too.
 * Null where the line ends before.
 */
export function closingQuote(text: string, from: number, quote: string): number | null {
  const to = Math.min(text.length, from + LONGEST_QUOTED);
  if (/[0-9]$/.test(quote)) {
    const end = text.indexOf(quote, from);
    return end === -1 || end >= to ? null : end;
  }
  const level = quote.length - 1;
  let backslashes = 0;
  for (let at = from; at < to; at++) {
    const character = text[at]!;
    if (character < ' ') return null;
    if (character === quote[level]) {
      const isOuter = backslashes < level;
      if (isOuter || backslashes % (2 * (level + 1)) === level) return at - Math.min(backslashes, level);
    } else if (character === '"') return null;
    // An apostrophe of another line: "'KEY ok\n\nDon't".
    else if (backslashes > 0 && quote.endsWith("'") && (character === 'n' || character === 'r')) return null;
    backslashes = character === '\\' ? backslashes + 1 : 0;
  }
  return null;
}

/** A value without the escapes of JSON, as far as `ESCAPED` knows them: what is judged is the secret itself. */
export function unescaped(value: string): string {
  return value
    .replace(/\\+\//g, '/')
    .replace(/\\+u00([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

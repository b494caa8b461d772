/** The lines of CTL (ctl.md "Grammar"), without their LF, as latin1 (one UTF-16 unit a byte). */

export type CallLine = { readonly id: string; readonly name: string };

export type ArgLine =
  | { readonly form: 'length'; readonly key: string; readonly declared: number }
  | { readonly form: 'inline'; readonly key: string; readonly valueLength: number }
  | { readonly form: 'heredoc'; readonly key: string; readonly tag: string }
  | { readonly form: 'malformed' }
  | { readonly form: 'empty_value'; readonly key: string }
  | { readonly form: 'bad_tag'; readonly key: string };

const CALL_LINE = /^call ([\w.:-]{1,64}) ([\w.-]{1,64})$/;
const ARG_LINE = /^arg ([\w.-]{1,64}) (.*)$/s;
const HEREDOC = /^<<(?:(\w{1,32})|'(\w{1,32})'|"(\w{1,32})")$/;
const DIGITS = /^\d+$/;

export function readCallLine(line: string): CallLine | null {
  const match = CALL_LINE.exec(line);
  return match === null ? null : { id: match[1]!, name: match[2]! };
}

/** A line that begins with `arg `. A declared length of too many digits for a number is Infinity: over any limit. */
export function readArgLine(line: string): ArgLine {
  const match = ARG_LINE.exec(line);
  if (match === null) return { form: 'malformed' };
  const key = match[1]!;
  const value = match[2]!;
  if (value === '') return { form: 'empty_value', key };
  if (DIGITS.test(value)) return { form: 'length', key, declared: Number(value) };
  if (!value.startsWith('<<')) return { form: 'inline', key, valueLength: value.length };
  const tag = HEREDOC.exec(value);
  return tag === null ? { form: 'bad_tag', key } : { form: 'heredoc', key, tag: (tag[1] ?? tag[2] ?? tag[3])! };
}

/** The framing of a recording that has no manifest, by its content. It is shown as guessed (recordings.md). */

import type { Dialect } from '../parsers/protocols.ts';
import type { StreamEvent } from '../stream/event.ts';
import { FRAMINGS, type Framing } from './recording.ts';

const THINK_OPEN = '<think>';
const THINK_CLOSE = '</think>';
const XML_BLOCK = '<minimax:tool_call>';
const CALL_LINE = /^call [\w.:-]{1,64} [\w.-]{1,64}$/;
const HEREDOC_ARG = /^arg [\w.:-]{1,64} <</;
const LENGTH_ARG = /^arg [\w.:-]{1,64} [0-9]+$/;
const INLINE_ARG = /^arg [\w.:-]{1,64} ./;

/**
 * How calls of the dialects begin, anywhere in a line. `<tool_call>` alone says nothing: three dialects share it, and prose
 * quotes it: a name behind it is a call only with an argument or a line of its own. The lengths keep what must be seen behind an opener short.
 */
const DIALECT_CALLS: readonly (readonly [Dialect, RegExp])[] = [
  ['hermes', /<tool_call>[ \t\r\n]{0,8}\{/],
  ['qwen-xml', /<tool_call>[ \t\r\n]{0,8}<function=/],
  ['glm', /<tool_call>[\w.:-]{1,64}(?:[ \t\r\n]{0,8}<arg_key>|\n<\/tool_call>)/],
  ['deepseek', /<｜tool▁calls▁begin｜>/],
  ['kimi', /<\|tool_calls_section_begin\|>/],
  ['harmony', /<\|channel\|>/],
];

/**
 * - A tool delta, accepted or refused: `native`.
 * - Else what comes first decides: a call of a dialect, or a line that is a CTL call header or begins with the xml opener.
 *   CTL is `ctl` or `ctl-heredoc` by its first length-prefixed or heredoc argument; with inline values alone it is `ctl-heredoc`,
 *   since the `ctl` prompt asks for a length everywhere.
 * - Else `native`: JSON calls in text, or no calls at all.
 */
export function guessFraming(events: readonly StreamEvent[]): Framing {
  if (events.some((event) => event.type === 'tool-delta' || event.type === 'refused-delta')) return 'native';
  const text = afterThinking(textOf(events));
  const lines = text.split('\n');
  const first = lines.findIndex((line) => CALL_LINE.test(line) || line.startsWith(XML_BLOCK));
  const before = first === -1 ? text.length : lines.slice(0, first).reduce((sum, line) => sum + line.length + 1, 0);
  const dialect = firstDialect(text, before);
  if (dialect !== null) return dialect;
  if (first === -1) return 'native';
  return CALL_LINE.test(lines[first] ?? '') ? guessCtl(lines.slice(first)) : 'xml';
}

/**
 * The same for a file whose name may say what was asked for, `<task>.<framing>[.<n>].sse` (recordings.md). The content
 * decides between families; where it shows none (a refused call, prose alone), or only which of the two ctl modes the
 * first argument is in, the name does.
 */
export function guessFramingOf(file: string, events: readonly StreamEvent[]): Framing {
  const shown = guessFraming(events);
  const named = namedFraming(file);
  if (named === null || events.some((event) => event.type === 'tool-delta')) return shown;
  return shown === 'native' || (isCtl(shown) && isCtl(named)) ? named : shown;
}

function namedFraming(file: string): Framing | null {
  const [, word] = /\.([\w-]+)(?:\.[1-9]\d*)?\.sse$/.exec(file) ?? [];
  return FRAMINGS.find((framing) => framing === word) ?? null;
}

function isCtl(framing: Framing): boolean {
  return framing === 'ctl' || framing === 'ctl-heredoc';
}

/** The dialect whose call begins first, before index `end`. */
function firstDialect(text: string, end: number): Dialect | null {
  const starts = DIALECT_CALLS.map(([dialect, call]) => ({ dialect, at: text.search(call) }));
  const seen = starts.filter(({ at }) => at !== -1 && at < end).sort((a, b) => a.at - b.at);
  return seen[0]?.dialect ?? null;
}

function guessCtl(lines: readonly string[]): Framing {
  let inCall = false;
  let inline = false;
  for (const line of lines) {
    if (!inCall) inCall = CALL_LINE.test(line);
    else if (line === 'end') inCall = false;
    else if (HEREDOC_ARG.test(line)) return 'ctl-heredoc';
    else if (LENGTH_ARG.test(line)) return 'ctl';
    else if (INLINE_ARG.test(line)) inline = true;
  }
  return inline ? 'ctl-heredoc' : 'ctl';
}

function textOf(events: readonly StreamEvent[]): string {
  const parts = events.map((event) => (event.type === 'text' ? event.bytes : new Uint8Array()));
  return Buffer.concat(parts).toString('utf8');
}

function afterThinking(text: string): string {
  const start = text.trimStart();
  if (!start.startsWith(THINK_OPEN)) return text;
  const close = start.indexOf(THINK_CLOSE);
  return close === -1 ? '' : start.slice(close + THINK_CLOSE.length);
}

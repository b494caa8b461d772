/** The framing of a recording that has no manifest, by its content. It is shown as guessed (recordings.md). */
import type { StreamEvent } from '../stream/event.ts';
import type { Framing } from './recording.ts';

const THINK_OPEN = '<think>';
const THINK_CLOSE = '</think>';
const XML_BLOCK = '<minimax:tool_call>';
const CALL_LINE = /^call [\w.:-]{1,64} [\w.-]{1,64}$/;
const HEREDOC_ARG = /^arg [\w.:-]{1,64} <</;
const LENGTH_ARG = /^arg [\w.:-]{1,64} [0-9]+$/;
const INLINE_ARG = /^arg [\w.:-]{1,64} ./;

/**
 * - A tool delta, accepted or refused: `native`.
 * - Else the first line of the text that is a CTL call header or begins with the xml opener decides. CTL is `ctl` or
 *   `ctl-heredoc` by its first length-prefixed or heredoc argument; with inline values alone it is `ctl-heredoc`,
 *   since the `ctl` prompt asks for a length everywhere.
 * - Else `native`: JSON calls in text, or no calls at all.
 */
export function guessFraming(events: readonly StreamEvent[]): Framing {
  if (events.some((event) => event.type === 'tool-delta' || event.type === 'refused-delta')) return 'native';
  const lines = afterThinking(textOf(events)).split('\n');
  const first = lines.findIndex((line) => CALL_LINE.test(line) || line.startsWith(XML_BLOCK));
  if (first === -1) return 'native';
  return CALL_LINE.test(lines[first] ?? '') ? guessCtl(lines.slice(first)) : 'xml';
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

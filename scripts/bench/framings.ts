/** One value as the argument `content` of one call, in each framing, and how our parsers are fed with it. */
import { argumentsAsJson } from '../../harness/parsers/call.ts';
import { DEFAULT_OPTIONS, type ToolCallParser } from '../../harness/parsers/parser.ts';
import { PARSERS, type Protocol } from '../../harness/parsers/protocols.ts';
import type { StreamEvent } from '../../harness/stream/event.ts';

const PATH = 'src/a.ts';

interface CallArgumentsInJson {
  readonly path: string;
  readonly content: string;
}

export function writeFile(content: string): CallArgumentsInJson {
  return { path: PATH, content };
}

/** The message text, or the argument text of a native call. */
export function messageOf(protocol: Protocol, content: string): string {
  switch (protocol) {
    case 'ctl':
      return `call c1 write_file\narg path ${PATH}\narg content ${Buffer.byteLength(content)}\n${content}\nend\n`;
    case 'ctl-heredoc':
      return `call c1 write_file\narg path ${PATH}\narg content <<EOF_1\n${content}EOF_1\nend\n`;
    case 'xml':
      return [
        '<minimax:tool_call>\n<invoke name="write_file">',
        `<parameter name="path">${PATH}</parameter>`,
        `<parameter name="content">${content}</parameter>`,
        '</invoke>\n</minimax:tool_call>',
      ].join('\n');
    default:
      return JSON.stringify(writeFile(content));
  }
}

/** The message as one event, to be re-cut by the parser that takes it. */
export function eventOf(protocol: Protocol, content: string): MessageEvent {
  const bytes = Buffer.from(messageOf(protocol, content));
  return protocol === 'json-whole' || protocol === 'json-object'
    ? { type: 'tool-delta', at: 0, call: 0, id: 'c1', name: 'write_file', bytes }
    : { type: 'text', at: 0, bytes };
}

export type MessageEvent = Extract<StreamEvent, { readonly bytes: Uint8Array; readonly type: 'text' | 'tool-delta' }>;

/** A fresh parser, fed with the first `size` bytes of the event in pieces of `piece` bytes. */
export function fedParser(
  protocol: Protocol,
  event: MessageEvent,
  cut: { size: number; piece: number },
): ToolCallParser {
  const parser = PARSERS[protocol](DEFAULT_OPTIONS);
  loopOf(protocol, cut)(parser, event, cut.size);
  return parser;
}

type Loop = (parser: ToolCallParser, event: MessageEvent, size: number) => void;

/**
 * A loop for each protocol and piece, as in an application that speaks one (and as in the replay, which is written for
 * single bytes). Code that is shared by all would be compiled for all, and time the dispatch; only code that is evaluated
 * anew is compiled anew.
 */
const LOOPS = new Map<string, Loop>();

function loopOf(protocol: Protocol, { size, piece }: { size: number; piece: number }): Loop {
  const key = `${protocol} ${piece} ${size}`;
  const known = LOOPS.get(key);
  if (known !== undefined) return known;
  const end = piece === 1 ? 'from + 1' : `Math.min(size, from + ${piece})`;
  const body = `for (let from = 0; from < size; from += ${piece}) parser.push(event, from, ${end}); // ${key}`;
  const loop = new Function('parser', 'event', 'size', body) as Loop;
  LOOPS.set(key, loop);
  return loop;
}

/** The arguments of the only call, as strings. Throws if there is no call: then there is nothing to time. */
export function decodedArguments(parser: ToolCallParser): object {
  parser.end('complete');
  const call = parser.calls[0];
  if (call === undefined) throw new Error(`no call: ${JSON.stringify(parser.error)}`);
  return argumentsAsJson(call.args);
}

/** What only hermes, qwen-xml and glm do; every rule has a stream in recordings/crafted, and the rest is the conformance suite's. */
import { describe, expect, it } from 'vitest';
import { feed } from '../testing/feed.ts';
import { text } from '../testing/hand-made-events.ts';
import { argumentsAsJson } from './call.ts';
import { describeError } from './contract-error.ts';
import { DEFAULT_OPTIONS, type ToolCallParser } from './parser.ts';
import { type Dialect, PARSERS } from './protocols.ts';

/** Fed in pieces of three bytes. */
function read(protocol: Dialect, message: string, end: 'complete' | 'cut' = 'complete'): ToolCallParser {
  const parser = PARSERS[protocol](DEFAULT_OPTIONS);
  feed(parser, { events: [text(message)], end }, [3]);
  return parser;
}

function pendingAfter(protocol: Dialect, message: string): number {
  const parser = PARSERS[protocol](DEFAULT_OPTIONS);
  parser.push(text(message));
  return parser.pending;
}

const argsOf = ({ calls }: ToolCallParser) => calls.map(({ args }) => argumentsAsJson(args));

describe('a value that holds its own closing sequence', () => {
  it('runs shortened in qwen-xml and glm, where nothing escapes it', () => {
    const qwen =
      '<tool_call><function=t><parameter=k>a</parameter></function></tool_call>b</parameter></function></tool_call>';
    expect(argsOf(read('qwen-xml', qwen))).toEqual([{ k: 'a' }]);
    const glm = '<tool_call>t<arg_key>k</arg_key><arg_value>a</arg_value></tool_call>b</arg_value></tool_call>';
    expect(argsOf(read('glm', glm))).toEqual([{ k: 'a' }]);
  });

  it('loses the call in hermes, where a string that is cut is no JSON', () => {
    const parser = read('hermes', '<tool_call>{"name":"t","arguments":{"k":"a</tool_call>b"}}</tool_call>');
    expect([parser.calls, parser.error?.kind, parser.error?.offset]).toEqual([[], 'args_not_object', 42]);
  });
});

describe('pending', () => {
  it('is what may still become an opener, then the whole call, then nothing', () => {
    const opened = '<tool_call>{"name":"t","arguments":{';
    expect(pendingAfter('hermes', 'Hi <tool')).toBe(5);
    expect(pendingAfter('hermes', 'Hi <tool.')).toBe(0);
    expect(pendingAfter('hermes', `Hi ${opened}`)).toBe(opened.length);
    expect(pendingAfter('hermes', `Hi ${opened}}}</tool_call>`)).toBe(0);
  });

  it('begins anew behind a function of qwen-xml, which has run', () => {
    expect(pendingAfter('qwen-xml', 'Hi <tool_call><function=t></function>')).toBe(0);
    expect(pendingAfter('qwen-xml', 'Hi <tool_call><function=t></function>\n</tool')).toBe(7);
    expect(pendingAfter('qwen-xml', 'Hi <tool_call><function=t></function>\n</tool_call>')).toBe(0);
  });
});

describe('an unfinished call', () => {
  it('is told with its name, key and bytes in a cut', () => {
    const qwen = '<tool_call>\n<function=t>\n<parameter=k>\nab\n</par';
    expect(read('qwen-xml', qwen, 'cut').unfinished).toEqual({ name: 't', key: 'k', arrived: 2 });
    const glm = '<tool_call>t\n<arg_key>k</arg_key>\n<arg_value>ab\n</arg';
    expect(read('glm', glm, 'cut').unfinished).toEqual({ name: 't', key: 'k', arrived: 3 });
    expect(read('hermes', '<tool_call>{"name"', 'cut').unfinished).toEqual({ arrived: 7 });
    expect(read('glm', '<tool_call>t</tool_call>', 'cut').unfinished).toBeNull();
  });
});

describe('an error says what was wrong', () => {
  it.each<[Dialect, string, string]>([
    [
      'hermes',
      '<tool_call>{"name":"t"}</tool_call>',
      'the arguments of call call_0 are not exactly one JSON object: the member "arguments" is no object',
    ],
    ['hermes', '<tool_call>{}', 'the message ended inside call call_0, before </tool_call>'],
    ['qwen-xml', '<tool_call>', 'the message ended, before </tool_call>'],
    ['qwen-xml', '<tool_call><function=>', 'a call must begin with <function=NAME>, found ""'],
    ['glm', '<tool_call>\nt', 'a call must begin with <tool_call>NAME, found ""'],
    ['glm', '<tool_call>t x', 'only blanks and tags may stand here, found "x" of call call_0'],
  ])('%s %s', (protocol, message, sentence) => {
    const { error } = read(protocol, message);
    expect(error === null ? null : describeError(error)).toBe(sentence);
  });
});

/** Bytes that a continuation may begin with to hurt (properties.md "adversarial ones"). */
const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** In text: digits after a number, a second `end`, TAG look-alikes, further frames, closing sequences, an imagined result. */
export const ADVERSARIAL_TEXT: readonly Uint8Array[] = [
  '\n',
  '7',
  'end\n',
  'less\n',
  ' end\n',
  'end',
  'call c9 drawn\n',
  'call c9 drawn\nend\n',
  'arg k 3\nabc\n',
  'arg k <<E\n',
  'E\n',
  'EOF\n',
  ' EOF\n',
  'Result: ok\n',
  '<think>',
  '</think>',
  '</parameter>',
  '</invoke>\n</minimax:tool_call>',
  '\n<minimax:tool_call>\n<invoke name="drawn">\n</invoke>\n</minimax:tool_call>',
  '"}',
  '}',
  ']',
  ',{"name":"drawn","arguments":{}}',
  ',"x":1}',
  '\u00e9',
].map(bytes);

/** In arguments: more after a closed brace, another object, a repeated key, an open string. */
export const ADVERSARIAL_ARGUMENTS: readonly Uint8Array[] = [
  ',"x":1}',
  '}',
  '{}',
  '{"a":1}',
  ' ',
  '1',
  '"',
  '\\',
  ']',
  '"}',
  'null',
  '{"a":{"b":1,"b":2}}',
].map(bytes);

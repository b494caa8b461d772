/**
 * What the model is told of its protocol. The pages of the framings are those under which the recordings came about
 * (`recordings/replies/prompts`, compared by a test); they are texts here, since the package ships without recordings.
 */

/** `recordings/replies/prompts/ctl.md` */
export const CTL_PAGE = `Write tool calls as CTL frames, directly in your message, each line starting in column one:

call <id> <name>
arg <key> <nbytes>
<exactly nbytes bytes of value>
end

- <id> is a short identifier that you choose, unique in the message (c1, c2, ...).
- <nbytes> is the exact length of the value in bytes (UTF-8), newlines included. The value is raw: no quoting, no escaping.
- After the value comes a newline, then the next \`arg\` line or \`end\`. That newline is not part of the value and is not counted.
- Give EVERY argument in this length-prefixed form, short ones too.
- The call is carried out as soon as \`end\` has been read. After your last call, stop: no text, no results.
`;

/** `recordings/replies/prompts/ctl-heredoc.md` */
export const CTL_HEREDOC_PAGE = `Write tool calls as CTL frames, directly in your message, each line starting in column one:

call <id> <name>
arg <key> <value to the end of the line>
arg <key> <<TAG
<any number of lines>
TAG
end

- <id> is a short identifier that you choose, unique in the message (c1, c2, ...).
- A one-line value that is not all digits may stand on the \`arg\` line itself.
- Any other value is written as lines between \`<<TAG\` and a line that holds TAG alone. TAG is 1 to 32 of A-Z a-z 0-9 _; choose one that is no line of the value. Nothing is quoted or escaped. The value ends with a newline.
- The call is carried out as soon as \`end\` has been read. After your last call, stop: no text, no results.
`;

/** `recordings/replies/prompts/xml.md` */
export const XML_PAGE = `Write tool calls in this XML form, directly in your message:

<minimax:tool_call>
<invoke name="tool_name">
<parameter name="key">value</parameter>
</invoke>
</minimax:tool_call>

- One <minimax:tool_call> block holds all calls of the message, one <invoke> each.
- Values are written as they are: nothing is escaped.
- The calls are carried out when your message ends. After the block, stop: no text, no results.
`;

/** How results come back to a text protocol (ctl.md "Result frames"). */
export const FRAMES_PAGE = `The results come in the next message, one frame for each call, in the order of the calls:

result <id> exit=<code> <nbytes>
<nbytes bytes of output>
end

- exit=0 is success. You never write such frames.
- When the task is done, answer with text alone.
`;

/** What is said of ids where the framing has none of its own. */
export const XML_IDS_PAGE = 'The first call of a message has the id call_0, the next one call_1, and so on.\n';

/** How results come back to a native protocol. */
export const TOOL_MESSAGES_PAGE = `The result of a call begins with a line \`exit=<code>\`; exit=0 is success. When the task is done, answer with text alone.
`;

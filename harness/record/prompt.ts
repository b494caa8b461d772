/** What a model is told of tools and protocol, where no system message was given. */
import { CTL_HEREDOC_PAGE, CTL_PAGE, XML_PAGE } from '../agent/prompts.ts';
import { nativeTools, toolsPrompt } from '../agent/tools/registry.ts';
import type { JsonObject } from '../parsers/parser.ts';
import type { Framing } from '../replay/recording.ts';
import { isFields } from '../stream/json-fields.ts';
import type { RecordTask } from './task-file.ts';

const PAGES: { readonly [F in Framing]?: string } = { ctl: CTL_PAGE, 'ctl-heredoc': CTL_HEREDOC_PAGE, xml: XML_PAGE };

/** Whether a prompt for the framing is known here; `native` needs none. */
export function hasPrompt(framing: Framing): boolean {
  return framing === 'native' || PAGES[framing] !== undefined;
}

/**
 * The messages of a request.
 * - `system`: it is the system message, and nothing is added to it.
 * - Else the system message of the task, or the prompt of its tools; a text framing has its page after it.
 */
export function messagesOf(task: RecordTask, framing: Framing, system: string | undefined): readonly JsonObject[] {
  const [first] = task.messages;
  const own = first !== undefined && hasSystemMessage(task) ? first : null;
  const rest = own === null ? task.messages : task.messages.slice(1);
  if (system !== undefined) return [{ role: 'system', content: system }, ...rest];
  const page = PAGES[framing];
  const before = own === null ? describeTools(task) : String(own['content']);
  const content = page === undefined ? before : `${before.trimEnd()}\n\n${page}`;
  return [{ ...(own ?? { role: 'system' }), content }, ...rest];
}

export function hasSystemMessage({ messages }: RecordTask): boolean {
  const role = messages[0]?.['role'];
  return role === 'system' || role === 'developer';
}

/** `tools` of a native request, in OpenAI's form. */
export function toolsOf({ tools }: RecordTask): readonly JsonObject[] {
  return (tools ?? nativeTools().map((tool) => ({ ...tool }))).map(openAiTool);
}

/** Anthropic's form of a tool (its "Tool use" reference): schema in `input_schema`. */
export function anthropicTool(tool: JsonObject): JsonObject {
  const { function: inner } = openAiTool(tool);
  if (!isFields(inner)) return tool;
  const { name, description, parameters } = inner;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    input_schema: parameters ?? { type: 'object' },
  };
}

function openAiTool(tool: JsonObject): JsonObject {
  if (isFields(tool['function']) || tool['input_schema'] === undefined) return tool;
  const { name, description, input_schema: parameters } = tool;
  const inner = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
  };
  return { type: 'function', function: inner };
}

/** The agent's own words for its own tools, so that recordings and runs compare. */
function describeTools(task: RecordTask): string {
  if (task.tools === undefined) return toolsPrompt();
  const lines = toolsOf(task).map(({ function: inner }) => {
    const { name, description, parameters } = isFields(inner) ? inner : {};
    const properties = isFields(parameters) && isFields(parameters['properties']) ? parameters['properties'] : {};
    const said = typeof description === 'string' ? `: ${description}` : '';
    return `- ${String(name)}(${Object.keys(properties).join(', ')})${said}\n`;
  });
  return `You act only through these tools:\n\n${lines.join('')}`;
}

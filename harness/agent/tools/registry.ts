/** The tools that there are, and how a model is told of them. */
import * as z from 'zod';
import type { Tool } from '../tool.ts';
import { applyPatch } from './apply-patch.ts';
import { listDir } from './list-dir.ts';
import { readFile } from './read-file.ts';
import { shell } from './shell.ts';
import { writeFile } from './write-file.ts';

/** In the order in which a model is told of them. */
export const TOOLS: readonly Tool[] = [listDir, readFile, writeFile, applyPatch, shell];

export function findTool(name: string, tools: readonly Tool[] = TOOLS): Tool | null {
  return tools.find((tool) => tool.name === name) ?? null;
}

/** One element of `tools[]` in a chat request. */
export interface NativeTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object };
}

/**
 * `tools[]` for the native protocols. It says no more than {@link toolsPrompt} does: runs of different protocols are
 * compared, so no model may know its tools better than another.
 */
export function nativeTools(tools: readonly Tool[] = TOOLS): readonly NativeTool[] {
  return tools.map(({ name, description, schema }) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(schema);
    return { type: 'function', function: { name, description, parameters } };
  });
}

/** The system prompt's part on tools: `recordings/replies/prompts/tools.md`, byte for byte. */
export function toolsPrompt(tools: readonly Tool[] = TOOLS): string {
  const list = tools.map((tool) => `- ${tool.name}(${argumentNames(tool).join(', ')}): ${tool.description}\n`);
  return `${BEFORE_LIST}\n\n${list.join('')}\n${AFTER_LIST}\n`;
}

const BEFORE_LIST = 'You are a coding agent working in a project folder. You act only through these tools:';
const AFTER_LIST =
  'Several calls in one message are carried out in order. After your message you receive one result per call; you never write results yourself.';

function argumentNames({ schema }: Tool): string[] {
  return Object.keys(z.toJSONSchema(schema).properties ?? {});
}

/** `--tools FILE`: the tools whose schemas type the values of `xml` calls. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import type { ToolSchema } from '../parsers/xml-values.ts';
import { InputError } from './run-command.ts';

const tool = z.object({ name: z.string().min(1), parameters: z.record(z.string(), z.unknown()).default({}) });
const openAiTool = z.object({ function: tool }).transform((wrapped) => wrapped.function);
const tools = z.array(z.union([openAiTool, tool]));
const file = z.union([tools, z.object({ tools }).transform((wrapped) => wrapped.tools)]);

/** An array of `{name, parameters}` or of OpenAI `tools`, bare or as the member `tools`. */
export async function readTools(path: string): Promise<readonly ToolSchema[]> {
  const text = await readFile(path, 'utf8');
  const result = file.safeParse(parsed(text, path));
  if (result.success) return result.data;
  throw new InputError(
    `${path}: is no list of tools: wanted is [{"name": …, "parameters": JSON Schema}] or OpenAI tools`,
  );
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${path}: is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

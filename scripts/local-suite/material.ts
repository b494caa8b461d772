/** Tasks, examples and grammar of the suite `local`, as they stand beside this file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Material } from './task-files.ts';

const words = z.string().min(1);
const tasks = z.array(z.strictObject({ task: words, tool: words, user: words }));
const call = z.strictObject({ name: words, args: z.record(z.string(), z.string()) });
const shots = z.array(z.strictObject({ user: words, calls: z.array(call).min(1) }));

/** Throws if a file is not what it should be. */
export async function readMaterial(): Promise<Material> {
  const [tasksText, shotsText, grammar] = await Promise.all(['tasks.json', 'shots.json', 'ctl.gbnf'].map(ownFile));
  return {
    tasks: tasks.parse(JSON.parse(tasksText ?? '')),
    shots: shots.parse(JSON.parse(shotsText ?? '')),
    grammar: grammar ?? '',
  };
}

function ownFile(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, name), 'utf8');
}

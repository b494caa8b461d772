/** Runs `cst` in this process: what it wrote, and its exit code. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCst } from './program.ts';

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function cst(argv: readonly string[], input: string | Uint8Array = '', columns = 100): Promise<Answer> {
  let out = '';
  let err = '';
  const code = await runCst(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    input: pieces(Buffer.from(input)),
    columns,
    colour: false,
  });
  return { code, out, err };
}

/** A folder for the files of one test file. */
export class TestFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'cst-'));

  /** Writes a file and returns its path. */
  file(name: string, content: string | Uint8Array): string {
    const path = join(this.path, name);
    writeFileSync(path, content);
    return path;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** An OpenAI-chat stream of one text, and how it ends. */
export function textStream(text: string, reason: string | null = 'stop'): string {
  return `${chunk({ content: text }, null)}${reason === null ? '' : `${chunk({}, reason)}data: [DONE]\n\n`}`;
}

export function chunk(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

export function toolDelta(index: number, fields: { id?: string; name?: string; arguments: string }): object {
  const { id, ...rest } = fields;
  return { tool_calls: [{ index, ...(id === undefined ? {} : { id }), function: rest }] };
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 7) yield bytes.subarray(from, from + 7);
}

/** A project folder for the tests of the tools, and a context in it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DEFAULT_OUTPUT_CAP } from '../result-frame.ts';
import type { ToolContext, ToolOutcome } from '../tool.ts';

export class TestProject {
  /** Holds the project folder, and what lies outside of it. */
  readonly around = realpathSync(mkdtempSync(join(tmpdir(), 'cst-tools-')));
  readonly root = join(this.around, 'project');
  private readonly controller = new AbortController();
  readonly context: ToolContext = {
    root: this.root,
    signal: this.controller.signal,
    timeLimit: 30_000,
    outputCap: DEFAULT_OUTPUT_CAP,
    environment: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' },
  };

  constructor() {
    mkdirSync(this.root);
  }

  path(name: string): string {
    return join(this.root, name);
  }

  file(name: string, content: string | Uint8Array): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  fifo(name: string): void {
    execFileSync('/usr/bin/env', ['mkfifo', this.path(name)]);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  remove(): void {
    rmSync(this.around, { recursive: true, force: true });
  }
}

/** An outcome as exit code and text. */
export function told({ exit, output }: ToolOutcome): [exit: number, text: string] {
  return [exit, Buffer.from(output).toString('utf8')];
}

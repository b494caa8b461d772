/** What was found, as it is stored: JSON Lines, first the runs, then each stream on which something is to be told. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Feed, Pair } from './pairs.ts';
import type { ServerRow } from './run.ts';

export interface Findings {
  readonly runs: readonly (Pair & { readonly feed: Feed; readonly streams: number })[];
  readonly rows: readonly ServerRow[];
}

export function writeFindings(file: string, { runs, rows }: Findings): void {
  const lines = [...runs.map((run) => ({ type: 'run', ...run })), ...rows.map((row) => ({ type: 'finding', ...row }))];
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

export function readFindings(file: string): Findings {
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  return {
    runs: lines.filter((line) => line.type === 'run'),
    rows: lines.filter((line) => line.type === 'finding'),
  };
}

type Line = ({ readonly type: 'run' } & Findings['runs'][number]) | ({ readonly type: 'finding' } & ServerRow);

/** The tables of docs/server-parsers.md, in Markdown. */
import type { Findings } from './findings.ts';
import { KINDS, kindOf, WHOSE } from './kinds.ts';
import type { ServerRow } from './run.ts';

export function tables(findings: Findings): string {
  return `${runTable(findings)}\n\n${kindTable(findings.rows)}`;
}

const RUN_HEAD = [
  'server',
  'parser',
  'dialect',
  'fed by',
  'streams',
  'as ours',
  'S1',
  'S2',
  'S3',
  'split',
  'continuation',
  'lost',
  'lost, cut',
  'besides',
  'otherwise',
  'broken',
];

function runTable({ runs, rows }: Findings): string {
  const lines = runs.map(({ server, parser, dialect, feed, streams }) => {
    const own = rows.filter((row) => row.server === server && row.parser === parser && row.feed === feed);
    const violating = (property: string): number => own.filter(({ violated }) => violated.includes(property)).length;
    const properties = ['S1', 'S2', 'S3', 'split', 'continuation'].map(violating);
    const lost = (end: string): number => sum(own, (row) => (row.end === end ? row.lost : 0));
    const calls = [lost('complete'), lost('cut'), sum(own, (row) => row.extra), sum(own, (row) => row.other)];
    const broken = sum(own, (row) => row.broken);
    const others = own.filter((row) => row.broken > 0 || row.violated.some((property) => property !== 'continuation'));
    return [server, `\`${parser}\``, dialect, feed, streams, streams - others.length, ...properties, ...calls, broken];
  });
  return table(RUN_HEAD, lines);
}

function kindTable(rows: readonly ServerRow[]): string {
  const lines = KINDS.flatMap((kind) => {
    const own = rows.filter((row) => kindOf(row) === kind);
    const smallest = [...own].sort((a, b) => a.contentBytes - b.contentBytes || (a.file < b.file ? -1 : 1))[0];
    if (smallest === undefined) return [];
    const where = [...new Set(own.map(({ server, parser }) => `${server} \`${parser}\``))].join(', ');
    const at = `\`${smallest.file}\` (${smallest.server} \`${smallest.parser}\`, ${smallest.feed})`;
    return [[WHOSE[kind.whose], kind.what, where, own.length, at]];
  });
  return table(['whose', 'what', 'where', 'findings', 'smallest'], lines);
}

function sum(rows: readonly ServerRow[], of: (row: ServerRow) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = rows.map((cells) => cells.map((cell) => String(cell).replaceAll('|', '\\|')));
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

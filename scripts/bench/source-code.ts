/** Text like what models write into `content` arguments: TypeScript source, 0.6 % of its characters beyond ASCII. */
import { type Draw, seededDraw } from '../../harness/replay/seeded.ts';

const NAMES = [
  'buffer',
  'offset',
  'parser',
  'chunk',
  'result',
  'index',
  'frontier',
  'token',
  'limit',
  'entry',
] as const;
const TYPES = ['number', 'string', 'Uint8Array', 'readonly string[]', 'Map<string, number>'] as const;
const REMARKS = [
  'größter Wert – siehe oben',
  'naïve, but fast enough',
  'le découpage n’est pas garanti',
  '入力は UTF-8 です',
  'done ✓ (see 😀)',
] as const;
/** One line in so many carries a remark with characters beyond ASCII. */
const REMARK_EVERY = 14;

type Line = (pick: (words: readonly string[]) => string, draw: Draw) => string;

const LINES: readonly Line[] = [
  (pick) => `export function ${pick(NAMES)}Of(${pick(NAMES)}: ${pick(TYPES)}): ${pick(TYPES)} {`,
  (pick, draw) => `  const ${pick(NAMES)} = ${pick(NAMES)}.slice(${draw(100)}, ${draw(4096)});`,
  (pick, draw) => `  if (${pick(NAMES)} < ${draw(65_536)} && !${pick(NAMES)}.has("${pick(NAMES)}")) {`,
  (pick) => `    throw new RangeError(\`no ${pick(NAMES)} at \${${pick(NAMES)}}\`);`,
  () => '  }',
  (pick) => `  return ${pick(NAMES)} ?? '${pick(NAMES)}';`,
  () => '}',
  () => '',
  (pick) => `import { ${pick(NAMES)} } from './${pick(NAMES)}.ts';`,
  (pick) => `/** The ${pick(NAMES)} of each ${pick(NAMES)}, in the order in which they arrive. */`,
  (pick, draw) =>
    `  ${pick(NAMES)}.set('${pick(NAMES)}\\n', ${pick(NAMES)}[${draw(16)}] | 0x${draw(256).toString(16)});`,
];

/** Exactly `size` bytes of UTF-8, the last of them LF. The same size gives the same text. */
export function sourceCode(size: number): string {
  const draw = seededDraw('bench source code');
  const pick = (words: readonly string[]): string => words[draw(words.length)]!;
  const lines: string[] = [];
  let bytes = 0;
  while (bytes < size) {
    const line = LINES[draw(LINES.length)]!(pick, draw);
    const remark = draw(REMARK_EVERY) === 0 ? ` // ${pick(REMARKS)}` : '';
    lines.push(line + remark);
    bytes += Buffer.byteLength(line + remark) + 1;
  }
  const whole = Buffer.from(`${lines.join('\n')}\n`);
  let end = Math.max(0, size - 1);
  while (end > 0 && (whole[end]! & 0xc0) === 0x80) end--;
  return `${whole.toString('utf8', 0, end)}${' '.repeat(Math.max(0, size - 1 - end))}\n`;
}

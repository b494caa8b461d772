/** The size sweep: one `write_file` call whose content is from 16 bytes to 1 MiB, for pending against size. */
import type { MeantCall } from './frames.ts';
import { type Draw, seededDraw } from './seeded.ts';

const SMALLEST = 16;
const LARGEST = 1024 * 1024;

/** Bytes of content: powers of two, 16 … 1,048,576. */
export const SWEEP_SIZES: readonly number[] = Array.from(
  { length: Math.log2(LARGEST / SMALLEST) + 1 },
  (_, at) => SMALLEST * 2 ** at,
);

const LONGEST_LINE = 96;
const WORDS = [
  'const',
  'index',
  'return',
  'value',
  'items',
  'while',
  'buffer',
  '(state)',
  '=>',
  '+=',
  '{',
  '};',
  '"ok",',
];
const FOREIGN = ['é', 'ü', '那', '—', '😀'];
/** One word in so many is not ASCII: about 1 % of the characters. */
const FOREIGN_EVERY = 18;

/** A call whose content is exactly `size` bytes, source-like lines of at most 96 bytes, the last one with its LF. */
export function sweepCall(size: number): MeantCall {
  return {
    id: 'c1',
    name: 'write_file',
    args: [
      ['path', 'src/sweep.ts'],
      ['content', sourceText(size)],
    ],
  };
}

function sourceText(size: number): string {
  const draw = seededDraw('sweep');
  const lines: string[] = [];
  let left = size;
  while (left > LONGEST_LINE) {
    const line = sourceLine(draw);
    lines.push(line);
    left -= Buffer.byteLength(line);
  }
  return `${lines.join('')}${'x'.repeat(Math.max(0, left - 1))}\n`;
}

/** A line with its LF, at most 96 bytes. */
function sourceLine(draw: Draw): string {
  let line = ' '.repeat(2 * draw(4));
  const length = 20 + draw(LONGEST_LINE - 40);
  while (Buffer.byteLength(line) < length) {
    const words = draw(FOREIGN_EVERY) === 0 ? FOREIGN : WORDS;
    line += `${words[draw(words.length)]} `;
  }
  return `${line.trimEnd()}\n`;
}

/**
 * `npm run bench`: measures, and writes docs/bench.md.
 *
 * `--quick` is a smoke run that prints the page and writes nothing; `--strict` exits with 1 if a target is missed.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FULL_PLAN, measure, QUICK_PLAN } from './measure.ts';
import { benchPage } from './page.ts';
import { judge } from './targets.ts';

const PAGE = new URL('../../docs/bench.md', import.meta.url);

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, strict: { type: 'boolean', default: false } },
});

const started = performance.now();
const measurements = await measure(values.quick ? QUICK_PLAN : FULL_PLAN, (what) => {
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${what}\n`);
});
const page = benchPage(measurements);
if (values.quick) {
  process.stdout.write(page);
} else {
  await writeFile(PAGE, page);
  process.stderr.write(`written: ${fileURLToPath(PAGE)}\n`);
}

const missed = judge(measurements).filter((judgement) => !judgement.met);
for (const { what, bytes, measured, target } of missed) {
  const at = bytes === null ? '' : ` at ${bytes / 1000} KB`;
  process.stderr.write(`missed: ${what}${at}: ${measured.toFixed(2)}, target ${target}\n`);
}
if (values.strict && missed.length > 0) process.exitCode = 1;

// Which calls did this answer make executable, and was each of them safe at every prefix?
import { readFile } from 'node:fs/promises';
import { argumentsAsJson, checkRecording, describeError, parseStream } from 'cst-eval';

const [file, protocol = 'json-object'] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node parse-and-check.mjs FILE [PROTOCOL]');
  process.exit(2);
}
const bytes = await readFile(file);

const { calls, error, incomplete, end } = parseStream(bytes, { protocol });
console.log(`${end} stream, ${calls.length} executable`);
for (const { name, args, end: at } of calls) console.log(`  ${name} at byte ${at}:`, argumentsAsJson(args));
if (error !== null) console.log(`  ${error.kind}: ${describeError(error)}`);
if (incomplete !== null) console.log('  cut off:', incomplete);

const { violations, report } = checkRecording(bytes, { protocol });
console.log(`${report.levels[0].prefixes} prefixes, ${violations.length} violations`);
for (const { level, verdict } of violations) {
  const { property, first } = verdict;
  console.log(`  ${property} (${level ?? 'whole'}), first at prefix ${first.prefix}: ${first.what}`);
}

/** `npx tsx scripts/local-suite/write-task-files.ts DIR`: the task files of the suite `local`, `<way>.jsonl` in DIR. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMaterial } from './material.ts';
import { taskFile, WAYS } from './task-files.ts';

const [dir, ...rest] = process.argv.slice(2);
if (dir === undefined || rest.length > 0) {
  process.stderr.write('usage: npx tsx scripts/local-suite/write-task-files.ts DIR\n');
  process.exitCode = 2;
} else {
  const material = await readMaterial();
  await mkdir(dir, { recursive: true });
  for (const way of WAYS) await writeFile(join(dir, `${way}.jsonl`), taskFile(way, material));
}

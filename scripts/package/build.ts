/**
 * `npm run build [-- --out DIR]`: makes the package, `cst-eval-<version>.tgz`. The same sources give the same bytes.
 *
 * --out DIR  where the tarball goes (the package's own folder)
 *
 * Exit codes: 0 built, 1 the sources do not type-check, 2 wrong option.
 */
import { relative, resolve } from 'node:path';
import { EXIT } from '../../harness/cli/exit-code.ts';
import { runCommand } from '../../harness/cli/run-command.ts';
import { readOptions } from './options.ts';
import { buildPackage, ROOT } from './pack.ts';
import { StepError } from './steps.ts';

async function main(): Promise<number> {
  const { out } = readOptions('npm run build --', { out: { type: 'string' } });
  try {
    const packed = await buildPackage(out === undefined ? ROOT : resolve(process.env['INIT_CWD'] ?? '.', out));
    for (const file of packed.files) process.stdout.write(`  ${file}\n`);
    const where = relative(process.cwd(), packed.path);
    process.stdout.write(`${where}: ${packed.files.length} files, ${packed.size} bytes, sha256 ${packed.sha256}\n`);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT.violations;
  }
}

await runCommand(main);

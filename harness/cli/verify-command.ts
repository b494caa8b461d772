/** `cst verify`: are the recordings what their manifests say? */
import { stat } from 'node:fs/promises';
import type { Argv } from 'yargs';
import { verifySuites } from '../replay/load.ts';
import { MANIFEST_FILE } from '../replay/manifest.ts';
import { findSuites } from '../replay/suite-folder.ts';
import type { Choose } from './command.ts';
import { EXIT } from './exit-code.ts';
import { plural, visible } from './glyphs.ts';
import { CHECK_EXIT_CODES } from './options.ts';
import { InputError } from './run-command.ts';
import type { Terminal } from './terminal.ts';

export function addVerify(program: Argv, choose: Choose): Argv {
  return program.command(
    'verify [dir]',
    'Do recordings and manifests agree?',
    (command) =>
      command
        .usage(
          '$0 verify [DIR]\n\nReads every recording below a folder and compares size and hash with its manifest; lists all that is wrong.',
        )
        .positional('dir', { type: 'string', default: 'recordings', describe: 'Folder of suites, or a suite' })
        .example('$0 verify', 'The folder recordings')
        .example('$0 verify my/recordings', 'Another')
        .epilogue(CHECK_EXIT_CODES),
    ({ dir }) => choose((terminal) => runVerify(dir, terminal)),
  );
}

async function runVerify(dir: string, terminal: Terminal): Promise<number> {
  if (!(await stat(dir)).isDirectory()) throw new InputError(`${dir}: is a file, a folder is wanted`);
  if (!(await findSuites(dir)).some((suite) => suite.hasManifest)) {
    throw new InputError(`${dir}: there is no ${MANIFEST_FILE} here, so nothing to compare with`);
  }
  const { recordings, problems } = await verifySuites(dir);
  for (const problem of problems) terminal.err(`${visible(problem.message)}\n`);
  if (problems.length === 0) {
    terminal.out(`${visible(dir)}: ${plural(recordings, 'recording')}, all as their manifests say\n`);
    return EXIT.ok;
  }
  terminal.out(`${visible(dir)}: ${plural(recordings, 'recording')} read, ${plural(problems.length, 'problem')}\n`);
  // What is said of the folder itself is no difference between a manifest and its files.
  return problems.every(({ file }) => file === dir) ? EXIT.unreadable : EXIT.violations;
}

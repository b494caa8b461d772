/** The command lines of these scripts: few options, and a mistake is one sentence. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../../harness/cli/run-command.ts';

type Options = { readonly [name: string]: { readonly type: 'string' } };

/** The values of the options that were given. @param command how the user calls the script. */
export function readOptions<O extends Options>(
  command: string,
  options: O,
): { readonly [Name in keyof O]: string | undefined } {
  try {
    const config: ParseArgsConfig = { options, allowPositionals: false, strict: true };
    return parseArgs(config).values as { readonly [Name in keyof O]: string | undefined };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const known = Object.keys(options).map((name) => `--${name} ${name.toUpperCase()}`);
    throw new UsageError(`${error.message.split('\n')[0]}; ${command} takes ${known.join(', ')}`);
  }
}

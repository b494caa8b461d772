/** Options of the commands that write a suite. */
import { isSuiteName } from '../replay/suite-writer.ts';
import { optionalText } from './options.ts';
import { UsageError } from './run-command.ts';

export const SUITE_OPTIONS = {
  out: { type: 'string', describe: 'Folder of suites', requiresArg: true },
  suite: {
    type: 'string',
    describe: 'Name of the suite, a folder in --out; if it is there, it is continued',
    requiresArg: true,
  },
  about: { type: 'string', describe: 'A sentence for the manifest of a new suite', requiresArg: true },
} as const;

export interface SuitePlace {
  readonly out: string;
  readonly suite: string;
  readonly about: string;
}

/** @param about of a new suite, if the user says nothing */
export function readSuitePlace(args: { readonly [option: string]: unknown }, about: string): SuitePlace {
  const suite = requiredText(args, 'suite');
  if (!isSuiteName(suite)) {
    throw new UsageError(`--suite takes letters, digits, ".", "_" and "-", not ${JSON.stringify(suite)}`);
  }
  return { out: requiredText(args, 'out'), suite, about: optionalText('--about', args['about']) ?? about };
}

/** The text of an option that must be given. */
export function requiredText(args: { readonly [option: string]: unknown }, name: string): string {
  const text = optionalText(`--${name}`, args[name]);
  if (text === undefined) throw new UsageError(`--${name} is missing`);
  return text;
}

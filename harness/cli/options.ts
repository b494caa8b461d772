/** Options that several commands share, and how their values are read. A wrong value is a `UsageError`. */
import { DEFAULT_OPTIONS } from '../parsers/parser.ts';
import { PROTOCOLS, type Protocol } from '../parsers/protocols.ts';
import type { Limits } from '../replay/limits.ts';
import { UsageError } from './run-command.ts';

export const SMALLEST_LINE_LIMIT = 16;

export const EXIT_CODES = 'Exit codes: 0 answered, 2 wrong option or value, 3 input that cannot be read.';
export const CHECK_EXIT_CODES =
  'Exit codes: 0 everything holds, 1 violations or differences, 2 wrong option or value, 3 input that cannot be read.';

const ALIASES: { readonly [name: string]: Protocol } = { 'native-eos': 'json-whole', 'native-inc': 'json-object' };

/** @param auto what `auto` means to the command. */
export function protocolOption(auto: string) {
  const names = `${PROTOCOLS.join(', ')} (also native-eos, native-inc)`;
  return { type: 'string', default: 'auto', describe: `${names}, or auto: ${auto}` } as const;
}

/** The canonical protocol, or `auto`. */
export function readProtocol(value: unknown): Protocol | 'auto' {
  const name = single('--protocol', value);
  const known =
    PROTOCOLS.find((protocol) => protocol === name) ?? (Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined);
  if (known !== undefined) return known;
  if (name === 'auto') return name;
  const names = [...PROTOCOLS, ...Object.keys(ALIASES), 'auto'].join(', ');
  throw new UsageError(`--protocol ${name} is unknown; known are ${names}`);
}

/** One of `allowed`. */
export function oneOf<T extends string>(option: string, value: unknown, allowed: readonly T[]): T {
  const text = single(option, value);
  const found = allowed.find((name) => name === text);
  if (found === undefined) throw new UsageError(`${option} takes ${allowed.join(', ')}, not ${text}`);
  return found;
}

/** A whole number from `least` on; undefined if the option was not given. */
export function wholeNumber(option: string, value: unknown, least: number): number | undefined {
  if (value === undefined) return undefined;
  const text = single(option, value);
  const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new UsageError(`${option} takes a whole number from ${least}, not ${JSON.stringify(text)}`);
}

/** The text of an option that may be absent. */
export function optionalText(option: string, value: unknown): string | undefined {
  return value === undefined ? undefined : single(option, value);
}

/** An option that was given twice is refused: yargs would make a list of it. */
function single(option: string, value: unknown): string {
  if (Array.isArray(value)) throw new UsageError(`${option} was given twice`);
  const text = String(value);
  if (text === '') throw new UsageError(`${option} wants a value`);
  return text;
}

/** Limits of parser and SSE decoder, with their flags. */
export const LIMIT_OPTIONS = {
  'l-line': { type: 'string', describe: 'L_line and so K, in bytes', defaultDescription: '4096' },
  'max-arg': {
    type: 'string',
    describe: 'CTL_MAX_ARG: longest raw value, in bytes (JSON has none)',
    defaultDescription: '1 MiB',
  },
  'max-args': { type: 'string', describe: 'Most arguments in a call', defaultDescription: '64' },
  'max-calls': { type: 'string', describe: 'Most calls in a message', defaultDescription: '256' },
  'event-limit': { type: 'string', describe: 'Longest SSE event, in bytes', defaultDescription: '16 MiB' },
} as const;

export function readLimits(args: { readonly [option: string]: unknown }): Limits {
  const eventLimit = wholeNumber('--event-limit', args['event-limit'], 1);
  return {
    parser: {
      lineLimit: wholeNumber('--l-line', args['l-line'], SMALLEST_LINE_LIMIT) ?? DEFAULT_OPTIONS.lineLimit,
      argumentLimit: wholeNumber('--max-arg', args['max-arg'], 1) ?? DEFAULT_OPTIONS.argumentLimit,
      argumentsPerCall: wholeNumber('--max-args', args['max-args'], 1) ?? DEFAULT_OPTIONS.argumentsPerCall,
      callsPerMessage: wholeNumber('--max-calls', args['max-calls'], 1) ?? DEFAULT_OPTIONS.callsPerMessage,
    },
    ...(eventLimit === undefined ? {} : { eventLimit }),
  };
}

/** The flags that give these limits again: those that are not the defaults. */
export function limitFlags({ parser, eventLimit }: Limits): readonly string[] {
  const flags: [string, number | undefined, number | undefined][] = [
    ['--l-line', parser.lineLimit, DEFAULT_OPTIONS.lineLimit],
    ['--max-arg', parser.argumentLimit, DEFAULT_OPTIONS.argumentLimit],
    ['--max-args', parser.argumentsPerCall, DEFAULT_OPTIONS.argumentsPerCall],
    ['--max-calls', parser.callsPerMessage, DEFAULT_OPTIONS.callsPerMessage],
    ['--event-limit', eventLimit, undefined],
  ];
  return flags.flatMap(([flag, value, usual]) => (value === undefined || value === usual ? [] : [flag, String(value)]));
}

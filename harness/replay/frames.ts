/** Tool calls written in each framing: the prompts of the suites, followed exactly (ctl.md, xml.md). */
import { DEFAULT_OPTIONS } from '../parsers/parser.ts';

/** A call as it is meant, whatever frame it stands in. */
export interface MeantCall {
  readonly id: string;
  readonly name: string;
  /** In the order of the message. */
  readonly args: readonly (readonly [key: string, value: string])[];
}

/** An inline value longer than this is no short one (bytes). */
const MOST_INLINE = 200;
const SHORT_VALUE = /^(?!<<)(?![0-9]+$)[^\n]+$/;

/** Every argument length-prefixed, with the right count in bytes, and the separator after each value. */
export function writeCtl(calls: readonly MeantCall[]): string {
  return calls.map((call) => ctlCall(call, lengthArgument)).join('');
}

/**
 * A value that ends with LF, or is empty, is a heredoc. A heredoc cannot say another one: a short single line stands
 * inline, and the rest is length-prefixed (one grammar; a value with a line beyond `L_line` as well).
 */
export function writeCtlHeredoc(calls: readonly MeantCall[]): string {
  return calls.map((call) => ctlCall(call, heredocArgument)).join('');
}

/** One block; values raw. A value that holds the closing sequence is lost by the protocol, and is written all the same. */
export function writeXml(calls: readonly MeantCall[]): string {
  const invokes = calls.map(({ name, args }) => {
    const parameters = args.map(([key, value]) => `<parameter name="${key}">${value}</parameter>\n`);
    return `<invoke name="${name}">\n${parameters.join('')}</invoke>\n`;
  });
  return `<minimax:tool_call>\n${invokes.join('')}</minimax:tool_call>\n`;
}

/** The object between line feeds, name first (the form that the template's prompt asks for); calls on lines of their own. */
export function writeHermes(calls: readonly MeantCall[]): string {
  const written = calls.map((call) => {
    const object = `{"name":${JSON.stringify(call.name)},"arguments":${writeJsonArguments(call)}}`;
    return `<tool_call>\n${object}\n</tool_call>`;
  });
  return written.join('\n');
}

/** Values raw, between the line feeds of the template. */
export function writeQwenXml(calls: readonly MeantCall[]): string {
  const written = calls.map(({ name, args }) => {
    const parameters = args.map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`);
    return `<tool_call>\n<function=${name}>\n${parameters.join('')}</function>\n</tool_call>`;
  });
  return written.join('\n');
}

/** Values raw, keys and values on lines of their own. */
export function writeGlm(calls: readonly MeantCall[]): string {
  const written = calls.map(({ name, args }) => {
    const pairs = args.map(([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`);
    return `<tool_call>${name}\n${pairs.join('')}</tool_call>`;
  });
  return written.join('\n');
}

/** `function.arguments` of a call: one JSON object in one line. */
export function writeJsonArguments(call: MeantCall): string {
  return `{${call.args.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
}

type ArgumentWriter = (key: string, value: string) => string;

function ctlCall({ id, name, args }: MeantCall, write: ArgumentWriter): string {
  return `call ${id} ${name}\n${args.map(([key, value]) => write(key, value)).join('')}end\n`;
}

function lengthArgument(key: string, value: string): string {
  return `arg ${key} ${Buffer.byteLength(value)}\n${value}\n`;
}

function heredocArgument(key: string, value: string): string {
  if (fitsHeredoc(value)) {
    const tag = tagFor(value);
    return `arg ${key} <<${tag}\n${value}${tag}\n`;
  }
  if (fitsInline(value)) return `arg ${key} ${value}\n`;
  return lengthArgument(key, value);
}

/** Whether a prompt that asks for heredocs would have the value on the `arg` line itself. */
export function fitsInline(value: string): boolean {
  return SHORT_VALUE.test(value) && Buffer.byteLength(value) <= MOST_INLINE;
}

function fitsHeredoc(value: string): boolean {
  if (value !== '' && !value.endsWith('\n')) return false;
  return value.split('\n').every((line) => Buffer.byteLength(line) < DEFAULT_OPTIONS.lineLimit);
}

/** `EOF`, or the first of `EOF_1`, `EOF_2`, … that is no line of the value. */
function tagFor(value: string): string {
  const lines = new Set(value.split('\n'));
  let tag = 'EOF';
  for (let n = 1; lines.has(tag); n += 1) tag = `EOF_${n}`;
  return tag;
}

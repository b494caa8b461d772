/**
 * Messages written from calls: what a reader must find in them is known by construction, so that neither the parser nor the
 * oracle is asked.
 */
import fc from 'fast-check';
import type { Protocol } from '../parsers/protocols.ts';
import { type MeantCall, writeGlm, writeHermes, writeQwenXml } from '../replay/frames.ts';
import { writeDeepseek } from '../replay/frames-deepseek.ts';
import { writeHarmony } from '../replay/frames-harmony.ts';
import { writeKimi } from '../replay/frames-kimi.ts';
import type { StreamEvent } from '../stream/event.ts';
import { cut } from './streams.ts';

export interface WrittenCall {
  readonly name: string;
  /** Keys are unique; a value is text. */
  readonly values: readonly (readonly [string, string])[];
}

export interface WellFormed {
  readonly events: readonly StreamEvent[];
  readonly calls: readonly WrittenCall[];
  /** The text that stands outside frames. */
  readonly text: string;
}

const NAME = fc.constantFrom('t', 'write_file', 'a.b-c');
const KEYS = ['k', 'path', 'x-1'] as const;
const LINE = fc.constantFrom('', 'hello', 'é😀', ' end', 'end', 'E', 'call c9 t', '{"a":1}', '\\', '<b>', '"');
const VALUE = fc.array(LINE, { maxLength: 3 }).map((lines) => lines.join('\n'));
const TEXT = fc.constantFrom('', 'I call that.\n', 'Now:\n\n', 'cal\n');

const CALL: fc.Arbitrary<WrittenCall> = fc
  .tuple(NAME, fc.array(VALUE, { maxLength: KEYS.length }))
  .map(([name, values]) => ({ name, values: values.map((value, i) => [KEYS[i] ?? '', value] as const) }));

const SIZES = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 });

export function wellFormed(protocol: Protocol): fc.Arbitrary<WellFormed> {
  return fc
    .tuple(fc.array(CALL, { minLength: 1, maxLength: 3 }), TEXT, TEXT, SIZES)
    .map(([calls, before, after, sizes]) => WRITERS[protocol]({ calls, before, after, sizes }));
}

interface Plan {
  readonly calls: readonly WrittenCall[];
  readonly before: string;
  readonly after: string;
  readonly sizes: readonly number[];
}

const WRITERS: Readonly<Record<Protocol, (plan: Plan) => WellFormed>> = {
  ctl: (plan) => framed(plan, ([key, value]) => `arg ${key} ${Buffer.byteLength(value)}\n${value}\n`),
  'ctl-heredoc': (plan) => heredocs(plan),
  xml: (plan) => xml(plan),
  'json-whole': (plan) => native(plan),
  'json-object': (plan) => native(plan),
  hermes: (plan) => dialect(plan, writeHermes),
  'qwen-xml': (plan) => dialect(plan, writeQwenXml),
  glm: (plan) => dialect(plan, writeGlm),
  deepseek: (plan) => dialect(plan, writeDeepseek),
  kimi: (plan) => dialect(plan, writeKimi),
  // All text of an answer in this form stands in messages too.
  harmony: (plan) => dialect({ ...plan, before: '', after: '' }, writeHarmony),
};

/** All calls at once: what stands between two of them is the writer's, and may be text. */
function dialect(plan: Plan, write: (calls: readonly MeantCall[]) => string): WellFormed {
  const meant = plan.calls.map(({ name, values }, at): MeantCall => ({ id: `c${at}`, name, args: values }));
  const between = write === writeDeepseek || write === writeKimi || write === writeHarmony ? '' : '\n';
  const text = `${plan.before}${between.repeat(meant.length - 1)}${plan.after}`;
  return asText(plan, `${plan.before}${write(meant)}${plan.after}`, text, plan.calls);
}

function framed(plan: Plan, argument: (value: readonly [string, string]) => string): WellFormed {
  const { calls, before, after } = plan;
  const frames = calls.map(({ name, values }, i) => `call c${i} ${name}\n${values.map(argument).join('')}end\n`);
  return asText(plan, `${before}${frames.join('')}${after}`, `${before}${after}`, calls);
}

/** A heredoc value is lines, each with its LF. */
function heredocs(plan: Plan): WellFormed {
  const calls = plan.calls.map(({ name, values }) => ({
    name,
    values: values.map(([key, value]) => [key, value === '' ? '' : `${value}\n`] as const),
  }));
  return framed({ ...plan, calls }, ([key, value]) => `arg ${key} <<'TAG_1'\n${value}TAG_1\n`);
}

function xml(plan: Plan): WellFormed {
  const invokes = plan.calls.map(({ name, values }) => {
    const parameters = values.map(([key, value]) => `<parameter name="${key}">${value}</parameter>\n`);
    return `<invoke name="${name}">\n${parameters.join('')}</invoke>\n`;
  });
  const message = `${plan.before}<minimax:tool_call>\n${invokes.join('')}</minimax:tool_call>\n`;
  return asText(plan, message, plan.before, plan.calls);
}

function asText({ sizes }: Plan, message: string, text: string, calls: readonly WrittenCall[]): WellFormed {
  const events = cut(Buffer.from(message), sizes).map((bytes): StreamEvent => ({ type: 'text', at: 0, bytes }));
  return { events, calls, text };
}

function native({ calls, sizes }: Plan): WellFormed {
  const events = calls.flatMap(({ name, values }, call) => {
    const json = Buffer.from(JSON.stringify(Object.fromEntries(values)));
    return cut(json, sizes).map(
      (bytes, place): StreamEvent => ({
        type: 'tool-delta',
        at: 0,
        call,
        bytes,
        ...(place === 0 ? { id: `c${call}`, name } : {}),
      }),
    );
  });
  return { events, calls, text: '' };
}

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ToolCall } from '../parsers/parser.ts';
import { KeyMask } from './key-mask.ts';
import { Permission, type PermissionAnswer } from './permission.ts';
import type { Tool, ToolOutcome } from './tool.ts';
import { toolExecutor } from './tool-executor.ts';
import { TestProject } from './tools/test-project.ts';

const project = new TestProject();
const { signal: never, ...context } = project.context;
afterAll(() => project.remove());

let ran: object[] = [];
let outcome: ToolOutcome = { exit: 0, output: Buffer.from('done') };
beforeEach(() => {
  ran = [];
  outcome = { exit: 0, output: Buffer.from('done') };
});

const tool: Tool<{ path: string }> = {
  name: 'write',
  description: '',
  schema: z.strictObject({ path: z.string() }),
  effect: 'writes',
  run: async (args) => {
    ran.push(args);
    return outcome;
  },
};

function call(name: string, object: Record<string, unknown>): ToolCall {
  return { ordinal: 0, id: 'c1', name, args: { form: 'json', text: JSON.stringify(object), object }, end: 0 };
}

interface Options {
  readonly mode?: Permission['mode'];
  readonly answer?: PermissionAnswer;
  readonly secret?: string;
  readonly signal?: AbortSignal;
  readonly cap?: number;
}

function execute(what: ToolCall, { mode = 'allow', answer = 'no', secret, signal = never, cap }: Options = {}) {
  const permission = new Permission(mode, async () => answer);
  const options = {
    permission,
    context: { ...context, outputCap: cap ?? context.outputCap },
    tools: [tool],
    mask: new KeyMask(secret === undefined ? [] : [secret]),
  };
  return toolExecutor(options)(what, signal);
}

describe('a call', () => {
  it('runs with its arguments, and has the output of its tool', async () => {
    expect(await execute(call('write', { path: 'a' }))).toEqual({ type: 'result', exit: 0, output: 'done' });
    expect(ran).toEqual([{ path: 'a' }]);
  });

  it.each([
    ['of an unknown tool', call('nope', {}), 127, 'there is no tool "nope"'],
    ['without an argument', call('write', {}), 2, 'path: is missing'],
    ['with an argument too many', call('write', { path: 'a', mode: 'w' }), 2, '"mode": is no argument of this tool'],
    ['with an argument of another type', call('write', { path: 1 }), 2, 'path: '],
  ])('%s is refused, and runs nothing', async (_, what, exit, reason) => {
    expect(await execute(what)).toEqual({ type: 'refusal', exit, reason: expect.stringContaining(reason) });
    expect(ran).toEqual([]);
  });

  it('that writes is refused where permission is read-only, or the user says no', async () => {
    const what = call('write', { path: 'a' });
    expect(await execute(what, { mode: 'read-only' })).toMatchObject({ type: 'refusal', exit: 126 });
    expect(await execute(what, { mode: 'ask', answer: 'no' })).toMatchObject({ type: 'refusal', exit: 126 });
    expect(ran).toEqual([]);
    expect(await execute(what, { mode: 'ask', answer: 'yes' })).toMatchObject({ type: 'result' });
  });

  it('is refused with 130 if the user cancels while the question is open', async () => {
    const signal = AbortSignal.abort();
    expect(await execute(call('write', { path: 'a' }), { mode: 'ask', signal })).toMatchObject({ exit: 130 });
  });
});

describe('the key', () => {
  const secret = 'sk-ключ-123456';

  it('is masked in the output, and the bytes around it stay', async () => {
    outcome = { exit: 0, output: Buffer.concat([Buffer.from(`é${secret}中`), Buffer.from([0xff])]) };
    expect(await execute(call('write', { path: 'a' }), { secret })).toMatchObject({ output: 'é[key]中\ufffd' });
  });

  it('is masked before the output is cut, on both sides of what was left out', async () => {
    const side = `${secret} `.repeat(40);
    const at = Buffer.byteLength(side);
    outcome = { exit: 0, output: Buffer.from(side + side), omitted: { at, bytes: 7 } };
    const { output } = (await execute(call('write', { path: 'a' }), { secret, cap: 256 })) as { output: string };
    expect(output).toMatch(/^(\[key\] )+\[?/);
    expect(output).not.toMatch(/sk|ключ|1234/);
  });
});

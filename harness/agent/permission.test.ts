import { describe, expect, it } from 'vitest';
import { type Asker, decide, Permission, type PermissionAnswer } from './permission.ts';
import { TOOLS } from './tools/registry.ts';

const writing = { name: 'write_file', effect: 'writes' } as const;
const running = { name: 'shell', effect: 'executes' } as const;
const reading = { name: 'read_file', effect: 'reads' } as const;
const idle = new AbortController().signal;

/** Gives these answers, and notes what it was asked. */
function asker(...answers: PermissionAnswer[]) {
  const asked: string[] = [];
  const ask: Asker = async ({ tool }) => {
    asked.push(tool.name);
    const answer = answers.shift();
    if (answer === undefined) throw new Error('asked too often');
    return answer;
  };
  return { ask, asked };
}

describe('the permission mode', () => {
  it('decides by what a tool does', () => {
    const decisions = TOOLS.map((tool) => [
      tool.name,
      ...(['ask', 'read-only', 'allow'] as const).map((mode) => {
        const decision = decide(mode, tool);
        return typeof decision === 'string' ? decision : 'refused';
      }),
    ]);
    expect(decisions).toEqual([
      ['list_dir', 'run', 'run', 'run'],
      ['read_file', 'run', 'run', 'run'],
      ['write_file', 'ask', 'refused', 'run'],
      ['apply_patch', 'ask', 'refused', 'run'],
      ['shell', 'ask', 'refused', 'run'],
    ]);
  });

  it('says to the model what it refuses and why', () => {
    expect(decide('read-only', writing)).toEqual({
      refusal: 'write_file was not run: permission is read-only, and write_file writes files',
    });
    expect(decide('read-only', running)).toEqual({
      refusal: 'shell was not run: permission is read-only, and shell executes commands',
    });
  });
});

describe('permission', () => {
  it('asks for each call, and runs what the user allows', async () => {
    const { ask, asked } = asker('yes', 'no');
    const permission = new Permission('ask', ask);
    expect(await permission.of(running, {}, idle)).toBe('run');
    expect(await permission.of(running, {}, idle)).toEqual({ refusal: 'shell was not run: the user said no' });
    expect(asked).toEqual(['shell', 'shell']);
  });

  it('asks nothing about what only reads', async () => {
    const { ask, asked } = asker();
    expect(await new Permission('ask', ask).of(reading, {}, idle)).toBe('run');
    expect(asked).toEqual([]);
  });

  it('remembers what is always allowed, for this tool only', async () => {
    const { ask, asked } = asker('always', 'no');
    const permission = new Permission('ask', ask);
    expect(await permission.of(writing, {}, idle)).toBe('run');
    expect(await permission.of(writing, {}, idle)).toBe('run');
    expect(await permission.of(running, {}, idle)).toEqual({ refusal: 'shell was not run: the user said no' });
    expect(asked).toEqual(['write_file', 'shell']);
  });

  it('never asks unless the mode is ask', async () => {
    const { ask, asked } = asker();
    expect(await new Permission('allow', ask).of(running, {}, idle)).toBe('run');
    expect(await new Permission('read-only', ask).of(running, {}, idle)).toHaveProperty('refusal');
    expect(asked).toEqual([]);
  });

  it('hands the arguments to the question as they are', async () => {
    const args = { command: 'rm -r build' };
    const seen: object[] = [];
    const permission = new Permission('ask', async (question) => {
      seen.push(question.args);
      return 'no';
    });
    await permission.of(running, args, idle);
    expect(seen).toEqual([args]);
  });

  it('is refused when the run is cancelled while the question is open', async () => {
    const cancel = new AbortController();
    let told = false;
    const permission = new Permission('ask', ({ signal }) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      queueMicrotask(() => cancel.abort());
      return new Promise(() => undefined);
    });
    const refused = { refusal: 'shell was not run: the user cancelled' };
    expect(await permission.of(running, {}, cancel.signal)).toEqual(refused);
    expect(told).toBe(true);
    expect(await permission.of(running, {}, cancel.signal)).toEqual(refused);
  });

  it('passes on what goes wrong in asking', async () => {
    await expect(new Permission('ask', asker().ask).of(running, {}, idle)).rejects.toThrow('asked too often');
  });
});

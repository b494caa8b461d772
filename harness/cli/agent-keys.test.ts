import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { deferred } from '../agent/test-server.ts';
import { AgentControls, type KeyInput } from './agent-keys.ts';
import { EXIT } from './exit-code.ts';

class FakeInput extends EventEmitter implements KeyInput {
  readonly isTTY: boolean;
  readonly calls: string[] = [];

  constructor(isTTY = true) {
    super();
    this.isTTY = isTTY;
  }

  setRawMode(on: boolean): void {
    this.calls.push(`raw ${on}`);
  }

  resume(): void {
    this.calls.push('resume');
  }

  pause(): void {
    this.calls.push('pause');
  }

  type(keys: string): void {
    this.emit('data', Buffer.from(keys));
  }
}

class FakeSignals extends EventEmitter {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

function controls(isTTY = true) {
  const input = new FakeInput(isTTY);
  const signals = new FakeSignals();
  let shown = '';
  const made = new AgentControls({
    input,
    signals,
    show: (text) => {
      shown += text;
    },
    question: ({ tool }) => `Run ${tool.name}`,
  });
  const ask = () => made.ask({ tool: { name: 'shell', effect: 'executes' }, args: {}, signal: made.signal });
  return { input, signals, made, ask, shown: () => shown };
}

describe('cancelling', () => {
  it('is Esc, and no arrow key', () => {
    const { input, made } = controls();
    input.type('\u001b[A');
    expect(made.signal.aborted).toBe(false);
    input.type('\u001b');
    expect(made.signal.aborted).toBe(true);
  });

  it.each(['\u001b\u001b', '\u001bq', 'q\u001b'])('is Esc also where other keys come with it: %j', (typed) => {
    const { input, made } = controls();
    input.type(typed);
    expect(made.signal.aborted).toBe(true);
  });

  it('is Ctrl-C, and the second one ends the process', () => {
    const { input, signals, made } = controls();
    input.type('\u0003');
    expect([made.signal.aborted, signals.exits]).toEqual([true, []]);
    input.type('\u0003');
    expect(signals.exits).toEqual([EXIT.cancelled]);
  });

  it('a second time waits for the files that are being written', async () => {
    const { signals, made } = controls(false);
    const [first, second] = [deferred<string>(), deferred<string>()];
    for (const { promise } of [first, second]) made.whole(promise);
    signals.emit('SIGINT');
    signals.emit('SIGINT');
    second.resolve('landed');
    await second.promise;
    expect(signals.exits).toEqual([]);
    first.resolve('put back');
    await expect.poll(() => signals.exits).toEqual([130]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])('is %s, without a terminal too', (signal) => {
    const { signals, made, input } = controls(false);
    signals.emit(signal);
    expect([made.signal.aborted, signals.exits, input.calls]).toEqual([true, [], []]);
    signals.emit(signal);
    expect(signals.exits).toEqual([130]);
  });

  it('leaves terminal and signals as they were when the run is over', () => {
    const { input, signals, made } = controls();
    made.release();
    expect(input.calls).toEqual(['raw true', 'resume', 'raw false', 'pause']);
    expect([input.listenerCount('data'), signals.listenerCount('SIGINT')]).toEqual([0, 0]);
  });
});

describe('a question', () => {
  it.each([
    ['y', 'yes'],
    ['N', 'no'],
    ['a', 'always'],
  ])('is answered with the key %s', async (key, answer) => {
    const { input, ask, shown } = controls();
    const asked = ask();
    input.type('x');
    input.type(key);
    expect(await asked).toBe(answer);
    expect(shown()).toBe(`Run shell [y]es, [n]o, [a]lways shell? ${answer}\n`);
  });

  it('is not answered by what was typed before it', async () => {
    const { input, ask } = controls();
    input.type('y');
    const asked = ask();
    input.type('n');
    expect(await asked).toBe('no');
  });

  it('is answered by no pasted text', async () => {
    const { input, ask } = controls();
    const asked = ask();
    input.type('yes please');
    input.type('n');
    expect(await asked).toBe('no');
  });

  it('is over when the user cancels', async () => {
    const { input, ask, shown } = controls();
    const asked = ask();
    input.type('\u001b');
    expect(await asked).toBe('no');
    expect(shown()).toMatch(/cancelled\n$/);
  });
});

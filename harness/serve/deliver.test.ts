import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { deliver } from './deliver.ts';
import { planDelivery } from './delivery-plan.ts';
import { armedFault } from './faults.ts';
import { inMemory, textBytes } from './test-server.ts';
import { timedPieces } from './timing.ts';

/** Virtual time: whoever sleeps moves it. A write takes `writing` ms. */
class VirtualRun {
  readonly writes: [ms: number, bytes: number][] = [];
  now = 1000;
  readonly #writing: number;

  constructor(writing = 0) {
    this.#writing = writing;
  }

  readonly clock: Clock = {
    now: () => this.now,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      this.now += ms;
    },
  };

  async write(bytes: Uint8Array): Promise<void> {
    this.writes.push([this.now - 1000, bytes.length]);
    this.now += this.#writing;
  }

  async deliver(body: Uint8Array, faults: readonly string[], speed = 1): Promise<string> {
    const times = [
      { ms: 100, bytes: 4 },
      { ms: 150, bytes: 6 },
      { ms: 400, bytes: body.length },
    ];
    const pieces = await timedPieces(inMemory('t', body, { times }), body, { speed, seed: 1 });
    const plan = planDelivery(
      body,
      pieces,
      faults.map((text) => armedFault(text)),
    );
    const { signal } = new AbortController();
    return deliver({ body, plan }, this, { clock: this.clock, since: 1000, signal });
  }
}

const TEN = new Uint8Array(10);

describe('a delivery in virtual time', () => {
  it.each([
    [
      1,
      [
        [100, 4],
        [150, 2],
        [400, 4],
      ],
    ],
    [
      10,
      [
        [10, 4],
        [15, 2],
        [40, 4],
      ],
    ],
    [
      0.5,
      [
        [200, 4],
        [300, 2],
        [800, 4],
      ],
    ],
    [0, [[0, 10]]],
  ])('keeps the recorded times at speed %d', async (speed, writes) => {
    const run = new VirtualRun();
    expect(await run.deliver(TEN, [], speed)).toBe('complete');
    expect(run.writes).toEqual(writes);
  });

  it('is behind by a stall, in real time at any speed', async () => {
    const run = new VirtualRun();
    await run.deliver(TEN, ['stall@5:3000'], 10);
    expect(run.writes).toEqual([
      [10, 4],
      [15, 1],
      [3015, 1],
      [3040, 4],
    ]);
  });

  it('catches up with its times after a reader that was slow', async () => {
    const run = new VirtualRun(200);
    await run.deliver(TEN, []);
    expect(run.writes).toEqual([
      [100, 4],
      [300, 2],
      [500, 4],
    ]);
  });

  it('trickles in real time at speed 0', async () => {
    const run = new VirtualRun();
    expect(await run.deliver(TEN, ['trickle:3:20', 'cut@8'], 0)).toBe('cut');
    expect(run.writes).toEqual([
      [20, 3],
      [40, 3],
      [60, 2],
    ]);
  });

  it('gives at most 16 KiB at once', async () => {
    const run = new VirtualRun();
    await run.deliver(new Uint8Array(40_000), [], 0);
    expect(run.writes.map(([, bytes]) => bytes)).toEqual([16_384, 16_384, 7232]);
  });
});

describe('a delivery without recorded times', () => {
  const bytes = textBytes('one two three', ' four', ' five six');

  it('is seeded: the same for the same seed, another for another, the first token after 300 to 900 ms', async () => {
    const pieces = (seed: number) => timedPieces(inMemory('t', bytes), bytes, { speed: 1, seed });
    const one = await pieces(1);
    expect(await pieces(1)).toEqual(one);
    expect(await pieces(2)).not.toEqual(one);
    expect(one[0]!.ms).toBeGreaterThan(300);
    expect(one[0]!.ms).toBeLessThan(1100);
    expect(one.map(({ from, to }) => bytes.subarray(from, to).length > 0)).not.toContain(false);
    expect([one[0]!.from, one.at(-1)!.to]).toEqual([0, bytes.length]);
  });
});

describe('a delivery that nobody wants any more', () => {
  it.each([
    ['while it waits for a time', ['trickle:1:50']],
    ['while it holds for good', ['stall@0']],
  ])('rejects %s', async (_, faults) => {
    const controller = new AbortController();
    const plan = planDelivery(
      TEN,
      [{ ms: 0, from: 0, to: 10 }],
      faults.map((text) => armedFault(text)),
    );
    const clock: Clock = {
      now: () => 0,
      sleep: (_ms, signal) => new Promise((__, reject) => signal.addEventListener('abort', reject)),
    };
    const delivery = deliver(
      { body: TEN, plan },
      { write: async () => {} },
      { clock, since: 0, signal: controller.signal },
    );
    controller.abort();
    await expect(delivery).rejects.toBeDefined();
  });
});

/** Carries out a plan: each step at its time, and never more bytes than the other side takes. */
import type { Clock } from './clock.ts';
import type { DeliveryPlan } from './delivery-plan.ts';

export interface BodySink {
  /** Resolves when the system has taken the bytes. Rejects when nobody takes them any more. */
  write(bytes: Uint8Array): Promise<void>;
}

export interface DeliveryTime {
  readonly clock: Clock;
  /** The clock's time at which the request came, in ms. */
  readonly since: number;
  /** Ends the delivery at once: the promise rejects. */
  readonly signal: AbortSignal;
}

export interface Delivery {
  readonly body: Uint8Array;
  readonly plan: DeliveryPlan;
}

/** Most bytes in one write: small enough that a socket which fills up is seen before all is in memory. */
const MOST_AT_ONCE = 16 * 1024;

/** Returns how the answer is to end: its bytes are all out by then. */
export async function deliver(
  { body, plan }: Delivery,
  sink: BodySink,
  { clock, since, signal }: DeliveryTime,
): Promise<'complete' | 'cut' | 'reset'> {
  let origin = since;
  for (const step of plan.steps) {
    switch (step.type) {
      case 'send':
        await sleepUntil(origin + step.ms, clock, signal);
        await sendInParts(body.subarray(step.from, step.to), sink, signal);
        break;
      case 'wait':
        await clock.sleep(step.ms, signal);
        origin += step.ms;
        break;
      case 'hold':
        await untilAborted(signal);
        break;
      default:
        return step.type;
    }
  }
  return 'complete';
}

async function sleepUntil(due: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const left = due - clock.now();
  if (left > 0) await clock.sleep(left, signal);
}

async function sendInParts(bytes: Uint8Array, sink: BodySink, signal: AbortSignal): Promise<void> {
  for (let from = 0; from < bytes.length; from += MOST_AT_ONCE) {
    signal.throwIfAborted();
    await sink.write(bytes.subarray(from, from + MOST_AT_ONCE));
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = (): void => reject(new Error('aborted', { cause: signal.reason }));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

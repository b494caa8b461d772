/**
 * The thread in which `thread-store.ts` stores: answers of tens of megabytes are searched, decoded, hashed and written
 * here, while the proxy's own thread passes on what comes.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type SuiteHead, SuiteWriter } from '../replay/suite-writer.ts';
import { namedError } from './named-error.ts';
import type { Batch } from './piece-batch.ts';
import { type ExchangeCopy, type ExchangeFacts, type Stored, type StoreOptions, SuiteStore } from './proxy-store.ts';

export interface ThreadData {
  readonly dir: string;
  readonly head: SuiteHead;
  readonly options: StoreOptions;
  /** Of the suite, for messages. */
  readonly folder: string;
}

/** To the thread. An exchange is known by its number from its first piece on. */
export type ToThread =
  | ({ readonly type: 'request' | 'response'; readonly exchange: number } & Batch)
  | { readonly type: 'drop'; readonly exchange: number }
  | { readonly type: 'end'; readonly exchange: number; readonly facts: ExchangeFacts }
  | { readonly type: 'close' };

/** From the thread. `ready` is the first, `closed` the last. */
export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'unusable'; readonly problem: string }
  | { readonly type: 'stored'; readonly exchange: number; readonly stored: Stored }
  | { readonly type: 'closed' };

const port = parentPort!;
const data = workerData as ThreadData;

function say(message: FromThread): void {
  port.postMessage(message);
}

async function serve(): Promise<void> {
  const writer = await SuiteWriter.open(data.dir, data.head);
  const add: SuiteWriter['add'] = async (recording) => {
    try {
      return await writer.add(recording);
    } catch (error) {
      throw withFolder(namedError(error, data.folder));
    }
  };
  const store = new SuiteStore({ add }, data.options);
  const copies = new Map<number, ExchangeCopy>();
  const copyOf = (exchange: number): ExchangeCopy => {
    const copy = copies.get(exchange) ?? store.open();
    copies.set(exchange, copy);
    return copy;
  };
  port.on('message', (message: ToThread) => {
    if (message.type === 'close') return void writer.close().then(() => say({ type: 'closed' }));
    const { exchange } = message;
    const copy = copyOf(exchange);
    if (message.type === 'request' || message.type === 'response') return takeBatch(copy, message);
    copies.delete(exchange);
    if (message.type === 'end')
      void copy.end(message.facts).then((stored) => say({ type: 'stored', exchange, stored }));
  });
  say({ type: 'ready' });
}

function takeBatch(copy: ExchangeCopy, { type, bytes, pieces }: Extract<ToThread, Batch>): void {
  let from = 0;
  for (const { end, ms } of pieces) {
    const piece = bytes.subarray(from, end);
    if (type === 'request') copy.request(piece);
    else copy.response(piece, ms);
    from = end;
  }
}

/** The system's own words say what, and not where. */
function withFolder(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || error.message.includes(data.folder)) return error;
  return new Error(`${data.folder}: ${error.message}`, { cause: error });
}

try {
  await serve();
} catch (error) {
  say({ type: 'unusable', problem: error instanceof Error ? error.message : String(error) });
}

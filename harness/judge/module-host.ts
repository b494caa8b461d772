/**
 * The process in which the parser of a module runs (`module-parser.ts` starts it): whatever the module does, the checker
 * goes on. It speaks the protocol of commands (docs/own-parser.md "A command"); its lines come by descriptor 3 and go by 4,
 * so that the module may print what it likes.
 */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { ParserOptions } from '../parsers/parser.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { type ExportedParser, loadParser, NoParser, refuseOtherThanParser } from './exported-parser.ts';
import { FrontierTeller } from './frontier-teller.ts';
import { type ForeignObject, GuardedParser } from './guarded-parser.ts';
import { PROTOCOL_VERSION } from './messages.ts';
import { BadAnswer } from './reported.ts';

/** The arguments of the process. */
export type HostArguments = readonly [file: string];

/** A line from the checker. */
type HostMessage =
  | { readonly type: 'hello' }
  | { readonly type: 'start'; readonly id: number; readonly options: ParserOptions; readonly beside?: true }
  | ({ readonly stream?: number } & (
      | { readonly type: 'end'; readonly how: StreamEnd }
      | { readonly type: Exclude<StreamEvent['type'], 'end'>; readonly text?: string; readonly base64?: string }
    ));

const IN = 3;
const OUT = 4;
const [, , file = ''] = process.argv;
/** What went wrong outside of a call: nothing that was asked, so the next answer tells it. */
let stray: string | null = null;
let exported: ExportedParser | null = null;
let known = false;
let current = 0;
const open = new Map<number, { readonly parser: GuardedParser; readonly teller: FrontierTeller }>();

/** The module may put others in their place. */
const { setImmediate: soon } = globalThis;
const leave = process.exit.bind(process);
process.exit = (): never => {
  throw new NoParser('the parser called process.exit');
};
process.on('uncaughtException', (error) => noteStray('a callback that it had left behind threw', error));
process.on('unhandledRejection', (reason) => noteStray('a promise that nobody waited for was rejected', reason));

// A loop in the module would outlive a checker that is killed: this thread has a loop of its own, and sees that it is gone.
new Worker(`setInterval(() => process.ppid === ${process.ppid} || process.kill(process.pid, 'SIGKILL'), 500)`, {
  eval: true,
}).unref();

const lines: string[] = [];
let working = false;
createInterface({ input: new Socket({ fd: IN, readable: true, writable: false }) })
  .on('line', (line) => {
    lines.push(line);
    void work();
  })
  .on('close', () => leave(0));

async function work(): Promise<void> {
  if (working) return;
  working = true;
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const message = JSON.parse(line) as HostMessage;
    const told = message.type === 'hello' ? await greet() : answer(message);
    // What a stream has left behind comes to light before its last answer.
    if (message.type === 'end') await new Promise((resolve) => soon(resolve));
    tell(stray === null ? told : { fault: stray });
    stray = null;
  }
  working = false;
}

function tell(answered: object): void {
  const bytes = Buffer.from(`${lineOf(answered)}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(OUT, bytes, at);
}

/** What a parser reports may hold a cycle, or a BigInt. */
function lineOf(answered: object): string {
  try {
    return JSON.stringify(answered);
  } catch (error) {
    return JSON.stringify({ fault: `what it reports cannot be written as JSON: ${sentence(error).split('\n')[0]}` });
  }
}

async function greet(): Promise<object> {
  try {
    exported = await loadParser(file);
    return { type: 'ready', version: PROTOCOL_VERSION, protocol: exported.protocol, interleaved: true };
  } catch (error) {
    return { fault: sentence(error) };
  }
}

function answer(message: Exclude<HostMessage, { type: 'hello' }>): object {
  if (message.type === 'start') return begin(message);
  const stream = open.get(message.stream ?? current);
  if (stream === undefined) return { fault: 'there is no such stream' };
  const { parser, teller } = stream;
  if (message.type === 'end') parser.end((message as { how: StreamEnd }).how);
  else parser.push(eventOf(message));
  return teller.tell(parser);
}

function begin({ id, options, beside }: Extract<HostMessage, { type: 'start' }>): object {
  if (beside !== true) open.clear();
  current = id;
  try {
    const parser = new GuardedParser(made(options));
    const teller = new FrontierTeller();
    open.set(id, { parser, teller });
    return teller.tell(parser);
  } catch (error) {
    // What is none at the first start is none at all; later it may fail for some options only.
    const what = error instanceof BadAnswer || error instanceof NoParser ? error.message : sentence(error);
    return { fault: known ? `the parser threw at its start: ${what}` : `no parser: ${what}` };
  }
}

function made(options: ParserOptions): ForeignObject {
  const object = exported?.create(options);
  if (!known) refuseOtherThanParser(object);
  known = true;
  return object as ForeignObject;
}

/** Each event is made for the parser alone: it may keep or change it. */
function eventOf({ stream: _, ...message }: Exclude<HostMessage, { type: 'hello' | 'start' }>): StreamEvent {
  const { text, base64, ...event } = message as { text?: string; base64?: string; type: string };
  const bytes = text === undefined ? (base64 === undefined ? null : Buffer.from(base64, 'base64')) : Buffer.from(text);
  return { ...event, at: 0, ...(bytes !== null && { bytes: Uint8Array.from(bytes) }) } as unknown as StreamEvent;
}

function noteStray(what: string, error: unknown): void {
  stray ??= `${what}, here or at a message before: ${sentence(error)}`;
}

function sentence(error: unknown): string {
  if (error instanceof NoParser) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** The suite `replies`: a model's texts, kept in the repository, put into OpenAI-chat streams with a seeded split. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { countTokens, TOKENIZER, tokenChunks } from '../../harness/replay/chunking.ts';
import { type Answer, type AnswerPart, chatStream } from '../../harness/replay/envelope.ts';
import { formatManifest, MANIFEST_FILE, MANIFEST_FORMAT, type ManifestEntry } from '../../harness/replay/manifest.ts';
import { FRAMINGS, type Framing } from '../../harness/replay/recording.ts';
import { type Draw, seededDraw } from '../../harness/replay/seeded.ts';
import { sha256 } from '../../harness/replay/stored-recording.ts';
import { type FolderPlan, listFiles } from './folder-plan.ts';
import { parseNativeContainer } from './native-container.ts';

const SEED = 'replies-1';
const MODEL = 'claude (version not recorded)';
const TASKS = 'tasks.json';
const ABOUT =
  'A large model’s answers to 28 tasks, in four framings each. The texts are the model’s; the SSE envelope, the chunking ' +
  'and the call ids were made here, seeded. No wire was recorded.';

const TEXT_FILE = /^texts\/(run([1-9][0-9]*))\/([^/]+)\/([^/]+)\.txt$/;
const ID_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const ID_LENGTH = 24;

const taskList = z.array(z.strictObject({ id: z.string(), title: z.string(), user: z.string() }));

interface Reply {
  readonly path: string;
  readonly run: string;
  /** 1 for `run1`. */
  readonly number: number;
  readonly task: string;
  readonly framing: Framing;
}

/** Reads texts, prompts and tasks in `dir` and gives the streams and the manifest that belong beside them. */
export async function planReplies(dir: string): Promise<FolderPlan> {
  const tasks = taskList.parse(JSON.parse(await readFile(join(dir, TASKS), 'utf8')));
  const plan = new Map<string, Uint8Array>();
  const recordings: ManifestEntry[] = [];
  for (const reply of (await listFiles(dir, 'texts/')).map(replyOf)) {
    const user = tasks.find(({ id }) => id === reply.task)?.user;
    if (user === undefined) throw new Error(`${reply.path}: ${TASKS} has no task ${reply.task}`);
    const prompts = await Promise.all(promptFiles(reply.framing).map((file) => readFile(join(dir, file), 'utf8')));
    const promptTokens = countTokens([...prompts, user].join('\n'));
    const text = await readText(join(dir, reply.path));
    const bytes = chatStream(answerOf(reply, text, promptTokens));
    const entry = entryOf(reply, bytes);
    plan.set(entry.file, bytes);
    recordings.push(entry);
  }
  const manifest = {
    format: MANIFEST_FORMAT,
    suite: 'replies',
    about: ABOUT,
    seed: SEED,
    tokenizer: TOKENIZER,
    recordings,
  } as const;
  plan.set(MANIFEST_FILE, Buffer.from(formatManifest({ ...manifest, recordings })));
  return plan;
}

function replyOf(path: string): Reply {
  const [, run = '', number = '', task = '', protocol = ''] = TEXT_FILE.exec(path) ?? [];
  const framing = FRAMINGS.find((name) => name === protocol);
  if (run === '' || framing === undefined) throw new Error(`${path}: expected texts/run<n>/<task>/<framing>.txt`);
  return { path, run, number: Number(number), task, framing };
}

function answerOf(reply: Reply, text: string, promptTokens: number): Answer {
  const { run, task, framing } = reply;
  const draw = seededDraw(`${SEED}/${run}/${task}/${framing}`);
  const parts =
    framing === 'native' ? nativeParts(text, draw) : [{ type: 'text', pieces: tokenChunks(text, draw) } as const];
  const completionTokens = parts.reduce((sum, part) => sum + countTokens(part.pieces.join('')), 0);
  return {
    id: `chatcmpl-${run}-${task}-${framing}`,
    model: MODEL,
    parts,
    finish: framing === 'native' ? 'tool_calls' : 'stop',
    usage: { promptTokens, completionTokens },
  };
}

function nativeParts(container: string, draw: Draw): readonly AnswerPart[] {
  const { text, calls } = parseNativeContainer(container);
  const said: readonly AnswerPart[] = text === '' ? [] : [{ type: 'text', pieces: tokenChunks(text, draw) }];
  const made = calls.map(({ name, argsText }): AnswerPart => {
    const id = `call_${Array.from({ length: ID_LENGTH }, () => ID_LETTERS[draw(ID_LETTERS.length)]).join('')}`;
    return { type: 'call', id, name, pieces: tokenChunks(argsText, draw) };
  });
  return [...said, ...made];
}

function entryOf({ run, number, task, framing }: Reply, bytes: Uint8Array): ManifestEntry {
  return {
    file: `${task}.${framing}${number === 1 ? '' : `.${number}`}.sse`,
    sha256: sha256(bytes),
    bytes: bytes.length,
    task,
    protocol: framing,
    wire: 'openai-chat',
    provider: null,
    model: MODEL,
    recordedAt: null,
    request: { system: [...promptFiles(framing)], tasks: TASKS, task, parameters: {} },
    source: 'enveloped',
    run,
  };
}

/** The system prompt is the tools and the page of the framing. */
function promptFiles(framing: Framing): readonly string[] {
  return ['prompts/tools.md', `prompts/${framing}.md`];
}

async function readText(file: string): Promise<string> {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
}

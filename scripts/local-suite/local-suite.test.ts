import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseTasks } from '../../harness/record/task-file.ts';
import { loadSuites } from '../../harness/replay/load.ts';
import { type ManifestEntry, readManifest } from '../../harness/replay/manifest.ts';
import { parseStream } from '../../harness/replay/parse-stream.ts';
import { type Framing, READERS, type Recording } from '../../harness/replay/recording.ts';
import { readStream } from '../../harness/stream/reader.ts';
import { readMaterial } from './material.ts';
import { taskFile, type Way } from './task-files.ts';

const ROOT = resolve(import.meta.dirname, '../../recordings');
const TEXT = readFileSync(resolve(ROOT, 'local/manifest.json'), 'utf8');
const entries: readonly ManifestEntry[] = readManifest(TEXT, 'manifest.json').manifest?.recordings ?? [];
const recordings = await loadSuites(ROOT, { suites: ['local'] });

/** As `record.sh` asks. */
const ASKED: readonly { way: Way; protocol: Framing; runs: number; seed: number }[] = [
  { way: 'ctl', protocol: 'ctl', runs: 3, seed: 100 },
  { way: 'ctl-grammar', protocol: 'ctl', runs: 3, seed: 200 },
  { way: 'ctl-heredoc', protocol: 'ctl-heredoc', runs: 2, seed: 300 },
  { way: 'xml', protocol: 'xml', runs: 1, seed: 400 },
  { way: 'native', protocol: 'native', runs: 1, seed: 500 },
  { way: 'native-text', protocol: 'native', runs: 1, seed: 600 },
  { way: 'hermes', protocol: 'hermes', runs: 1, seed: 700 },
];

describe('the suite local', () => {
  test('holds the answer to everything that its script asks, and nothing else', async () => {
    const material = await readMaterial();
    const wanted = ASKED.flatMap(({ way, protocol, runs, seed }) =>
      parseTasks(taskFile(way, material), way).flatMap(({ name, messages }) =>
        Array.from({ length: runs }, (_, run) => ({
          ...{ task: name, protocol, run: `run${run + 1}`, seed: seed + run },
          asked: messages.at(-1)?.['content'],
        })),
      ),
    );
    const held = entries.map(({ task, protocol, run, request }) => ({
      ...{ task, protocol, run, seed: request?.parameters['seed'] },
      asked: request !== null && 'messages' in request ? request.messages.at(-1)?.['content'] : null,
    }));
    expect(sorted(held)).toEqual(sorted(wanted));
    expect(held.length).toBe(240);
  });

  test('was recorded, with the arrival time of every byte', async () => {
    expect(new Set(entries.map(({ source, model, provider }) => `${source} ${model} ${provider}`))).toEqual(
      new Set(['recorded smollm2-135m llama-cpp-python 0.3.36']),
    );
    for (const recording of recordings) {
      const arrivals = (await recording.arrivals?.()) ?? [];
      expect([recording.file, arrivals.at(-1)?.bytes]).toEqual([recording.file, recording.size]);
    }
  });

  test('says nothing of the machine that it was recorded on', () => {
    expect(TEXT.match(/127\.0\.0\.1|localhost|\/(home|root|tmp|work|Users)\//g)).toBe(null);
  });

  test('a grammar forces the frame of every complete answer', async () => {
    const FRAME = /^(call c[1-9] (read_file|list_dir|shell|write_file)\n(arg [a-z]+ \d+\n(.*\n)*?)+end\n){1,3}$/;
    const texts = await Promise.all(grammarRecordings().map(async (one) => textOf(await one.bytes())));
    expect(texts.filter(({ end }) => end === 'complete').length).toBeGreaterThan(40);
    expect(texts.filter(({ end, text }) => end === 'complete' && !FRAME.test(text))).toEqual([]);
  });

  test('and yet its calls hardly ever run, since no grammar counts', async () => {
    const found: Record<string, number> = {};
    for (const one of grammarRecordings()) {
      const { error, calls } = parseStream(await one.bytes(), { protocol: 'ctl' });
      const outcome = error?.kind ?? (calls.length > 0 ? 'ran' : 'cut');
      found[outcome] = (found[outcome] ?? 0) + 1;
    }
    expect(found).toEqual({ unexpected_line: 54, body_eof: 5, ran: 1 });
  });

  test('breaks the contracts of the text protocols in these ways', async () => {
    const kinds = new Map<string, Set<string>>();
    for (const one of recordings.filter((recording) => !isForced(recording))) {
      for (const protocol of READERS[one.framing]) {
        const { error } = parseStream(await one.bytes(), { protocol });
        const known = kinds.get(protocol) ?? new Set();
        kinds.set(protocol, error === null ? known : known.add(error.kind));
      }
    }
    expect(Object.fromEntries([...kinds].map(([protocol, known]) => [protocol, [...known].sort()]))).toEqual({
      ctl: ['bad_arg', 'body_eof', 'call_eof', 'unexpected_line'],
      'ctl-heredoc': ['bad_arg', 'bad_call', 'heredoc_eof', 'unexpected_line'],
      xml: ['xml_unclosed', 'xml_unexpected_text'],
      'json-whole': [],
      'json-object': [],
      hermes: ['args_not_object', 'call_eof'],
    });
  });

  test('has answers that ran out of tokens within their arguments and say that they are complete', async () => {
    const cutShort: string[] = [];
    for (const one of recordings.filter(isForced)) {
      const { argsText, reason } = forcedCall(await one.bytes());
      expect([one.file, reason]).toEqual([one.file, 'tool_calls']);
      if (!isJson(argsText)) cutShort.push(one.file);
    }
    expect(cutShort).toEqual(['write-poem.native.sse', 'write-readme.native.sse']);
  });
});

function grammarRecordings(): readonly Recording[] {
  return recordings.filter(({ task }) => task.endsWith('-grammar'));
}

/** The server was told which function to call. */
function isForced({ framing, task }: Recording): boolean {
  return framing === 'native' && !task.endsWith('-text');
}

function textOf(bytes: Uint8Array): { readonly text: string; readonly end: string } {
  const { events, end } = readStream(bytes, 'openai-chat');
  const parts = events.flatMap((event) => (event.type === 'text' ? [event.bytes] : []));
  return { text: Buffer.concat(parts).toString(), end };
}

/** By hand, without the reader: this server writes one payload a line. */
function forcedCall(bytes: Uint8Array): { readonly argsText: string; readonly reason: string | null } {
  const payloads = Buffer.from(bytes)
    .toString()
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'));
  const choices = payloads.map((line) => (JSON.parse(line.slice(6)) as Payload).choices[0]);
  const pieces = choices.flatMap((choice) => choice?.delta.tool_calls ?? []);
  return {
    argsText: pieces.map((piece) => piece.function.arguments).join(''),
    reason: choices.at(-1)?.finish_reason ?? null,
  };
}

interface Payload {
  readonly choices: readonly {
    readonly finish_reason: string | null;
    readonly delta: { readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[] | null };
  }[];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function sorted(values: readonly object[]): string[] {
  return values.map((value) => JSON.stringify(value)).sort();
}

/** The suite `crafted`: the streams that are defined here, and the carried-over cases with their sidecars. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatManifest, MANIFEST_FILE, MANIFEST_FORMAT, type ManifestEntry } from '../../harness/replay/manifest.ts';
import { sha256 } from '../../harness/replay/stored-recording.ts';
import type { WireFormat } from '../../harness/stream/wire-format.ts';
import type { CraftedCase } from './crafted/case.ts';
import { carriedEntry } from './crafted/cases.ts';
import { CTL_CASES } from './crafted/ctl.ts';
import { DEEPSEEK_CASES } from './crafted/dialect-deepseek.ts';
import { GLM_CASES } from './crafted/dialect-glm.ts';
import { HARMONY_CASES } from './crafted/dialect-harmony.ts';
import { HERMES_CASES } from './crafted/dialect-hermes.ts';
import { KIMI_CASES } from './crafted/dialect-kimi.ts';
import { QWEN_XML_CASES } from './crafted/dialect-qwen-xml.ts';
import { HEREDOC_CASES } from './crafted/heredoc.ts';
import { IDENTITY_CASES } from './crafted/identity.ts';
import { JSON_CASES } from './crafted/json.ts';
import { LIMIT_CASES } from './crafted/limits.ts';
import { MESSAGE_CASES } from './crafted/message.ts';
import { STREAM_CASES } from './crafted/streams.ts';
import { TEXT_CALL_CASES } from './crafted/text-calls.ts';
import { ANTHROPIC_CASES } from './crafted/wire-anthropic.ts';
import { CHAT_CASES } from './crafted/wire-chat.ts';
import { GEMINI_CASES } from './crafted/wire-gemini.ts';
import { RESPONSES_CASES } from './crafted/wire-responses.ts';
import { XML_CASES } from './crafted/xml.ts';
import { type FolderPlan, listFiles } from './folder-plan.ts';

export const SIDECARS = 'sidecars/';

const ABOUT =
  'The smallest stream for every contract error kind and for every rule, written by hand, each with what a correct parser makes of it.';

const DEFINED: readonly CraftedCase[] = [
  ...CTL_CASES,
  ...HEREDOC_CASES,
  ...XML_CASES,
  ...MESSAGE_CASES,
  ...LIMIT_CASES,
  ...JSON_CASES,
  ...IDENTITY_CASES,
  ...TEXT_CALL_CASES,
  ...STREAM_CASES,
  ...HERMES_CASES,
  ...QWEN_XML_CASES,
  ...GLM_CASES,
  ...DEEPSEEK_CASES,
  ...KIMI_CASES,
  ...HARMONY_CASES,
  ...CHAT_CASES,
  ...ANTHROPIC_CASES,
  ...RESPONSES_CASES,
  ...GEMINI_CASES,
];

/** The streams and the manifest of the suite in `dir`; of the carried-over cases the stream there is the source. */
export async function planCrafted(dir: string): Promise<FolderPlan> {
  const plan = new Map<string, Uint8Array>();
  const recordings: ManifestEntry[] = [];
  for (const [entry, bytes] of [...DEFINED.map(definedEntry), ...(await carriedCases(dir))]) {
    if (plan.has(entry.file)) throw new Error(`${entry.file} is defined twice`);
    plan.set(entry.file, bytes);
    recordings.push(entry);
  }
  const manifest = formatManifest({ format: MANIFEST_FORMAT, suite: 'crafted', about: ABOUT, recordings });
  plan.set(MANIFEST_FILE, Buffer.from(manifest));
  return plan;
}

/** Where the stream of a carried-over case stands, by the text of its sidecar. */
export function carriedFile(name: string, sidecar: string): string {
  return carriedEntry(name, sidecar).file;
}

type Planned = readonly [entry: ManifestEntry, bytes: Uint8Array];

function definedEntry({ id, framing, wire, rule, note, limits, bytes, expect }: CraftedCase): Planned {
  const named = { file: `${id}.${framing}.sse`, task: id, protocol: framing };
  const said = { expect, rule };
  const optional = {
    ...(note !== undefined && { note }),
    ...(limits !== undefined && { limits }),
    ...(wire !== undefined && { wire }),
  };
  return [entry({ ...named, ...said, ...optional }, bytes), bytes];
}

async function carriedCases(dir: string): Promise<readonly Planned[]> {
  const sidecars = (await listFiles(dir, SIDECARS)).filter((file) => file.endsWith('.json'));
  return Promise.all(
    sidecars.map(async (file) => {
      const name = file.slice(SIDECARS.length, -'.json'.length);
      const carried = carriedEntry(name, await readFile(join(dir, file), 'utf8'));
      const bytes = await readFile(join(dir, carried.file));
      return [entry(carried, bytes), bytes] as const;
    }),
  );
}

type Described = Pick<
  ManifestEntry,
  'file' | 'task' | 'protocol' | 'expect' | 'rule' | 'note' | 'origin' | 'limits' | 'tools'
> & { readonly wire?: WireFormat };

function entry({ file, task, protocol, wire = 'openai-chat', ...rest }: Described, bytes: Uint8Array): ManifestEntry {
  const unknown = { provider: null, model: null, recordedAt: null, request: null };
  const hash = { sha256: sha256(bytes), bytes: bytes.length };
  return { file, ...hash, task, protocol, wire, ...unknown, source: 'crafted', ...rest };
}

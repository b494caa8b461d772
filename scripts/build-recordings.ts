/**
 * `npm run recordings [-- --from DIR] [--cases DIR] [--check]`: builds the stored suites `replies` and `crafted` from
 * what the repository keeps. A second run changes no byte.
 *
 * --from DIR   first takes over texts, prompts and tasks of a folder of replies (`../shared/replies`)
 * --cases DIR  first takes over the small inputs behind real faults and their sidecars (`../shared/cases/streams`)
 * --check      writes nothing, and fails if anything would change
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { STREAM_SUFFIX } from '../harness/replay/manifest.ts';
import { carriedFile, planCrafted, SIDECARS } from './recordings/crafted-suite.ts';
import {
  applyChanges,
  compareFolder,
  type FolderChange,
  type FolderPlan,
  listFiles,
} from './recordings/folder-plan.ts';
import { planReplies } from './recordings/replies.ts';

const ROOT = resolve(import.meta.dirname, '..', 'recordings');
const REPLIES = join(ROOT, 'replies');
const CRAFTED = join(ROOT, 'crafted');

interface Step {
  readonly dir: string;
  readonly plan: () => Promise<FolderPlan>;
  /** The files that this step alone writes, and so may remove. */
  readonly owns: (path: string) => boolean;
}

const { values } = parseArgs({
  options: { from: { type: 'string' }, cases: { type: 'string' }, check: { type: 'boolean', default: false } },
});

const steps: readonly Step[] = [
  ...(values.from === undefined ? [] : [takeReplies(values.from)]),
  ...(values.cases === undefined ? [] : [takeCases(values.cases)]),
  { dir: REPLIES, plan: () => planReplies(REPLIES), owns: isStream },
  { dir: CRAFTED, plan: () => planCrafted(CRAFTED), owns: isStream },
];

const changes: FolderChange[] = [];
for (const { dir, plan, owns } of steps) {
  const planned = await plan();
  const found = await compareFolder(dir, planned, owns);
  if (!values.check) await applyChanges(dir, planned, found);
  changes.push(...found);
}
report(changes);

function takeReplies(source: string): Step {
  return {
    dir: REPLIES,
    owns: (path) => path.startsWith('texts/') || path.startsWith('prompts/'),
    plan: async () => {
      const files = (await listFiles(source)).filter((path) => /^(texts|prompts)\//.test(path));
      const plan = await copies(source, files);
      return new Map([...plan, ['tasks.json', await readFile(join(source, 'tasks', 'tasks.json'))]]);
    },
  };
}

function takeCases(source: string): Step {
  return {
    dir: CRAFTED,
    owns: (path) => path.startsWith(SIDECARS),
    plan: async () => {
      const plan = new Map<string, Uint8Array>();
      for (const file of (await listFiles(source)).filter((path) => path.endsWith('.json'))) {
        const name = file.slice(0, -'.json'.length);
        const sidecar = await readFile(join(source, file));
        plan.set(`${SIDECARS}${file}`, sidecar);
        plan.set(carriedFile(name, sidecar.toString('utf8')), await readFile(join(source, `${name}${STREAM_SUFFIX}`)));
      }
      return plan;
    },
  };
}

async function copies(source: string, files: readonly string[]): Promise<FolderPlan> {
  return new Map(await Promise.all(files.map(async (path) => [path, await readFile(join(source, path))] as const)));
}

function isStream(path: string): boolean {
  return path.endsWith(STREAM_SUFFIX);
}

function report(found: readonly FolderChange[]): void {
  for (const { what, file } of found) console.log(`${what.padEnd(8)} ${file.slice(ROOT.length + 1)}`);
  if (found.length === 0) console.log('recordings: nothing to do');
  else if (values.check) {
    console.error(`recordings: ${found.length} files are not as they would be built; run npm run recordings`);
    process.exitCode = 1;
  } else console.log(`recordings: ${found.length} files written or removed`);
}

/** From the sources to a tarball: `tsc` writes `dist/`, `npm pack` packs it with what package.json names. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { run } from './run.ts';
import { StepError } from './steps.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Packed {
  /** Absolute path of the tarball. */
  readonly path: string;
  readonly version: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the tarball, in hexadecimal. */
  readonly sha256: string;
  /** What it holds, in order of the paths, which are relative to the package. */
  readonly files: readonly string[];
}

/** What `npm pack --json` says, as far as it is wanted. */
const packReport = z.object({
  filename: z.string(),
  version: z.string(),
  files: z.array(z.object({ path: z.string() })),
});
const report = z.union([z.tuple([packReport]), z.record(z.string(), packReport)]);

/** Builds the package into the folder `out`. Throws a `StepError` if the sources do not type-check. */
export async function buildPackage(out: string): Promise<Packed> {
  await compile();
  await mkdir(out, { recursive: true });
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
  const packed = await run('npm', args, { cwd: ROOT });
  if (packed.code !== 0) throw new StepError(`npm pack failed:\n${packed.out}${packed.err}`.trimEnd());
  const [only] = Object.values(report.parse(JSON.parse(packed.out)));
  if (only === undefined) throw new StepError('npm pack packed nothing');
  const path = join(out, only.filename);
  const bytes = await readFile(path);
  return {
    path,
    version: only.version,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    files: only.files.map((file) => file.path).sort(),
  };
}

async function compile(): Promise<void> {
  await rm(join(ROOT, 'dist'), { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = await run(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: ROOT });
  if (compiled.code === 0) return;
  throw new StepError(
    `the sources do not type-check, and nothing is packed:\n${compiled.out}${compiled.err}`.trimEnd(),
  );
}

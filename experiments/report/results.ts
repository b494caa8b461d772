/** The committed results that the report shows: every file that their manifests list, as it stands on disk. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { InputError } from '../../harness/cli/run-command.ts';
import { DEFAULT_OPTIONS } from '../../harness/parsers/parser.ts';
import { DEFAULT_SEED } from '../../harness/replay/seeded.ts';
import { sha256 } from '../../harness/replay/stored-recording.ts';
import { parseCsv } from './csv.ts';

/** Names of the experiments, in the order of the page. */
export const LETTERS = ['c', 'peers', 'd', 'e'] as const;
export type Letter = (typeof LETTERS)[number];

export interface ResultTable {
  /** As in the repository: `results/c/errors.csv`. */
  readonly path: string;
  readonly csv: string;
}

export interface ResultChart {
  readonly name: string;
  /** Its Vega-Lite specification, and that drawn. */
  readonly spec: string;
  readonly svg: string;
}

export interface Results {
  readonly letter: Letter;
  readonly program: string;
  /** Recordings that they are about. */
  readonly recordings: readonly { readonly suite: string; readonly file: string; readonly sha256: string }[];
  readonly tables: readonly ResultTable[];
  readonly charts: readonly ResultChart[];
}

const MANIFEST = z.object({
  program: z.string(),
  options: z.object({ lineLimit: z.number(), seed: z.number(), filter: z.string().nullable() }),
  recordings: z.array(z.object({ suite: z.string(), file: z.string(), sha256: z.string() })),
  files: z.array(z.object({ path: z.string(), sha256: z.string().optional() })),
});

/**
 * Throws {@link InputError}, with the command that makes them, where results are not there, not whole, or not what the
 * run wrote: a file that was edited, or left by a run that was ended between two files, is not published.
 */
export async function readResults(root: string, letter: Letter): Promise<Results> {
  const read = async (file: string): Promise<Buffer> => {
    try {
      return await readFile(join(root, 'results', letter, file));
    } catch (error) {
      const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new InputError(`results/${letter}/${file} cannot be read (${why}): npm run exp:${letter} makes it`);
    }
  };
  const manifest = parseManifest((await read('manifest.json')).toString('utf8'), letter);
  refuseOtherRun(manifest.options, letter);
  const hashes = new Map(manifest.files.map((file) => [file.path, file.sha256]));
  const readListed = async (file: string): Promise<string> => {
    const bytes = await read(file);
    if (sha256(bytes) === hashes.get(file)) return bytes.toString('utf8');
    throw new InputError(
      `results/${letter}/${file} is not what its manifest lists (SHA-256): npm run exp:${letter} makes it anew`,
    );
  };
  const files = [...hashes.keys()];
  const tables = files.filter((file) => file.endsWith('.csv'));
  const charts = files.flatMap((file) => /^charts\/(.+)\.vl\.json$/.exec(file)?.[1] ?? []);
  return {
    letter,
    program: manifest.program,
    recordings: manifest.recordings,
    tables: await Promise.all(
      tables.map(async (file) => ({ path: `results/${letter}/${file}`, csv: await readListed(file) })),
    ),
    charts: await Promise.all(
      charts.map(async (name) => ({
        name,
        spec: await readListed(`charts/${name}.vl.json`),
        svg: await readListed(`charts/${name}.svg`),
      })),
    ),
  };
}

function parseManifest(text: string, letter: Letter): z.infer<typeof MANIFEST> {
  try {
    return MANIFEST.parse(JSON.parse(text));
  } catch {
    throw new InputError(`results/${letter}/manifest.json is no manifest of results: npm run exp:${letter} makes it`);
  }
}

/** The page says of every number that the plain command makes it. */
function refuseOtherRun({ lineLimit, seed, filter }: z.infer<typeof MANIFEST>['options'], letter: Letter): void {
  const others = [
    ...(filter === null ? [] : [`--filter ${filter}`]),
    ...(seed === DEFAULT_SEED ? [] : [`--seed ${seed}`]),
    ...(lineLimit === DEFAULT_OPTIONS.lineLimit ? [] : [`--l-line ${lineLimit}`]),
  ];
  if (others.length === 0) return;
  throw new InputError(
    `results/${letter} are of a run with ${others.join(' ')}: npm run exp:${letter} makes them anew`,
  );
}

/** Throws {@link InputError} where the results have no such table. */
export function tableOf({ letter, tables }: Results, file: string): ResultTable {
  const path = `results/${letter}/${file}`;
  const found = tables.find((table) => table.path === path);
  if (found === undefined)
    throw new InputError(`${path} is not listed in its manifest: npm run exp:${letter} makes it`);
  return found;
}

/** A row of a CSV file, by the columns that were asked for. */
export type Row<Column extends string> = { readonly [name in Column]: string };

/** The rows of a table, cells as they stand in the file. Throws {@link InputError} where a column is not there. */
export function rowsOf<const Column extends string>(
  results: Results,
  file: string,
  columns: readonly Column[],
): Row<Column>[] {
  const { path, csv } = tableOf(results, file);
  const [head = [], ...records] = parseCsv(csv);
  const places = columns.map((name): [Column, number] => [name, head.indexOf(name)]);
  const missing = places.find(([, place]) => place < 0);
  if (missing !== undefined) {
    throw new InputError(`${path} has no column ${missing[0]}: npm run exp:${results.letter} makes it anew`);
  }
  return records.map(
    (cells) => Object.fromEntries(places.map(([name, place]) => [name, cells[place] ?? ''])) as Row<Column>,
  );
}

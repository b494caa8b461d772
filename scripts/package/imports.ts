/** What the packed JavaScript imports, against what package.json promises to install. */
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';

export interface ImportsFound {
  /** `file: package` of each import that no dependency answers. */
  readonly missing: readonly string[];
  /** Dependencies that no file imports. */
  readonly unused: readonly string[];
}

/** @param files paths of the package's files, relative to `dir`. */
export async function findImports(
  dir: string,
  files: readonly string[],
  dependencies: readonly string[],
): Promise<ImportsFound> {
  const missing: string[] = [];
  const used = new Set<string>();
  for (const file of files.filter((path) => path.endsWith('.js'))) {
    for (const name of packagesOf(await readFile(join(dir, file), 'utf8'))) {
      if (dependencies.includes(name)) used.add(name);
      else missing.push(`${file}: ${name}`);
    }
  }
  return { missing, unused: dependencies.filter((name) => !used.has(name)) };
}

/** The packages that a module imports, or whose files it asks for with `require.resolve`. */
export function packagesOf(source: string): readonly string[] {
  const imported = ts.preProcessFile(source, true, true).importedFiles.map(({ fileName }) => fileName);
  const resolved = [...source.matchAll(/\brequire\.resolve\(\s*['"]([^'"]+)['"]/g)].map(([, name]) => name ?? '');
  const names = [...imported, ...resolved].filter((name) => !name.startsWith('.') && !isBuiltin(name));
  return [...new Set(names.map(packageName))];
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/**
 * `npm run check:package [-- --node 20,22,24]`: builds the package twice, installs it into an empty folder, and uses it as a
 * newcomer would; then tries docs/ci.md in a scratch repository. Needs the npm registry, git, bash and curl.
 *
 * --node LIST  versions of Node to use it on besides the running one, fetched from the registry with npx
 *
 * Exit codes: 0 all steps passed, 1 a step failed (it is shown with its output), 2 wrong option.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../../harness/cli/exit-code.ts';
import { runCommand, UsageError } from '../../harness/cli/run-command.ts';
import { checkRecipe } from './check-recipe.ts';
import { Consumer } from './consumer.ts';
import { readOptions } from './options.ts';
import { buildPackage, type Packed, ROOT } from './pack.ts';
import { run } from './run.ts';
import { cleanEnvironment, withScratch } from './scratch.ts';
import { expectCode, expectSame, StepError, Steps } from './steps.ts';
import { XmlValidator } from './xml.ts';

async function main(): Promise<number> {
  const { node } = readOptions('npm run check:package --', { node: { type: 'string' } });
  const versions = node === undefined ? [] : node.split(',');
  const wrong = versions.find((version) => !/^[0-9]+(\.[0-9]+){0,2}$/.test(version));
  if (wrong !== undefined) throw new UsageError(`--node takes versions such as 20,22,24, not ${JSON.stringify(wrong)}`);
  const steps = new Steps((line) => process.stdout.write(`${line}\n`));
  try {
    await withScratch((scratch) => check(scratch, versions, steps));
    process.stdout.write(`The package works: ${steps.count} steps passed.\n`);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT.violations;
  }
}

async function check(scratch: string, versions: readonly string[], steps: Steps): Promise<void> {
  const packed = await steps.step('the package is built, twice to the same bytes', () => buildTwice(scratch));
  const xml = await steps.step('an XML validator is installed', () => XmlValidator.install(scratch));
  const consumer = new Consumer({ packed, dir: await folder(scratch, 'consumer'), xml, steps });
  await consumer.install();
  await consumer.checkTypes();
  await consumer.use(process.execPath);
  for (const version of versions) {
    await consumer.use(await steps.step(`Node ${version} is fetched`, () => fetchNode(version, scratch)));
  }
  await checkRecipe({ root: ROOT, tarball: packed.path, scratch: await folder(scratch, 'recipe'), xml, steps });
}

async function buildTwice(scratch: string): Promise<Packed> {
  const first = await buildPackage(join(scratch, 'first'));
  const second = await buildPackage(join(scratch, 'second'));
  expectSame('the second build', describe(second), describe(first));
  return second;
}

function describe({ files, sha256 }: Packed): string {
  return `${files.join('\n')}\nsha256 ${sha256}`;
}

/** The executable of a version of Node. */
async function fetchNode(version: string, scratch: string): Promise<string> {
  const args = ['--yes', '--package', `node@${version}`, '--', 'node', '-p', 'process.execPath'];
  const fetched = await run('npx', args, { cwd: scratch, env: cleanEnvironment(process.execPath) });
  return expectCode(fetched, 0).out.trim();
}

async function folder(scratch: string, name: string): Promise<string> {
  const dir = join(scratch, name);
  await mkdir(dir);
  return dir;
}

await runCommand(main);

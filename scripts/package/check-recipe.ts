/** docs/ci.md and its workflow, tried as they are written: in a scratch repository, to success and to failure. */
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { type Ran, run } from './run.ts';
import { cleanEnvironment } from './scratch.ts';
import { ShellBlocks } from './shell-blocks.ts';
import { expectCode, expectPart, StepError, type Steps } from './steps.ts';
import { type RunStep, runSteps } from './workflow.ts';
import type { XmlValidator } from './xml.ts';

const WEATHER = 'recordings/weather.native.sse';
/** Git as it is without anybody's settings, and no proxy before the server on this machine. */
const SETTINGS = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
  NO_PROXY: '127.0.0.1',
  no_proxy: '127.0.0.1',
  API_KEY: 'none',
};

export interface Recipe {
  /** Root of this repository. */
  readonly root: string;
  /** Absolute path of the tarball. */
  readonly tarball: string;
  /** An empty folder. */
  readonly scratch: string;
  readonly xml: XmlValidator;
  readonly steps: Steps;
}

export async function checkRecipe(recipe: Recipe): Promise<void> {
  await new RecipeCheck(recipe, await readFile(join(recipe.root, 'docs/ci.md'), 'utf8')).check();
}

class RecipeCheck {
  readonly #recipe: Recipe;
  readonly #blocks: ShellBlocks;
  readonly #repository: string;
  readonly #clone: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(recipe: Recipe, page: string) {
    this.#recipe = recipe;
    this.#blocks = new ShellBlocks(page);
    this.#repository = join(recipe.scratch, 'repository');
    this.#clone = join(recipe.scratch, 'clone');
    this.#env = { ...cleanEnvironment(process.execPath), ...SETTINGS };
  }

  async check(): Promise<void> {
    const { steps } = this.#recipe;
    await steps.step('recipe: the package is installed into a repository', () => this.#install());
    await steps.step('recipe: a stream is recorded with curl, parsed and drawn', () => this.#record());
    await steps.step('recipe: the check passes, a baseline is kept', () => this.#checkAndKeep());
    const run = await steps.step('recipe: the workflow is read', () => this.#workflow());
    await steps.step('recipe: the workflow passes in a fresh clone', () => this.#passes(run));
    await steps.step('recipe: a recording is broken, and the workflow fails and says which', () => this.#fails(run));
    await steps.step('recipe: a recording that reads otherwise differs from the baseline', () => this.#differs(run));
    await steps.step('recipe: a manifest is written, and an expectation that is not met fails', () => this.#expects());
    await steps.step('recipe: what is known is accepted, until it is gone', () => this.#accepts());
    await steps.step('recipe: every command of the page was tried', () => {
      if (this.#blocks.left > 0) throw new StepError(`docs/ci.md has ${this.#blocks.left} blocks that were not tried`);
    });
  }

  async #install(): Promise<void> {
    const { root, tarball } = this.#recipe;
    await mkdir(join(this.#repository, 'path/to'), { recursive: true });
    await copyFile(tarball, join(this.#repository, 'path/to', basename(tarball)));
    await writeFile(join(this.#repository, '.gitignore'), 'node_modules/\npath/\nreport.xml\n');
    expectCode(await this.#shell('git init -q && npm init -y', this.#repository), 0);
    expectCode(await this.#shell(this.#blocks.take('npm install'), this.#repository), 0);
    await copyFile(join(root, 'recordings/replies/t02.ctl.sse'), join(this.#repository, 'recordings/listing.ctl.sse'));
    await writeFile(join(this.#repository, 'request.json'), '{"stream": true}\n');
  }

  async #record(): Promise<void> {
    const stream = await this.#shipped('replies/t02.native.sse');
    const block = this.#blocks.take('curl');
    const server = await serve(stream);
    try {
      const { port } = server.address() as AddressInfo;
      expectCode(await this.#shell(block, this.#repository, { BASE_URL: `http://127.0.0.1:${port}/v1` }), 0);
    } finally {
      server.close();
    }
    const recorded = await readFile(join(this.#repository, WEATHER));
    if (!recorded.equals(stream)) throw new StepError(`${WEATHER} has other bytes than were sent`);
    const shown = expectCode(await this.#shell(this.#blocks.take('cst parse'), this.#repository), 0);
    expectPart('the output', shown.out, `${WEATHER}: json-whole (guessed), complete stream, 2 executable calls`);
  }

  async #checkAndKeep(): Promise<void> {
    const checked = expectCode(await this.#shell(this.#blocks.take('--junit'), this.#repository), 0);
    expectPart('the output', checked.out, '2 streams in 3 readings');
    expectCode(await this.#shell(this.#blocks.take('> baseline.jsonl'), this.#repository), 0);
    const compared = this.#blocks.take('diff baseline.jsonl -');
    expectCode(await this.#shell(compared, this.#repository), 0);
  }

  async #workflow(): Promise<readonly RunStep[]> {
    const file = 'docs/examples/check-recordings.yml';
    const text = await readFile(join(this.#recipe.root, file), 'utf8');
    const page = await readFile(join(this.#recipe.root, 'docs/ci.md'), 'utf8');
    expectPart('docs/ci.md', page, `\`\`\`yaml\n${text}\`\`\`\n`);
    const target = join(this.#repository, '.github/workflows');
    await mkdir(target, { recursive: true });
    await writeFile(join(target, 'check-recordings.yml'), text);
    expectCode(await this.#shell("git add . && git commit -q -m 'Recordings'", this.#repository), 0);
    return runSteps(text, file);
  }

  async #passes(workflow: readonly RunStep[]): Promise<void> {
    expectCode(await this.#shell('git clone -q repository clone', this.#recipe.scratch), 0);
    for (const { run: lines } of workflow) expectCode(await this.#shell(lines, this.#clone), 0);
    expectPart('the report', await this.#report(), '<testsuites name="cst check" tests="42" failures="0" errors="0"');
  }

  async #fails(workflow: readonly RunStep[]): Promise<void> {
    await writeFile(join(this.#clone, WEATHER), await this.#broken());
    const ends: string[] = [];
    for (const { name, run: lines } of workflow.slice(1)) ends.push(`${name} ${(await this.#shell(lines)).code}`);
    const expected = workflow.slice(1).map(({ name }) => `${name} 1`);
    if (ends.join('\n') !== expected.join('\n')) throw new StepError(`the steps ended with\n${ends.join('\n')}`);
    const report = await this.#report();
    const suites = report.split('<testsuite ').filter((suite) => suite.includes('<failure '));
    if (suites.length !== 1) throw new StepError(`one test suite should have failures:\n${report}`);
    expectPart('the failed test suite', suites[0] ?? '', `name="${WEATHER} (json-object)"`);
    expectPart(
      'the failed test suite',
      suites[0] ?? '',
      '<failure type="S1" message="call c1 (get_weather) is executable',
    );
  }

  /** A stream that is as safe as before, and means something else: only the baseline can tell. */
  async #differs(workflow: readonly RunStep[]): Promise<void> {
    await writeFile(join(this.#clone, WEATHER), await this.#shipped('replies/t01.native.sse'));
    const [, check, compare] = workflow;
    if (check === undefined || compare === undefined) throw new StepError('the workflow has not three run: steps');
    expectCode(await this.#shell(check.run), 0);
    const { out } = expectCode(await this.#shell(compare.run), 1);
    expectPart('the difference', out, `\n> {"file":"${WEATHER}"`);
    expectCode(await this.#shell('git checkout -q -- recordings'), 0);
  }

  async #expects(): Promise<void> {
    await cp(join(this.#recipe.root, 'docs/examples/write-manifest.mjs'), join(this.#clone, 'write-manifest.mjs'));
    const { out } = expectCode(await this.#shell(this.#blocks.take('write-manifest.mjs')), 0);
    expectPart('the output', out, '2 recordings, all as their manifests say');
    const manifest = join(this.#clone, 'recordings/manifest.json');
    const text = await readFile(manifest, 'utf8');
    const met = expectCode(await this.#shell('npx cst check recordings --junit report.xml'), 0);
    expectPart('the output', met.out, 'expectation  holds 3, violated 0');
    await writeFile(manifest, text.replaceAll('"name": "read_file"', '"name": "read"'));
    expectCode(await this.#shell('npx cst check recordings --junit report.xml'), 1);
    expectPart('the report', await this.#report(), 'name read_file, expected read ');
    await writeFile(join(this.#clone, WEATHER), await this.#broken());
    expectCode(await this.#shell('npx cst verify recordings'), 1);
    expectCode(await this.#shell('npx cst check recordings'), 3);
    expectCode(await this.#shell('rm recordings/manifest.json'), 0);
  }

  async #accepts(): Promise<void> {
    const { out } = expectCode(await this.#shell(this.#blocks.take('--write-known')), 0);
    expectPart('the output', out, 'Everything else holds: 3 expected findings.');
    expectPart('the report', await this.#report(), '<skipped message="expected finding: not explained yet: call c1');
    expectCode(await this.#shell('git checkout -q -- recordings'), 0);
    expectCode(await this.#shell('npx cst check recordings --known known.json --junit report.xml'), 1);
    expectPart('the report', await this.#report(), `json-object no longer violates S1 on ${WEATHER}`);
  }

  /** As GitHub runs the lines of a step. */
  #shell(lines: string, cwd = this.#clone, more: NodeJS.ProcessEnv = {}): Promise<Ran> {
    return run('bash', ['-e', '-c', lines], { cwd, env: { ...this.#env, ...more } });
  }

  async #report(): Promise<string> {
    const path = join(this.#clone, 'report.xml');
    await this.#recipe.xml.expectWellFormed(path);
    return readFile(path, 'utf8');
  }

  #shipped(file: string): Promise<Buffer> {
    return readFile(join(this.#recipe.root, 'recordings', file));
  }

  /** The provider sends `{}`, opens the next call, and comes back. */
  #broken(): Promise<Buffer> {
    return this.#shipped('crafted/case-02-empty-object-then-arguments-parallel.native.sse');
  }
}

/** A model server that has one answer. */
async function serve(stream: Uint8Array): Promise<Server> {
  const server = createServer((request, response) => {
    const isKnown = request.method === 'POST' && request.url === '/v1/chat/completions';
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'text/event-stream' }).end(isKnown ? stream : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** A user's folder: the package installed into nothing, its command and its API used on one Node after the other. */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCst } from '../../harness/cli/program.ts';
import { findImports } from './imports.ts';
import { type Packed, ROOT } from './pack.ts';
import { type Ran, run } from './run.ts';
import { cleanEnvironment, npmInstall } from './scratch.ts';
import { expectCode, expectPart, expectSame, StepError, type Steps } from './steps.ts';
import type { XmlValidator } from './xml.ts';

/** Files of the user's, and which of the shipped recordings they are. */
const STREAMS = {
  'recordings/listing.ctl.sse': 'replies/t02.ctl.sse',
  'recordings/listing.native.sse': 'replies/t02.native.sse',
  'answer.native.sse': 'crafted/case-02-empty-object-then-arguments-parallel.native.sse',
} as const;
const EXAMPLES = ['parse-and-check.mjs', 'run-as-it-comes.mjs'] as const;

/** Strictest of all: the package's own declarations are checked too, and no types of Node are there. */
const COMPILER_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  types: [],
  target: 'ES2022',
  lib: ['ES2022', 'DOM'],
  noEmit: true,
};
const RESOLUTIONS = [
  { module: 'NodeNext', moduleResolution: 'NodeNext' },
  { module: 'ESNext', moduleResolution: 'Bundler' },
] as const;
/** If the types were lost, this would be right, and the directive an error. */
const MISTAKE = `import { parseStream } from 'cst-eval';
// @ts-expect-error there is no such protocol
parseStream(new Uint8Array(0), { protocol: 'yaml' });
`;

export interface ConsumerOptions {
  readonly packed: Packed;
  /** An empty folder. */
  readonly dir: string;
  readonly xml: XmlValidator;
  readonly steps: Steps;
}

export class Consumer {
  readonly #packed: Packed;
  readonly #dir: string;
  readonly #xml: XmlValidator;
  readonly #steps: Steps;
  /** Of the Node at hand. */
  #env: NodeJS.ProcessEnv = {};
  readonly #used = new Set<string>();

  constructor({ packed, dir, xml, steps }: ConsumerOptions) {
    this.#packed = packed;
    this.#dir = dir;
    this.#xml = xml;
    this.#steps = steps;
  }

  async install(): Promise<void> {
    await this.#steps.step('the tarball is installed into an empty folder', () =>
      npmInstall(this.#dir, [this.#packed.path]),
    );
    await this.#steps.step('it imports nothing but its dependencies', () => this.#checkImports());
    await mkdir(join(this.#dir, 'recordings'));
    for (const [file, shipped] of Object.entries(STREAMS)) {
      await copyFile(join(ROOT, 'recordings', shipped), join(this.#dir, file));
    }
    for (const name of EXAMPLES) await copyFile(join(ROOT, 'docs/examples', name), join(this.#dir, name));
  }

  /** A TypeScript user's build, with this repository's compiler. */
  async checkTypes(): Promise<void> {
    await copyFile(join(ROOT, 'docs/examples/own-parser.mts'), join(this.#dir, 'own-parser.mts'));
    await writeFile(join(this.#dir, 'mistake.mts'), MISTAKE);
    for (const resolution of RESOLUTIONS) {
      await this.#steps.step(`its types are right under ${resolution.moduleResolution}`, async () => {
        const config = { compilerOptions: { ...COMPILER_OPTIONS, ...resolution }, include: ['*.mts'] };
        await writeFile(join(this.#dir, 'tsconfig.json'), JSON.stringify(config));
        const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
        expectCode(await run(process.execPath, [tsc, '-p', '.'], { cwd: this.#dir }), 0);
      });
    }
  }

  /** Everything that a user does, on one Node; nothing if that very version was used before. @param node its executable. */
  async use(node: string): Promise<void> {
    this.#env = cleanEnvironment(node);
    const { out } = expectCode(await run(node, ['--version'], { cwd: this.#dir }), 0);
    if (this.#used.has(out)) return;
    this.#used.add(out);
    const on = `Node ${out.trim()}:`;
    const step = (name: string, work: () => Promise<void>): Promise<void> => this.#steps.step(`${on} ${name}`, work);
    await step('--version, --help', () => this.#askForHelp());
    await step('parse gives the calls that the sources give', () => this.#parse());
    await step('check passes, and writes JUnit XML', () => this.#check());
    await step('check finds a violation', () => this.#findViolation());
    await step('timeline draws the SVG that the sources draw', () => this.#draw());
    await step('a mistake is said in one sentence', () => this.#mistakes());
    await step('the examples of docs/api.md print what it shows', () => this.#examples());
  }

  async #checkImports(): Promise<void> {
    const dir = join(this.#dir, 'node_modules/cst-eval');
    const { dependencies } = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8')) as { dependencies: object };
    const { missing, unused } = await findImports(dir, this.#packed.files, Object.keys(dependencies));
    if (missing.length > 0) throw new StepError(`these are no dependencies:\n${missing.join('\n')}`);
    if (unused.length > 0) this.#steps.note(`installed with it, and not imported: ${unused.join(', ')}`);
  }

  async #askForHelp(): Promise<void> {
    const version = expectCode(await this.#cst('--version'), 0);
    expectSame('the output', version.out + version.err, `${this.#packed.version}\n`);
    const help = expectCode(await this.#cst('--help'), 0);
    expectSame('the output', help.out + help.err, await inSources(this.#dir, ['--help']));
  }

  async #parse(): Promise<void> {
    const args = ['parse', ...Object.keys(STREAMS), '--json'];
    const { out, err } = expectCode(await this.#cst(...args), 0);
    expectSame('the output', out + err, await inSources(this.#dir, args));
    expectPart('the output', out, '"calls":[{"id":"c1","name":"list_dir"');
  }

  async #check(): Promise<void> {
    const { out } = expectCode(await this.#cst('check', 'recordings', '--junit', 'report.xml'), 0);
    expectPart('the output', out, 'Everything holds.');
    await this.#xml.expectWellFormed(join(this.#dir, 'report.xml'));
    const report = await readFile(join(this.#dir, 'report.xml'), 'utf8');
    expectPart('the report', report, 'name="recordings/listing.native.sse (json-object)"');
    expectPart('the report', report, 'failures="0" errors="0"');
  }

  async #findViolation(): Promise<void> {
    const { out } = expectCode(await this.#cst('check', 'answer.native.sse', '--junit', 'report.xml'), 1);
    expectPart('the output', out, 'VIOLATED S1: answer.native.sse, json-object');
    await this.#xml.expectWellFormed(join(this.#dir, 'report.xml'));
    const again = out.match(/to see it: (npx cst parse .*)\n/)?.[1];
    if (again === undefined) throw new StepError(`the output has no command that shows it again:\n${out}`);
    const seen = await run('bash', ['-c', again], { cwd: this.#dir, env: this.#env });
    expectPart('what is shown again', expectCode(seen, 0).out, 'answer.native.sse: json-object');
  }

  async #draw(): Promise<void> {
    const args = ['timeline', 'recordings/listing.ctl.sse', '--svg'];
    expectCode(await this.#cst(...args, 'packed.svg'), 0);
    await inSources(this.#dir, [...args, 'sources.svg']);
    const [packed, sources] = await Promise.all(
      ['packed.svg', 'sources.svg'].map((name) => readFile(join(this.#dir, name), 'utf8')),
    );
    expectSame('the SVG', packed ?? '', sources ?? '');
    await rm(join(this.#dir, 'sources.svg'));
  }

  async #mistakes(): Promise<void> {
    const mistakes = [
      { args: ['check', 'recordings', '--jnuit', 'r.xml'], code: 2, words: 'unknown option or argument: jnuit' },
      { args: ['parse', 'nowhere.sse'], code: 3, words: 'nowhere.sse: no such file or folder' },
      { args: ['verify'], code: 3, words: 'recordings: there is no manifest.json here' },
    ];
    for (const { args, code, words } of mistakes) {
      const { err } = expectCode(await this.#cst(...args), code);
      expectPart('the message', err, words);
      if (err.trimEnd().split('\n').length > 2) throw new StepError(`the message is more than two lines:\n${err}`);
    }
  }

  async #examples(): Promise<void> {
    const page = await readFile(join(ROOT, 'docs/api.md'), 'utf8');
    const parsed = await this.#node('parse-and-check.mjs', 'answer.native.sse', 'json-object');
    expectPart('docs/api.md', page, `\`\`\`text\n${expectCode(parsed, 0).out}\`\`\`\n`);
    const input = await readFile(join(this.#dir, 'recordings/listing.ctl.sse'));
    const ran = await run('node', ['run-as-it-comes.mjs', 'ctl'], { cwd: this.#dir, env: this.#env, input });
    expectPart('docs/api.md', page, `\`\`\`text\n${expectCode(ran, 0).out}\`\`\`\n`);
  }

  #cst(...args: readonly string[]): Promise<Ran> {
    return run(join(this.#dir, 'node_modules/.bin/cst'), args, { cwd: this.#dir, env: this.#env });
  }

  #node(...args: readonly string[]): Promise<Ran> {
    return run('node', args, { cwd: this.#dir, env: this.#env });
  }
}

/** What `cst` from the sources writes, to both outputs, in a folder. */
async function inSources(dir: string, argv: readonly string[]): Promise<string> {
  let written = '';
  const write = (text: string): void => {
    written += text;
  };
  const before = process.cwd();
  process.chdir(dir);
  try {
    await runCst(argv, { out: write, err: write, input: nothing(), columns: 100, colour: false });
  } finally {
    process.chdir(before);
  }
  return written;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packagesOf } from './imports.ts';
import { ROOT } from './pack.ts';
import { run } from './run.ts';
import { cleanEnvironment } from './scratch.ts';
import { ShellBlocks, shellBlocks } from './shell-blocks.ts';
import { expectCode, expectPart, expectSame, StepError, Steps } from './steps.ts';
import { runSteps } from './workflow.ts';

const job = (steps: string): string => `jobs:\n  check:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;

describe('the run: steps of a workflow', () => {
  it('are those of the example, in order', () => {
    const file = 'docs/examples/check-recordings.yml';
    const steps = runSteps(readFileSync(join(ROOT, file), 'utf8'), file);
    expect(steps.map(({ run: lines }) => lines)).toEqual([
      'npm ci',
      'npx cst check recordings --junit report.xml',
      'export LC_ALL=C\nnpx cst parse recordings/*.sse --json | diff baseline.jsonl -\n',
    ]);
  });

  it.each([
    ['a condition', '      - name: a\n        run: x\n        if: always()\n'],
    ['an environment', '      - name: a\n        run: x\n        env:\n          A: b\n'],
    ['no name', '      - run: x\n'],
    ['no step', '      []\n'],
    ['actions alone', '      - uses: actions/checkout@v6\n'],
  ])('are refused where they have %s', (_what, steps) => {
    expect(() => runSteps(job(steps), 'w.yml')).toThrow(StepError);
    expect(() => runSteps(job(steps), 'w.yml')).toThrow(/^w\.yml has /);
  });
});

describe('the shell blocks of a page', () => {
  const page = 'a\n```sh\none\ntwo\n```\n```json\n{}\n```\n```sh\nthree\n```\n';

  it('are found whole, and no others', () => {
    expect(shellBlocks(page)).toEqual(['one\ntwo\n', 'three\n']);
  });

  it('are handed out in order, each under a word of it', () => {
    const blocks = new ShellBlocks(page);
    expect(blocks.take('two')).toBe('one\ntwo\n');
    expect(blocks.left).toBe(1);
    expect(() => blocks.take('four')).toThrow('block 2 should be about four: three');
    expect(() => blocks.take('five')).toThrow('there is none');
  });
});

describe('the packages of a module', () => {
  it.each([
    ["import a from 'yargs';", ['yargs']],
    ["import { b } from '@resvg/resvg-js/x.js';\nexport * from 'zod';", ['@resvg/resvg-js', 'zod']],
    ["import 'node:fs'; import 'fs'; import './a.js'; import '../b.js';", []],
    ["const a = await import('vega');", ['vega']],
    ["const b = require('vega-lite/build');", ['vega-lite']],
    ["const f = require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');", ['dejavu-fonts-ttf']],
    ["// import 'comment';\nconst text = \"import 'string'\";", []],
  ])('%j are %j', (source, packages) => {
    expect(packagesOf(source)).toEqual(packages);
  });
});

describe('steps', () => {
  it('are a line each, until one fails with its name and all that it said', async () => {
    const lines: string[] = [];
    const steps = new Steps((line) => lines.push(line));
    expect(await steps.step('first', () => 7)).toBe(7);
    steps.note('a remark');
    const failing = steps.step('second', async () => {
      expectCode(await run(process.execPath, ['-e', 'console.log("out"); process.exit(4)'], { cwd: ROOT }), 0);
    });
    await expect(failing).rejects.toThrow(/^FAILED {2}second\n.* -e .*\nexit code 4, expected 0\nout$/);
    expect([lines, steps.count]).toEqual([['ok  first', '    a remark'], 1]);
  });

  it('do not hide an error of their own', async () => {
    const steps = new Steps(() => {});
    const failing = steps.step('bug', () => {
      throw new TypeError('a bug');
    });
    await expect(failing).rejects.toThrow(new TypeError('a bug'));
  });

  it('compare texts', () => {
    expect(() => expectSame('it', 'a', 'b')).toThrow('it is\na\nand should be\nb');
    expect(() => expectPart('it', 'a', 'b')).toThrow('it lacks "b":\na');
    expectSame('it', 'a', 'a');
    expectPart('it', 'abc', 'b');
  });
});

describe('a program that is run', () => {
  it('gets input, and is heard on both outputs', async () => {
    const program = 'process.stdin.on("data", (d) => { console.log(String(d)); console.error("e"); })';
    const ran = await run(process.execPath, ['-e', program], { cwd: ROOT, input: Buffer.from('in') });
    expect(ran).toMatchObject({ code: 0, out: 'in\n', err: 'e\n' });
  });

  it('in a clean environment knows nothing of the npm script around it', () => {
    const { PATH, ...env } = cleanEnvironment('/node/bin/node');
    expect(PATH).toMatch(/^\/node\/bin[:;]/);
    expect(Object.keys(env).filter((name) => /^npm_(lifecycle|package)_|^INIT_CWD$/.test(name))).toEqual([]);
  });
});

describe('npm run build and npm run check:package', () => {
  it.each([
    [['scripts/package/build.ts', '--uot', 'x'], "Unknown option '--uot'; npm run build -- takes --out OUT\n"],
    [
      ['scripts/package/check-package.ts', '--node', '22,latest'],
      '--node takes versions such as 20,22,24, not "latest"\n',
    ],
  ])('%j is a mistake that is said in one sentence', async ([script = '', ...args], message) => {
    const ran = await run(process.execPath, ['--import', 'tsx', script, ...args], { cwd: ROOT });
    expect(ran).toMatchObject({ code: 2, out: '', err: message });
  });
});

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFindings } from './findings.ts';
import { KINDS, kindOf } from './kinds.ts';
import { FEEDS, PAIRS } from './pairs.ts';
import { FINDINGS_FILE, withTables } from './table.ts';
import { tables } from './tables.ts';

const findings = readFindings(FINDINGS_FILE);
const page = join(import.meta.dirname, '../../docs/server-parsers.md');

describe('the tables of docs/server-parsers.md', () => {
  it('are those of the findings', () => {
    const document = readFileSync(page, 'utf8');
    expect(withTables(document, tables(findings), page)).toBe(document);
  });

  it('have a run of every pair, fed both ways, over streams that are there', () => {
    const wanted = PAIRS.flatMap(({ server, parser }) => FEEDS.map((feed) => `${server} ${parser} ${feed}`));
    expect(findings.runs.map(({ server, parser, feed }) => `${server} ${parser} ${feed}`)).toEqual(wanted);
    expect(Math.min(...findings.runs.map(({ streams }) => streams))).toBeGreaterThan(30);
  });

  it('explain every finding, and no kind is without one', () => {
    expect(findings.rows.filter((row) => kindOf(row) === null)).toEqual([]);
    const found = new Set(findings.rows.map((row) => kindOf(row)));
    expect(KINDS.filter((kind) => !found.has(kind)).map(({ what }) => what)).toEqual([]);
  });

  it('need their markers', () => {
    expect(() => withTables('# A page', 'x', 'page.md')).toThrow('page.md: the markers');
  });
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

/** What a program prints that imports the modules beside this test; they need no server to be imported. */
function python(program: string): unknown {
  const path = `import sys, json; sys.path.insert(0, ${JSON.stringify(import.meta.dirname)}); sys.dont_write_bytecode = True`;
  const { stdout, stderr } = spawnSync('python3', ['-c', `${path}\n${program}`], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** The answers of the client to each of the deltas, and to a complete end. */
function client(deltas: readonly (readonly unknown[])[], skipsBroken: boolean): unknown {
  return python(`
from server_parser import Client
client, told, answers = Client(False, ${skipsBroken ? 'True' : 'False'}), 0, []
for delta in [*json.loads(${JSON.stringify(JSON.stringify(deltas))}), None]:
    client.take(delta) if delta else client.run(list(client.calls))
    answers.append(client.answer(told)); told = len(client.ran)
print(json.dumps(answers))`);
}

describe.skipIf(!hasPython)('the client of server_parser.py (needs python3)', () => {
  const call = (ordinal: number, args: string) => ({ ordinal, id: null, name: 't', arguments: args });

  it('runs a call when the next begins, and the last at a complete end', () => {
    const deltas = [
      [0, null, 't', ''],
      [0, null, null, '{"k":1}'],
      [1, null, 't', '{}'],
    ];
    const ran = [{}, {}, { calls: [call(0, '{"k":1}')] }, { calls: [call(1, '{}')] }];
    expect(client(deltas, false)).toEqual(ran);
  });

  it('tells that a call has changed after it ran', () => {
    const deltas = [
      [0, null, 't', ''],
      [1, null, 't', '{}'],
      [0, null, null, '{"k":1}'],
    ];
    const ran = [{}, { calls: [call(0, '')] }, { keep: 0, calls: [call(0, '{"k":1}')] }, { calls: [call(1, '{}')] }];
    expect(client(deltas, false)).toEqual(ran);
  });

  it.each(['[]', '{"k":', '{"k":NaN}'])('does not run a call with the arguments %s', (args) => {
    const deltas = [[0, null, 't', args]];
    const fault = `the arguments are no JSON object, or there is no name: call 0, 't', '${args}'`;
    expect(client(deltas, false)).toEqual([{}, { fault }]);
    expect(client(deltas, true)).toEqual([{}, { unfinished: { arrived: 1 } }]);
  });

  it('keeps back what may become a marker, and knows it as one token', () => {
    const cut = 'from tokens import Tokenizer; t = Tokenizer("glm")';
    const shown =
      'print(json.dumps([t.cut("a<tool_"), t.cut("<tool_call>x<"), t.encode("<arg_key>b"), t.decode(t.encode("<é"))]))';
    expect(python(`${cut}\n${shown}`)).toEqual([
      [['a'], '<tool_'],
      [['<tool_call>', 'x'], '<'],
      [0x110000 + 2, 98],
      '<é',
    ]);
  });

  it('has the parsers of pairs.ts', () => {
    const dialects = python('from servers import DIALECTS; print(json.dumps(DIALECTS))');
    const of = (server: string) =>
      Object.fromEntries(
        PAIRS.filter((pair) => pair.server === server).map(({ parser, dialect }) => [parser, dialect]),
      );
    expect(dialects).toEqual({ sglang: of('sglang'), vllm: of('vllm') });
  });
});

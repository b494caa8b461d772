import { expect, test } from 'vitest';
import { ORACLES } from '../../harness/oracles/oracles.ts';
import { DEFAULT_OPTIONS } from '../../harness/parsers/parser.ts';
import { parseTasks, type RecordTask } from '../../harness/record/task-file.ts';
import { readMaterial } from './material.ts';
import { meantCalls, taskFile, WAYS, type Way } from './task-files.ts';

const material = await readMaterial();
const tasksOf = (way: Way): readonly RecordTask[] => parseTasks(taskFile(way, material), `${way}.jsonl`);

test('every way puts the same 20 tasks, and no two recordings of a protocol have one name', () => {
  const names = WAYS.map((way) => tasksOf(way).map(({ name }) => name.replace(/-(grammar|text)$/, '')));
  expect(names.map((list) => list.length)).toEqual([20, 20, 20, 20, 20, 20, 20]);
  expect(new Set(names.map((list) => list.join())).size).toBe(1);
  expect(tasksOf('ctl-grammar').map(({ name }) => name)).not.toEqual(tasksOf('ctl').map(({ name }) => name));
  expect(tasksOf('native-text').map(({ name }) => name)).not.toEqual(tasksOf('native').map(({ name }) => name));
});

test('an example is never the task itself', () => {
  const asked = new Set(material.tasks.map(({ user }) => user));
  expect(material.shots.filter(({ user }) => asked.has(user))).toEqual([]);
});

test.each(['ctl', 'ctl-grammar'] as const)('the lengths in the examples of %s are right', (way) => {
  const [first] = tasksOf(way);
  const answers = (first?.messages ?? []).filter(({ role }) => role === 'assistant');
  expect(answers.map(({ content }) => readCtl(String(content)))).toEqual(
    material.shots.map((shot) => meantCalls(shot).map(({ id, name, args }) => [id, name, ...args])),
  );
});

test('a grammar goes with the tasks that are named so, and a forced function with the native ones', () => {
  const bodies = (way: Way) => [...new Set(tasksOf(way).map(({ body }) => Object.keys(body ?? {}).join()))];
  expect(WAYS.map(bodies)).toEqual([[''], ['grammar'], [''], [''], ['tool_choice'], [''], ['']]);
  const forced = tasksOf('native').map(({ body }) => body?.['tool_choice']);
  expect(forced[0]).toEqual({ type: 'function', function: { name: 'read_file' } });
});

test('the examples of native-text are calls in JSON, one alone and several in an array', () => {
  const [first] = tasksOf('native-text');
  const answers = (first?.messages ?? []).filter(({ role }) => role === 'assistant');
  expect(answers.map(({ content }) => JSON.parse(String(content)))[0]).toEqual({
    name: 'read_file',
    arguments: { path: 'log.txt' },
  });
  expect(answers.map(({ content }) => String(content)[0])).toEqual(['{', '{', '{', '{', '{', '[', '{']);
});

test('the examples of hermes are one block for each call', () => {
  const [first] = tasksOf('hermes');
  const answers = (first?.messages ?? []).filter(({ role }) => role === 'assistant');
  expect(answers[5]?.['content']).toBe(
    '<tool_call>\n{"name":"list_dir","arguments":{"path":"lib"}}\n</tool_call>\n' +
      '<tool_call>\n{"name":"read_file","arguments":{"path":"lib/x.js"}}\n</tool_call>\n',
  );
});

/** `[id, name, [key, value]…]` of each call, by the oracle. */
function readCtl(text: string): unknown[] {
  const bytes = Buffer.from(text);
  const { calls } = ORACLES.ctl([{ type: 'text', at: 0, bytes }], 'complete', DEFAULT_OPTIONS);
  return calls.map(({ id, name, args }) => [
    id,
    name,
    ...(args.form === 'values' ? args.values.map(({ key, bytes: value }) => [key, `${Buffer.from(value)}`]) : []),
  ]);
}

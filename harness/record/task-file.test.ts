import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseTasks, readTasks } from './task-file.ts';

describe('tasks are read', () => {
  test('from the file of the shipped suite', async () => {
    const tasks = await readTasks(fileURLToPath(new URL('../../recordings/replies/tasks.json', import.meta.url)));
    expect([tasks.length, tasks[0]]).toEqual([
      28,
      { name: 't01', messages: [{ role: 'user', content: 'Show me what is in src/index.ts.' }] },
    ]);
  });

  test('from JSON Lines, with empty lines, CRLF and a byte order mark', () => {
    const messages = [
      { role: 'system', content: 's' },
      { role: 'user', content: 'é' },
    ];
    const lines = ['\ufeff{"task":"a","prompt":"x"}\r', '', JSON.stringify({ task: 'b', messages, body: { n: 1 } })];
    expect(parseTasks(lines.join('\n'), 'f')).toEqual([
      { name: 'a', messages: [{ role: 'user', content: 'x' }] },
      { name: 'b', messages, body: { n: 1 } },
    ]);
  });
});

describe('tasks are refused, with their place', () => {
  test.each([
    ['broken JSON', '[{"id":', 'f: not JSON ('],
    ['a broken line', '{"task":"a","prompt":"x"}\n{"task"', 'f, line 2: not JSON ('],
    ['no task', '[]', 'f: there is no task in it'],
    ['an empty file', '', 'f: there is no task in it'],
    ['a name that is a path', '[{"id":"../a","user":"x"}]', 'f, task 1: "id": expected up to 100 letters'],
    ['no name', '[{"user":"x"}]', 'f, task 1: expected one of "id" and "task"'],
    [
      'two questions',
      '[{"id":"a","user":"x","prompt":"y"}]',
      'f, task 1: expected one of "user", "prompt" and "messages"',
    ],
    ['an unknown field', '[{"id":"a","user":"x","tool":[]}]', 'f, task 1: Unrecognized key: "tool"'],
    ['a name twice', '[{"id":"a","user":"x"},{"id":"A","user":"y"}]', 'f: the task A is there twice'],
    ['a system message of parts', '[{"id":"a","messages":[{"role":"system","content":[]}]}]', 'must be a text'],
    ['a line that is no object', '7', 'f, line 1: Invalid input'],
  ])('%s', (_, text, message) => {
    expect(() => parseTasks(text, 'f')).toThrow(message);
  });
});

import { describe, expect, test } from 'vitest';
import type { ManifestEntry } from '../replay/manifest.ts';
import { type Job, type PlanOptions, planJobs } from './plan.ts';
import { askedTask } from './test-record.ts';

const OPTIONS: PlanOptions = {
  tasks: [askedTask('a'), askedTask('b')],
  protocols: ['ctl'],
  models: ['m1', 'm2'],
  runs: 2,
  label: 'run',
  provider: null,
  settings: { wire: 'openai-chat', systems: new Map(), fields: {} },
};

const kept = ({ request }: Job) => request;

function entryOf(job: Job, file = job.file): ManifestEntry {
  const { task, protocol, model, run, request } = job;
  return {
    ...{ file, sha256: '0'.repeat(64), bytes: 1, task, protocol, wire: 'openai-chat', provider: null, model },
    ...{ recordedAt: null, request, source: 'recorded', run },
  };
}

describe('a plan', () => {
  test('has whole runs one after the other, and a file for each answer', () => {
    const { todo, done } = planJobs(OPTIONS, [], kept);
    expect(todo.map(({ file, model, run }) => `${file} ${model} ${run}`)).toEqual([
      'a.ctl.sse m1 run1',
      'b.ctl.sse m1 run1',
      'a.ctl.2.sse m2 run1',
      'b.ctl.2.sse m2 run1',
      'a.ctl.3.sse m1 run2',
      'b.ctl.3.sse m1 run2',
      'a.ctl.4.sse m2 run2',
      'b.ctl.4.sse m2 run2',
    ]);
    expect(done).toEqual([]);
  });

  test('leaves out what is held, and the rest gets the names that it had', () => {
    const all = planJobs(OPTIONS, [], kept).todo;
    const held = [all[6]!, all[1]!].map((job) => entryOf(job));
    const { todo, done } = planJobs(OPTIONS, held, kept);
    expect(done).toEqual(['b.ctl.sse', 'a.ctl.4.sse']);
    expect(todo.map(({ file }) => file)).toEqual(all.map(({ file }) => file).filter((file) => !done.includes(file)));
  });

  test('names no file that is held for something else', () => {
    const [first] = planJobs(OPTIONS, [], kept).todo;
    const { todo } = planJobs({ ...OPTIONS, label: 'grammar' }, [entryOf(first!)], kept);
    expect(todo[0]).toMatchObject({ file: 'a.ctl.2.sse', run: 'grammar1' });
  });

  test('refuses an answer that is held to another request', () => {
    const held = planJobs(OPTIONS, [], kept).todo.map((job) => entryOf(job));
    const settings = { ...OPTIONS.settings, fields: { temperature: 0.5 } };
    expect(() => planJobs({ ...OPTIONS, settings }, held, kept)).toThrow(
      'a.ctl.sse: the suite holds it as the answer to another request (other messages or parameters). Choose another',
    );
  });

  test('refuses what a manifest cannot hold before anything is asked', () => {
    const settings = { ...OPTIONS.settings, fields: { api_key: 'x' } };
    expect(() => planJobs({ ...OPTIONS, settings }, [], kept)).toThrow('a request is kept without headers and keys');
  });
});

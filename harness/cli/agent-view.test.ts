import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../agent/agent-event.ts';
import { AgentView, questionText } from './agent-view.ts';

function view(...events: readonly AgentEvent[]): { readonly out: string; readonly err: string } {
  const written = { out: '', err: '' };
  const shown = new AgentView({
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    input: (async function* () {})(),
    columns: 80,
    colour: false,
  });
  for (const event of events) shown.show(event);
  return written;
}

const CALL: AgentEvent = { type: 'call', id: 'c1', name: 'shell', arguments: '{"command":"ls\\n","n":1.0}' };

describe('the view of a run', () => {
  it('shows text as it comes, and a call on a line of its own', () => {
    const { out } = view({ type: 'text', text: 'Now' }, { type: 'text', text: ' this:' }, CALL);
    expect(out).toBe('Now this:\ncall c1 shell  command "ls\\n"  n "1.0"\n');
  });

  it('shows a result of one line beside its exit code, and of a long one the beginning', () => {
    const output = Array.from({ length: 12 }, (_, at) => `line ${at}\n`).join('');
    const { out } = view(
      { type: 'result', id: 'c1', exit: 0, output: 'done\n' },
      { type: 'result', id: 'c2', exit: 3, output },
    );
    expect(out.split('\n').slice(0, 3)).toEqual(['  exit 0: done', '  exit 3', '  line 0']);
    expect(out).toMatch(/ {2}line 7\n {2}… 4 more lines \(86 bytes\)\n$/);
  });

  it('lets no control character of model or tool through', () => {
    const { out, err } = view(
      { type: 'text', text: 'a\u001b[2J\tb\r\n' },
      { type: 'result', id: 'c1', exit: 0, output: '\u001b]0;x\u0007' },
      { type: 'refusal', id: 'c1', exit: 126, reason: '\u001b[1m' },
      { type: 'done', outcome: { type: 'model-failed', problem: '\u001b[31m' } },
    );
    for (const control of ['\u001b', '\u0007', '\r']) expect(out + err).not.toContain(control);
    expect(out).toContain('a\\u001b[2J\tb\\u000d\n');
  });

  it('says on stderr what went wrong', () => {
    const { out, err } = view(
      { type: 'text', text: 'Half' },
      { type: 'stop', reason: 'cut', detail: 'the connection was lost (x)' },
      { type: 'retry', attempt: 2, of: 4, problem: 'http://h answered 429', wait: 1500 },
      { type: 'done', outcome: { type: 'turn-limit', turns: 50 } },
    );
    expect(out).toBe('Half\n');
    expect(err.split('\n')).toEqual([
      'the answer was cut off: the connection was lost (x)',
      'http://h answered 429; attempt 2 of 4 in 1,500 ms',
      'stopped after 50 answers, the most that --max-turns allows',
      '',
    ]);
  });

  it('says of a resumed session what it does not know', () => {
    const { err } = view({ type: 'resumed', records: 7, torn: 12, interrupted: true, unknown: ['c2'] });
    expect(err).toContain('resumed a session of 7 records');
    expect(err).toContain('12 bytes were cut off');
    expect(err).toContain('call c2 has no result: what it did is unknown, and it is not run again');
  });

  it('asks with the whole command, however long', () => {
    for (const middle of [300, 200_000]) {
      const command = `echo ${'x'.repeat(middle)}; touch here; echo ${'x'.repeat(middle)} && rm -rf build`;
      expect(asked('executes', { command })).toBe(`Run tool: command "${command}"`);
    }
  });

  it('asks with beginning and end of what is written, and says how much is between', () => {
    const content = `${'a'.repeat(2500)}${'b'.repeat(2500)}`;
    expect(asked('writes', { content })).toBe(
      `Run tool: content "${'a'.repeat(2000)}" … 1,000 characters are not shown here … "${'b'.repeat(2000)}"`,
    );
  });
});

function asked(effect: 'writes' | 'executes', args: object): string {
  return questionText({ tool: { name: 'tool', effect }, args, signal: new AbortController().signal });
}

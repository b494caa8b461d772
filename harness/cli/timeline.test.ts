import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../parsers/parser.ts';
import { PARSERS } from '../parsers/protocols.ts';
import { cells, visible } from './glyphs.ts';
import { chunk, cst, TestFolder, textStream, toolDelta } from './test-terminal.ts';
import { traceTimeline } from './timeline.ts';
import { drawTimeline } from './timeline-picture.ts';

const folder = new TestFolder();
afterAll(() => folder.remove());

const text = 'Hi\ncall c1 t\narg k 3\né!\nend\n';
const traced = (level: 'wire' | 'content') =>
  traceTimeline({ bytes: Buffer.from(textStream(text)), wire: 'openai-chat' }, PARSERS.ctl(DEFAULT_OPTIONS), level);

describe('the timeline of a stream', () => {
  it('marks each byte as text, confirmed, pending or executable', () => {
    const { states, runs, end } = traced('content');
    expect([...states].join('')).toBe(`000${'2'.repeat(9)}1${'2'.repeat(7)}1${'1'.repeat(4)}2223`);
    expect(runs).toMatchObject([{ after: 29, atEnd: false, call: { id: 'c1' } }]);
    expect(end).toBe('complete');
  });

  it('counts at the wire level what has been delivered by then', () => {
    const { bytes, delivered, runs } = traced('wire');
    expect(bytes).toHaveLength(textStream(text).length + 1);
    expect(delivered.at(-1)).toBe(29);
    expect(runs[0]?.after).toBe(Buffer.byteLength(chunk({ content: text })));
  });

  it('is drawn with each byte over its mark', () => {
    const picture = drawTimeline(traced('content'), { columns: 80, colour: false, from: 0, rows: 0 });
    const rows = ['13  arg k 3␊', '    ░░░░░░░━', '21  é !␊', '    ━━━━', '25  end␊', '    ░░░▲'];
    expect(picture).toContain(rows.join('\n'));
    expect(picture).toContain('▲ c1 t: executable after byte 29\n');
    expect(picture).toContain('pending, at most 9 bytes\n');
    expect(picture).not.toContain('\u001b');
  });

  it('is coloured where colour is wanted, and no wider than the terminal', () => {
    const options = { columns: 40, colour: true, from: 0, rows: 0 };
    expect(drawTimeline(traced('wire'), options)).toContain('\u001b[33m');
    const lines = drawTimeline(traced('wire'), { ...options, colour: false }).split('\n');
    const rows = lines.filter((line) => /^ *\d+ {2}|^ {5}/.test(line));
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) expect([...row].length).toBeLessThanOrEqual(40);
  });

  it('of a stream without content says so', () => {
    const empty = traceTimeline(
      { bytes: Buffer.from('data: [DONE]\n\n'), wire: 'openai-chat' },
      PARSERS.xml(DEFAULT_OPTIONS),
      'content',
    );
    expect(drawTimeline(empty, { columns: 80, colour: false, from: 0, rows: 0 })).toContain('no content bytes');
  });
});

describe('cst timeline', () => {
  it('draws what was asked for, and says how to see the rest', async () => {
    const path = folder.file('long.sse', textStream('line\n'.repeat(100)));
    const { code, out } = await cst(['timeline', path, '--protocol', 'ctl', '--rows', '2', '--from', '5']);
    expect(code).toBe(0);
    expect(out).toContain('… 485 bytes more: --from 15, or --rows 0 for all');
  });

  it.each(['content', 'wire'])('writes a chart of the %s level', async (level) => {
    const first = chunk(toolDelta(0, { id: 'a', name: 't', arguments: '{"k":1}' }));
    const path = folder.file('n.sse', `${first}${chunk({}, 'tool_calls')}`);
    const svg = join(folder.path, `${level}.svg`);
    const { code, out } = await cst(['timeline', path, '--level', level, '--svg', svg]);
    expect(code).toBe(0);
    expect(out).toContain('json-whole (guessed)');
    expect(out).toContain('▲ a t: executable at the end of the complete stream');
    expect(readFileSync(svg, 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s);
    expect((await cst(['timeline', path, '--svg', join(folder.path, 'no/such/a.svg')])).code).toBe(3);
  });

  it('cannot read a missing file, a folder or standard input', async () => {
    for (const path of [join(folder.path, 'none'), folder.path, '-']) {
      const { code, err } = await cst(['timeline', path]);
      expect(code).toBe(3);
      expect(err.startsWith(`${path}: `)).toBe(true);
    }
  });
});

describe('bytes on a terminal', () => {
  it.each([
    ['a\n\t\u001b\u007f', 'a␊␉␛␡'],
    ['é!', 'é !'],
    ['那x', '那 x'],
    ['😀x', '😀  x'],
    ['\u0301x', '· x'],
    ['\u202ex', '·  x'],
  ])('%j is drawn one column a byte', (bytes, drawn) => {
    expect(cells(Buffer.from(bytes)).join('')).toBe(drawn);
    expect(cells(Buffer.from(bytes))).toHaveLength(Buffer.byteLength(bytes));
  });

  it('bytes that are no UTF-8 are drawn one by one, and control characters in text are escaped', () => {
    expect(cells(Uint8Array.of(0xff, 0xc3, 0x41, 0xe2, 0x82)).join('')).toBe('\ufffd\ufffdA\ufffd\ufffd');
    expect(visible('a\u001b\u202e\ud800\u{e0001}b')).toBe('a\\u001b\\u202e\\ud800\\u{e0001}b');
  });
});

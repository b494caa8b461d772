import { describe, expect, it } from 'vitest';
import { writeDeepseek } from '../replay/frames-deepseek.ts';
import { feed } from '../testing/feed.ts';
import { text } from '../testing/hand-made-events.ts';
import { DeepseekParser } from './deepseek.ts';
import { DEFAULT_OPTIONS } from './parser.ts';

const OPEN = '<｜tool▁calls▁begin｜>';
const CLOSE = '<｜tool▁calls▁end｜>';
const CALL = '<｜tool▁call▁begin｜>';
const END = '<｜tool▁call▁end｜>';
const SEP = '<｜tool▁sep｜>';

function received(message: string): DeepseekParser {
  const parser = new DeepseekParser(DEFAULT_OPTIONS);
  parser.push(text(message));
  return parser;
}

function read(message: string, confirmed: Buffer[] = []): DeepseekParser {
  const parser = new DeepseekParser({
    ...DEFAULT_OPTIONS,
    onConfirmed: (what) => what.type === 'text' && confirmed.push(Buffer.from(what.bytes)),
  });
  feed(parser, { events: [text(message)], end: 'complete' }, [1]);
  return parser;
}

describe('a DeepSeek call', () => {
  it('runs at the last byte of its end token, before the section is closed', () => {
    const message = `${OPEN}${CALL}t${SEP}{"k":1}${END}`;
    const bytes = Buffer.from(message);
    expect(received(message).calls).toMatchObject([{ id: 'call_0', name: 't', end: bytes.length - 1 }]);
    const parser = new DeepseekParser(DEFAULT_OPTIONS);
    parser.push({ type: 'text', at: 0, bytes }, 0, bytes.length - 1);
    expect(parser).toMatchObject({ calls: [], pending: bytes.length - 1, unfinished: { name: 't' } });
  });

  it('keeps the source of its arguments, in either form', () => {
    const source = '{"k": 1e400,\n "é":"\\u00e9"}';
    const fenced = `${CALL}function${SEP}t\n\`\`\`json\n${source}\n\`\`\`${END}`;
    for (const call of [`${CALL}t${SEP}${source}${END}`, fenced]) {
      expect(read(`${OPEN}${call}${CLOSE}`).calls[0]?.args).toMatchObject({ form: 'json', text: source });
    }
  });

  it('has the line of an error behind a fence', () => {
    const message = `a\n${OPEN}${CALL}function${SEP}t\n\`\`\`json\n{\n}}\n\`\`\`${END}`;
    expect(read(message).error).toMatchObject({ kind: 'args_not_object', line: 6, call: 'call_0' });
  });
});

describe('the bytes around DeepSeek calls', () => {
  it('are text, but for what may still open a section', () => {
    const confirmed: Buffer[] = [];
    const parser = read(`Hi <｜tool▁x ${OPEN}${CALL}t${SEP}{}${END}\n${CLOSE} bye`, confirmed);
    expect([Buffer.concat(confirmed).toString(), parser.pending, parser.unfinished]).toEqual([
      'Hi <｜tool▁x  bye',
      0,
      null,
    ]);
    expect(received('Hi <｜tool').pending).toBe(Buffer.byteLength('<｜tool'));
  });

  it('wait for a call only up to the end of that call', () => {
    expect(received(`${OPEN}${CALL}t${SEP}{}${END}`).pending).toBe(0);
    expect(received(`${OPEN}${CALL}t${SEP}{}${END}\n`).pending).toBe(1);
    expect(received(`${OPEN}${CALL}t${SEP}{}${END}\n${CLOSE}`).pending).toBe(0);
  });
});

it('reads what the writer writes', () => {
  const calls = [
    { id: 'c1', name: 't', args: [['k', 'a\n"é"']] as const },
    { id: 'c2', name: 'u', args: [] },
  ];
  expect(read(writeDeepseek(calls)).calls.map(({ name, args }) => [name, args])).toEqual([
    ['t', { form: 'json', text: '{"k":"a\\n\\"é\\""}', object: { k: 'a\n"é"' } }],
    ['u', { form: 'json', text: '{}', object: {} }],
  ]);
});

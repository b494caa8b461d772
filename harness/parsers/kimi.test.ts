import { describe, expect, it } from 'vitest';
import { kimiId, writeKimi } from '../replay/frames-kimi.ts';
import { feed } from '../testing/feed.ts';
import { text } from '../testing/hand-made-events.ts';
import { KimiParser } from './kimi.ts';
import { DEFAULT_OPTIONS } from './parser.ts';

const OPEN = '<|tool_calls_section_begin|>';
const CALL = '<|tool_call_begin|>';
const END = '<|tool_call_end|>';
const ARGS = '<|tool_call_argument_begin|>';

function read(message: string, end: 'complete' | 'cut' = 'complete'): KimiParser {
  const parser = new KimiParser(DEFAULT_OPTIONS);
  feed(parser, { events: [text(message)], end }, [1]);
  return parser;
}

describe('a Kimi call', () => {
  it('has the id that the model gave it, and the whole name within', () => {
    const calls = ['functions.a.b-c:12', 't:0', '\n functions.é:3 '].map((id) => `${CALL}${id}${ARGS}{}${END}`);
    expect(read(OPEN + calls.join('')).calls.map(({ id, name }) => [id, name])).toEqual([
      ['functions.a.b-c:12', 'a.b-c'],
      ['t:0', 't'],
      ['functions.é:3', 'é'],
    ]);
  });

  it.each(['', 'functions.t', 'functions.:0', 'functions.t:x', 'functions.t:', 't u:0', 'functions.t:0 1'])(
    'does not open with the id %j',
    (id) => {
      const { error, calls } = read(`${OPEN}${CALL}${id}${ARGS}{}${END}`);
      expect(error).toMatchObject({ kind: 'bad_call', offset: OPEN.length + CALL.length + id.length, text: id });
      expect(calls).toEqual([]);
    },
  );

  it('is lost if the stream is cut one byte before its end', () => {
    const message = `${OPEN}${CALL}functions.t:0${ARGS}{"k":1}${END}`;
    const cut = read(message.slice(0, -1), 'cut');
    expect(cut).toMatchObject({ calls: [], error: null, pending: message.length - 1 });
    expect(cut.unfinished).toMatchObject({ id: 'functions.t:0', name: 't' });
    expect(read(message, 'cut').calls).toHaveLength(1);
  });
});

it('reads what the writer writes', () => {
  const calls = [
    { id: 'c1', name: 't', args: [['k', '<|tool_call_begin|>']] as const },
    { id: 'c2', name: 't', args: [] },
  ];
  expect(read(writeKimi(calls)).calls).toMatchObject([
    { id: 'functions.t:0', name: 't', args: { object: { k: '<|tool_call_begin|>' } } },
    { id: kimiId({ name: 't' }, 1), name: 't', args: { object: {} } },
  ]);
});

import { expect, test } from 'vitest';
import { type MeantCall, writeCtl, writeCtlHeredoc, writeJsonArguments, writeXml } from './frames.ts';

function one(value: string): readonly MeantCall[] {
  return [{ id: 'c1', name: 't', args: [['k', value]] }];
}

test('ctl counts bytes and writes the separator', () => {
  expect(writeCtl(one('é\n'))).toBe('call c1 t\narg k 3\né\n\nend\n');
  expect(writeCtl(one(''))).toBe('call c1 t\narg k 0\n\nend\n');
});

test('a value that ends with LF, or is empty, is a heredoc', () => {
  expect(writeCtlHeredoc(one('x\n'))).toBe('call c1 t\narg k <<EOF\nx\nEOF\nend\n');
  expect(writeCtlHeredoc(one(''))).toBe('call c1 t\narg k <<EOF\nEOF\nend\n');
});

test('the tag is no line of the value', () => {
  expect(writeCtlHeredoc(one('EOF\nEOF_1\n'))).toBe('call c1 t\narg k <<EOF_2\nEOF\nEOF_1\nEOF_2\nend\n');
});

test('a short single line without LF stands inline', () => {
  expect(writeCtlHeredoc(one('npm test'))).toBe('call c1 t\narg k npm test\nend\n');
});

test.each([
  ['digits', '123'],
  ['<< at the start', '<<x'],
  ['two lines', 'a\nb'],
  ['a long line', 'x'.repeat(201)],
  ['a line beyond the line limit', `${'x'.repeat(4096)}\n`],
])('what neither can say is length-prefixed: %s', (_, value) => {
  expect(writeCtlHeredoc(one(value))).toBe(writeCtl(one(value)));
});

test('a heredoc line of exactly the line limit is a heredoc', () => {
  expect(writeCtlHeredoc(one(`${'x'.repeat(4095)}\n`))).toContain('<<EOF');
});

test('xml values are raw', () => {
  expect(writeXml(one('a < b &&\n'))).toBe(
    '<minimax:tool_call>\n<invoke name="t">\n<parameter name="k">a < b &&\n</parameter>\n</invoke>\n</minimax:tool_call>\n',
  );
});

test('arguments are one JSON object in the order of the call', () => {
  expect(
    writeJsonArguments({
      id: 'c1',
      name: 't',
      args: [
        ['2', 'a\n'],
        ['1', '"'],
      ],
    }),
  ).toBe('{"2":"a\\n","1":"\\""}');
});

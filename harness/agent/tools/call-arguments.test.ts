import { describe, expect, it } from 'vitest';
import type { CallArguments } from '../../parsers/parser.ts';
import { prepareCall } from './call-arguments.ts';
import { findTool } from './registry.ts';

function json(text: string): CallArguments {
  return { form: 'json', text, object: JSON.parse(text) };
}

function values(...entries: (readonly [key: string, value: string | Uint8Array])[]): CallArguments {
  return { form: 'values', values: entries.map(([key, value]) => ({ key, bytes: Buffer.from(value) })) };
}

const prepared = (name: string, args: CallArguments) => prepareCall({ name, args });

describe('the arguments of a call', () => {
  it('are the strings of a text protocol, byte for byte', () => {
    const content = '\ufeffline\r\n\0é𝄞';
    expect(prepared('write_file', values(['path', 'a.txt'], ['content', content]))).toEqual({
      tool: findTool('write_file'),
      args: { path: 'a.txt', content },
    });
  });

  it('are the strings of a native call', () => {
    expect(prepared('shell', json('{"command":"echo \\u00e9"}'))).toEqual({
      tool: findTool('shell'),
      args: { command: 'echo é' },
    });
  });

  it('may be empty', () => {
    expect(prepared('write_file', values(['path', 'a'], ['content', '']))).toHaveProperty('args', {
      path: 'a',
      content: '',
    });
  });
});

describe('a call is refused', () => {
  it.each<[problem: string, name: string, args: CallArguments]>([
    ['read_file was not run: path: is missing', 'read_file', values()],
    ['read_file was not run: path: is missing', 'read_file', json('{}')],
    [
      'write_file was not run: path: is missing; content: is missing; "file": is no argument of this tool',
      'write_file',
      json('{"file":"a"}'),
    ],
    [
      'read_file was not run: path: Invalid input: expected string, received number',
      'read_file',
      json('{"path":12345678901234567890}'),
    ],
    ['shell was not run: command: Invalid input: expected string, received null', 'shell', json('{"command":null}')],
    [
      'shell was not run: command: Invalid input: expected string, received array',
      'shell',
      json('{"command":["ls","-l"]}'),
    ],
    [
      'shell was not run: "cwd": is no argument of this tool; "timeout": is no argument of this tool',
      'shell',
      json('{"command":"ls","cwd":"/","timeout":5}'),
    ],
    [
      'read_file was not run: "__proto__": is no argument of this tool',
      'read_file',
      json('{"path":"a","__proto__":"b"}'),
    ],
    [
      'read_file was not run: "__proto__": is no argument of this tool',
      'read_file',
      values(['path', 'a'], ['__proto__', 'b']),
    ],
    [
      'write_file was not run: content: is no UTF-8 text',
      'write_file',
      values(['path', 'a'], ['content', Uint8Array.of(0x61, 0xff)]),
    ],
    [
      'write_file was not run: content: holds half a surrogate pair, which no file can hold',
      'write_file',
      json('{"path":"a","content":"\\ud83d"}'),
    ],
    [
      'there is no tool "rm"; the tools are list_dir, read_file, write_file, apply_patch, shell',
      'rm',
      json('{"path":"/"}'),
    ],
    [
      'there is no tool "constructor"; the tools are list_dir, read_file, write_file, apply_patch, shell',
      'constructor',
      json('{}'),
    ],
  ])('%s', (refusal, name, args) => {
    expect(prepared(name, args)).toEqual({ refusal });
  });

  it('takes a whole emoji for what it is', () => {
    expect(prepared('shell', json('{"command":"\\ud83d\\ude00"}'))).toHaveProperty('args', { command: '😀' });
  });
});

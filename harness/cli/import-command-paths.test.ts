import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cst, TestFolder, textStream } from './test-terminal.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = new TestFolder();
  mkdirSync(join(folder.path, 'in', 'deep'), { recursive: true });
});
afterEach(() => {
  for (const server of sockets.splice(0)) server.close();
  folder.remove();
});

const sockets: Server[] = [];

/** What is neither a file nor a folder. */
async function putSocket(path: string): Promise<void> {
  const server = createServer();
  sockets.push(server);
  await once(server.listen(path), 'listening');
}

function put(name: string, text: string): string {
  const content = { text: textStream(text), mimeType: 'text/event-stream; charset=utf-8' };
  const entry = { request: { url: 'https://api.openai.com/' }, response: { status: 200, content } };
  const path = join(folder.path, 'in', name);
  writeFileSync(path, JSON.stringify({ log: { entries: [entry] } }));
  return path;
}

function importing(...args: readonly string[]) {
  return cst(['import', ...args, '--out', join(folder.path, 'out'), '--suite', 'got']);
}

describe('the paths of cst import', () => {
  it('are looked at before it writes, and each that is wrong is named', async () => {
    const good = put('a.har', 'one');
    const [gone, socket] = [join(folder.path, 'gone'), join(folder.path, 'socket.har')];
    await putSocket(socket);
    const { code, err } = await importing(good, gone, socket, '/dev/null');
    expect([code, err]).toEqual([
      3,
      `${gone}: no such file or folder; ${socket}: is neither a file nor a folder; /dev/null: is neither a file nor a folder. Nothing was imported\n`,
    ]);
    expect(existsSync(join(folder.path, 'out'))).toBe(false);
  });

  it('may be folders, whose links and sockets are listed and not read', async () => {
    put('a.har', 'one');
    symlinkSync(join(folder.path, 'in', 'a.har'), join(folder.path, 'in', 'deep', 'link.har'));
    symlinkSync(folder.path, join(folder.path, 'in', 'loop'));
    await putSocket(join(folder.path, 'in', 'deep', 'socket.jsonl'));
    const { code, out } = await importing(join(folder.path, 'in'));
    expect([code, out.replaceAll(folder.path, '')]).toEqual([
      0,
      [
        'a.native.sse: 161 bytes from /in/a.har, entry 1',
        'not imported:',
        '  2  is a symbolic link, which is not followed: name it itself: /in/deep/link.har; /in/loop',
        '  1  is no file: /in/deep/socket.jsonl',
        '1 recording imported into /out/got, 3 not imported',
        '',
      ].join('\n'),
    ]);
    const named = await importing(join(folder.path, 'in', 'deep', 'link.har'));
    expect([named.code, named.out]).toEqual([0, expect.stringContaining('the bytes are there already')]);
  });
});

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CST } from './test-process.ts';
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

describe('an import that is hindered', () => {
  /** Runs it in a shell. @returns its exit code and output; `$CST` stands for `cst`, `$OUT` for the folder of suites */
  function inShell(script: string): { readonly code: number | null; readonly out: string } {
    const env = { ...process.env, OUT: join(folder.path, 'out'), IN: join(folder.path, 'in') };
    const cstCommand = [process.execPath, ...CST].map((word) => `'${word}'`).join(' ');
    const { status, stdout } = spawnSync('bash', ['-c', script.replaceAll('$CST', cstCommand)], { env });
    return { code: status, out: stdout.toString() };
  }

  it('by an output that nobody reads goes on to the last recording, with the exit code that it earns', () => {
    for (let at = 0; at < 300; at++) put(`${at}.har`, `answer ${at}`);
    writeFileSync(join(folder.path, 'in', 'broken.har'), '{');
    const { code } = inShell('set -o pipefail; $CST import "$IN" --out "$OUT" --suite got 2>&1 | true');
    expect(code).toBe(1);
    const manifest = JSON.parse(readFileSync(join(folder.path, 'out', 'got', 'manifest.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({ recordings: { length: 300 } });
  });

  it('by a disk that takes no more says where, and leaves no suite', () => {
    put('a.har', 'x'.repeat(8192));
    const { code, out } = inShell('trap "" XFSZ; ulimit -f 1; $CST import "$IN" --out "$OUT" --suite got 2>&1');
    expect([code, out]).toEqual([3, `${join(folder.path, 'out', 'got')}: EFBIG: file too large, write\n`]);
    expect(existsSync(join(folder.path, 'out', 'got'))).toBe(false);
  });

  it('by nothing says with --dry-run the names that it would give', async () => {
    const paths = ['a.har', 'A.har'].map((name, at) => put(name, `answer ${at}`));
    const dry = await importing(...paths, '--dry-run');
    expect(dry.out).toContain('A.native.2.sse: ');
    const { out } = await importing(...paths);
    expect(out.match(/^.*\.sse: /gm)).toEqual(dry.out.match(/^.*\.sse: /gm));
  });
});

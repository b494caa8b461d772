// Writes recordings/manifest.json: what each stream is, and that its parsers make of it what they make of it today.
// A file is called <task>.<framing>[.<n>].sse; framings are ctl, ctl-heredoc, xml and native.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { argumentsAsJson, parseStream, READERS } from 'cst-eval';

const dir = process.argv[2] ?? 'recordings';
const recordings = [];
for (const file of (await readdir(dir)).filter((name) => name.endsWith('.sse')).sort()) {
  const [, task, framing] = file.match(/^(.+?)\.(ctl|ctl-heredoc|xml|native)(\.[1-9][0-9]*)?\.sse$/) ?? [];
  if (framing === undefined) throw new Error(`${file}: is not called <task>.<framing>[.<n>].sse`);
  const bytes = await readFile(`${dir}/${file}`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const expect = READERS[framing].map((protocol) => expectation(bytes, protocol));
  const known = { file, sha256, bytes: bytes.length, task, protocol: framing, wire: 'openai-chat', source: 'recorded' };
  const unknown = { provider: null, model: null, recordedAt: null, request: null };
  recordings.push({ ...known, ...unknown, expect });
}
const manifest = { format: 1, suite: 'recordings', about: 'Answers of our own agent.', recordings };
await writeFile(`${dir}/manifest.json`, `${JSON.stringify(manifest, null, 1)}\n`);

function expectation(bytes, protocol) {
  const { end, calls, error } = parseStream(bytes, { protocol });
  return {
    protocol,
    end,
    calls: calls.map(({ id, name, args }) => ({ id, name, args: argumentsAsJson(args) })),
    error: error && { kind: error.kind, offset: error.offset, line: error.line },
  };
}

/** For tests: the scrubber alone in a page of its own, in Chromium; and the parsers, to be asked the same questions. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { DEFAULT_OPTIONS } from '../../harness/parsers/parser.ts';
import { PARSERS, type Protocol } from '../../harness/parsers/protocols.ts';
import type { Recording } from '../../harness/replay/recording.ts';
import { replayContent } from '../../harness/replay/replay.ts';
import { readStream } from '../../harness/stream/reader.ts';
import { launchChromium } from '../../harness/testing/chromium.ts';
import { scrubberData } from './scrubber-data.ts';
import type { ScrubberData, ScrubberStream } from './scrubber-types.ts';

const PAGE_SOURCES = fileURLToPath(new URL('page/', import.meta.url));
const SUITE = 'replies';
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
const PROGRAM = `import { mountScrubber } from './scrubber.ts';
mountScrubber(document.querySelector('#root'), JSON.parse(document.querySelector('#data').textContent));`;
const STYLE = "@import './page.css'; @import './scrubber.css';";

/** What a parser says at a position. */
export interface ParserAnswer {
  readonly pending: number;
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  readonly error: string | null;
}

export class ScrubberSite {
  /** What no page may do: errors, anything on the console, requests for another file than the page. */
  readonly wrong: string[] = [];

  readonly #recordings: readonly Recording[];
  readonly #data: ScrubberData;
  readonly #browser: Browser;
  readonly #folder = mkdtempSync(join(tmpdir(), 'scrubber-'));

  static async open(recordings: readonly Recording[]): Promise<ScrubberSite> {
    const data = await scrubberData(recordings);
    const html = await pageOf(data);
    const site = new ScrubberSite(recordings, data, await launchChromium());
    writeFileSync(join(site.#folder, 'page.html'), html);
    return site;
  }

  private constructor(recordings: readonly Recording[], data: ScrubberData, browser: Browser) {
    this.#recordings = recordings;
    this.#data = data;
    this.#browser = browser;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The page, in a browser context of its own, showing a task. */
  async page(task: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
    const page = await context.newPage();
    const url = pathToFileURL(join(this.#folder, 'page.html')).href;
    page.on('console', (message) => this.wrong.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.wrong.push(error.message));
    page.on('request', (request) => request.url() !== url && this.wrong.push(`request ${request.url()}`));
    await page.goto(url);
    await page.getByRole('combobox', { name: 'Task' }).selectOption(task);
    return page;
  }

  /** The model's answer to a task in the framing that a protocol reads. */
  stream(task: string, protocol: Protocol): ScrubberStream {
    const streams = this.#data.sources.find(({ suite }) => suite === SUITE)?.streams ?? [];
    return streams.find((stream) => stream.task === task && stream.readings.some((r) => r.protocol === protocol))!;
  }

  /** Replays the recording of the model's answer through the parser, and asks it at a position. */
  async ask(stream: ScrubberStream, protocol: Protocol, position: number): Promise<ParserAnswer> {
    const recording = this.#recordings.find(({ suite, file }) => suite === SUITE && file === stream.file)!;
    let answer: ParserAnswer = { pending: 0, calls: [], error: null };
    replayContent(readStream(await recording.bytes(), recording.wire), PARSERS[protocol](DEFAULT_OPTIONS), {
      step: ({ frontier, prefix, ended }) => {
        if (prefix + (ended ? 1 : 0) !== position) return;
        answer = { pending: frontier.pending, calls: [...frontier.calls], error: frontier.error?.kind ?? null };
      },
    });
    return answer;
  }
}

async function pageOf(data: ScrubberData): Promise<string> {
  const [program, css] = await Promise.all([bundle(PROGRAM, 'ts'), bundle(STYLE, 'css')]);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Byte scrubber</title><style>${css}</style>
</head>
<body>
<main><h1>Report</h1><h2>Byte scrubber</h2><div id="root"></div></main>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script>${program.replaceAll('</script', '<\\/script')}</script>
</body>
</html>`;
}

async function bundle(contents: string, loader: 'ts' | 'css'): Promise<string> {
  const stdin = { contents, loader, resolveDir: PAGE_SOURCES };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, target: 'es2022' });
  return outputFiles[0]?.text ?? '';
}

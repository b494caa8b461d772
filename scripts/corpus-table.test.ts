import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type CorpusRow, corpusRows, corpusTables, withTables } from './corpus-table.ts';

const CORPUS = fileURLToPath(new URL('../../shared/corpus/', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../docs/wire-formats.md', import.meta.url));

interface Entry {
  readonly slug: string;
  readonly wire_format: string;
  readonly finish_reason: string | null;
}

const COMPLETE = ['stop', 'tool_calls', 'eos', 'end_turn', 'tool_use', 'completed', 'STOP'];
const IN_ERROR = ['failed'];

const UNFINISHED = 'the last event has no blank line behind it';

/** Where the end is not what the last finish reason alone would say, and why. */
const OTHER_ENDS: Readonly<Record<string, [end: CorpusRow['end'], why: string]>> = {
  'anthropic-anthropic-ai-fixtures-spliced-message-start-chunks': [
    'in error',
    'a retry is spliced into the first message',
  ],
  'anthropic-anthropic-anthropic-sdk-python-fixtures-basic-response': ['cut', UNFINISHED],
  'anthropic-anthropic-anthropic-sdk-python-fixtures-tool-use-response': ['cut', UNFINISHED],
  'gemini-google-vertexai-sdk-test-data-googleai-streaming-success-finish-message': ['cut', UNFINISHED],
  'openai-responses-openai-client-streams-responseimagegenerationcreate': ['cut', UNFINISHED],
  'openai-chat-anthropic-pydantic-ai-test-snowflake-test-snowflake-model-streaming-i0': [
    'complete',
    '[DONE], no reason',
  ],
  'openai-chat-groq-pydantic-ai-test-groq-test-tool-use-failed-error-streaming-i0': ['in error', 'an error object'],
  'openai-chat-groq-pydantic-ai-test-groq-test-tool-use-failed-error-streaming-with-text-i0': [
    'in error',
    'an error object',
  ],
  'openai-chat-openrouter-pydantic-ai-test-openrouter-test-openrouter-stream-error-i0': ['in error', 'an error object'],
  'openai-chat-openrouter-req-llm-google-gemini-2-5-flash-lite-object-streaming': ['in error', 'an error object'],
  'openai-responses-openai-ai-fixtures-openai-shell-container-1-chunks': ['in error', 'deltas and done say two texts'],
};

describe.skipIf(!existsSync(CORPUS))('the shared corpus', () => {
  const rows = existsSync(CORPUS) ? corpusRows(CORPUS) : [];
  const index: Entry[] = existsSync(CORPUS)
    ? readFileSync(`${CORPUS}index.jsonl`, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];

  it('is read in all four formats, each told from the content', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(index.map(({ slug }) => slug).sort());
    expect(rows).toHaveLength(351);
    expect(rows.filter(({ told }) => !told)).toEqual([]);
  });

  it('ends as the finish reasons of its index say, but for those whose reason is known', () => {
    const others = rows.flatMap(({ name, end }) => {
      const reason = index.find(({ slug }) => slug === name)?.finish_reason ?? '';
      const hinted = COMPLETE.includes(reason) ? 'complete' : IN_ERROR.includes(reason) ? 'in error' : 'cut';
      return end === hinted ? [] : [[name, end] as const];
    });
    expect(Object.fromEntries(others)).toEqual(
      Object.fromEntries(Object.entries(OTHER_ENDS).map(([name, [end]]) => [name, end])),
    );
  });

  it('has no delta that is refused', () => {
    expect(rows.filter(({ refused }) => refused > 0)).toEqual([]);
  });

  it('stands in the document as it is', () => {
    const document = readFileSync(DOCUMENT, 'utf8');
    expect(withTables(document, corpusTables(rows), 'docs/wire-formats.md')).toBe(document);
  });
});

describe('the table of a corpus', () => {
  const row = { wire: 'gemini', name: 'a', end: 'cut', why: '`MAX|TOKENS`', calls: 2, refused: 1, told: true } as const;

  it('counts streams, ends, calls and reasons', () => {
    const tables = corpusTables([
      row,
      { ...row, name: 'b' },
      { ...row, name: 'c', end: 'complete', why: '`STOP`', told: false },
    ]);
    expect(tables).toContain('| `gemini` | 3 | 2 | 1 | 2 | 0 | 6 | 3 |');
    expect(tables).toContain('| `gemini` | complete | `STOP` | 1 |\n| `gemini` | cut | `MAX\\|TOKENS` | 2 |');
  });

  it('goes between its markers, and nowhere else', () => {
    const document = 'a\n<!-- corpus table: begin -->\nold\n<!-- corpus table: end -->\nb\n';
    expect(withTables(document, 'new', 'd.md')).toBe(
      'a\n<!-- corpus table: begin -->\n\nnew\n\n<!-- corpus table: end -->\nb\n',
    );
    expect(() => withTables('a', 'new', 'd.md')).toThrow('d.md: the markers');
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nativeTools, TOOLS, toolsPrompt } from './registry.ts';

describe('the tools', () => {
  it('are told of in the words that the recorded answers were asked for with', () => {
    const asked = new URL('../../../recordings/replies/prompts/tools.md', import.meta.url);
    expect(toolsPrompt()).toBe(readFileSync(asked, 'utf8'));
  });

  it('are told of to native models by strict JSON schemas of strings, and in the same words', () => {
    const tools = nativeTools();
    expect(tools.map((tool) => tool.function.description)).toEqual(TOOLS.map(({ description }) => description));
    expect(tools[2]).toEqual({
      type: 'function',
      function: {
        name: 'write_file',
        description: 'create or overwrite a text file with exactly `content`.',
        parameters: {
          type: 'object',
          properties: { path: { type: 'string' }, content: { type: 'string' } },
          required: ['path', 'content'],
          additionalProperties: false,
        },
      },
    });
  });

  it('take what their schema says and nothing else', () => {
    for (const { function: told } of nativeTools()) {
      expect(told.parameters).toMatchObject({ type: 'object', additionalProperties: false });
      expect(told.parameters).not.toHaveProperty('$schema');
    }
  });
});

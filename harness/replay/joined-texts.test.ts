import { describe, expect, it } from 'vitest';
import { joinedTexts } from './joined-texts.ts';

const stream = (...payloads: readonly (object | string)[]): Uint8Array =>
  Buffer.from(payloads.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join(''));

function joined(...payloads: readonly (object | string)[]): readonly string[] {
  return [...joinedTexts(stream(...payloads)).values()].map((text) => Buffer.from(text).toString());
}

const choice = (index: number, delta: object) => ({ index, delta });
const block = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });

describe('what a stream says in pieces', () => {
  it.each<[string, readonly (object | string)[]]>([
    ['of a second choice', [{ choices: [choice(1, { content: 'ab' })] }, { choices: [choice(1, { content: 'cd' })] }]],
    [
      'of a choice that stands at another place each time',
      [
        { choices: [choice(0, { content: 'x' }), choice(1, { content: 'ab' })] },
        { choices: [choice(1, { content: 'cd' })] },
      ],
    ],
    [
      'behind [DONE]',
      ['[DONE]', { choices: [choice(0, { content: 'ab' })] }, { choices: [choice(0, { content: 'cd' })] }],
    ],
    [
      'of thinking, with another block in turns',
      [block(0, { thinking: 'ab' }), block(1, { thinking: 'x' }), block(0, { thinking: 'cd' })],
    ],
    ['of a server tool', [block(2, { partial_json: 'ab' }), block(2, { partial_json: 'cd' })]],
    [
      'of a block that begins with a text',
      [{ type: 'content_block_start', index: 0, content_block: { text: 'ab' } }, block(0, { text: 'cd' })],
    ],
    [
      'of an item of Responses, with another in turns',
      [
        { type: 'response.mcp_call_arguments.delta', item_id: 'i', output_index: 0, delta: 'ab' },
        { type: 'response.output_text.delta', item_id: 'i', output_index: 0, delta: 'x' },
        { type: 'response.mcp_call_arguments.delta', item_id: 'j', output_index: 1, delta: 'y' },
        { type: 'response.mcp_call_arguments.delta', item_id: 'i', output_index: 0, delta: 'cd' },
      ],
    ],
    [
      'of a candidate of Gemini',
      [
        { candidates: [{ index: 1, content: { parts: [{ thought: true, text: 'ab' }] } }] },
        { candidates: [{ index: 1, content: { parts: [{ thought: true, text: 'cd' }] } }] },
      ],
    ],
    ['and is escaped', ['{"x":"\\u0061b"}', '{"x":"c\\u0064"}']],
  ])('is put together: %s', (_, payloads) => {
    expect(joined(...payloads)).toContain('abcd');
  });

  it('is not put together of two choices', () => {
    const texts = joined({ choices: [choice(0, { content: 'ab' }), choice(1, { content: 'cd' })] });
    expect(texts).toEqual(['ab', 'cd']);
  });
});

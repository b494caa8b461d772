import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PARSERS } from '../parsers/protocols.ts';
import { READERS } from '../replay/recording.ts';
import { CTL_HEREDOC_PAGE, CTL_PAGE, XML_PAGE } from './prompts.ts';
import { AGENT_PROTOCOLS, PROTOCOL_RULES, systemPrompt } from './protocol.ts';

function recordedPage(name: string): string {
  return readFileSync(new URL(`../../recordings/replies/prompts/${name}.md`, import.meta.url), 'utf8');
}

describe('prompts', () => {
  it.each([
    ['ctl', CTL_PAGE],
    ['ctl-heredoc', CTL_HEREDOC_PAGE],
    ['xml', XML_PAGE],
  ])('the page of %s is the one under which the recordings came about', (name, page) => {
    expect(page).toBe(recordedPage(name));
  });

  it('show a text protocol its frames and how results come back', () => {
    const prompt = systemPrompt('ctl', 'Tools: …\n');
    expect(prompt).toMatch(/^Tools: …\n\nWrite tool calls as CTL frames/);
    expect(prompt).toContain('\nresult <id> exit=<code> <nbytes>\n');
  });

  it('teach a native protocol no framing', () => {
    for (const protocol of ['native-eos', 'native-inc'] as const) {
      expect(systemPrompt(protocol, 'T')).not.toMatch(/frame|call </);
    }
  });
});

describe('rules', () => {
  it('take a parser of the harness that reads the framing', () => {
    for (const protocol of AGENT_PROTOCOLS) {
      const { parser, framing } = PROTOCOL_RULES[protocol];
      expect(Object.keys(PARSERS)).toContain(parser);
      expect(READERS[framing]).toContain(parser);
    }
  });

  it('stop at text after a call in CTL only', () => {
    expect(AGENT_PROTOCOLS.filter((protocol) => PROTOCOL_RULES[protocol].stopsAtText)).toEqual(['ctl', 'ctl-heredoc']);
  });
});

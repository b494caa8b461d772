/**
 * The five protocols of the agent (runtime.md). Only where calls come from and when they run changes with the protocol;
 * tools, session and permission are the same, so that runs compare.
 */
import type { Protocol } from '../parsers/protocols.ts';
import type { Framing } from '../replay/recording.ts';
import { CTL_HEREDOC_PAGE, CTL_PAGE, FRAMES_PAGE, TOOL_MESSAGES_PAGE, XML_IDS_PAGE, XML_PAGE } from './prompts.ts';

export const AGENT_PROTOCOLS = ['native-eos', 'native-inc', 'ctl', 'ctl-heredoc', 'xml'] as const;
export type AgentProtocol = (typeof AGENT_PROTOCOLS)[number];

export interface ProtocolRules {
  /** The harness's parser that reads the answers: it says which calls are executable, and at which byte. */
  readonly parser: Protocol;
  /**
   * `native`: the request has `tools[]`, calls are tool deltas, results go back as `tool` messages. `text`: calls stand in
   * the message text, results go back as frames in the next user message.
   */
  readonly form: 'native' | 'text';
  /** After a call anything but blank text is an imagined result, and the reading stops there. */
  readonly stopsAtText: boolean;
  /** The framing of recordings that answer as a model under this protocol would. */
  readonly framing: Framing;
  /** What the system prompt says of the protocol. */
  readonly page: string;
}

export const PROTOCOL_RULES: Readonly<Record<AgentProtocol, ProtocolRules>> = {
  'native-eos': {
    parser: 'json-whole',
    form: 'native',
    stopsAtText: false,
    framing: 'native',
    page: TOOL_MESSAGES_PAGE,
  },
  'native-inc': {
    parser: 'json-object',
    form: 'native',
    stopsAtText: false,
    framing: 'native',
    page: TOOL_MESSAGES_PAGE,
  },
  ctl: { parser: 'ctl', form: 'text', stopsAtText: true, framing: 'ctl', page: `${CTL_PAGE}\n${FRAMES_PAGE}` },
  'ctl-heredoc': {
    parser: 'ctl-heredoc',
    form: 'text',
    stopsAtText: true,
    framing: 'ctl-heredoc',
    page: `${CTL_HEREDOC_PAGE}\n${FRAMES_PAGE}`,
  },
  xml: {
    parser: 'xml',
    form: 'text',
    stopsAtText: false,
    framing: 'xml',
    page: `${XML_PAGE}\n${FRAMES_PAGE}${XML_IDS_PAGE}`,
  },
};

/** The system prompt. @param tools what the model is told of the tools */
export function systemPrompt(protocol: AgentProtocol, tools: string): string {
  return `${tools.trimEnd()}\n\n${PROTOCOL_RULES[protocol].page}`;
}

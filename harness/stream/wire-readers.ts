/** The reader of each wire format, and when its streams are complete (docs/wire-formats.md "Complete or cut"). */
import { AnthropicReader } from './anthropic.ts';
import type { EndRule } from './end-rule.ts';
import type { EventOutlet } from './event-outlet.ts';
import { GeminiReader } from './gemini.ts';
import { OpenAiChatReader } from './openai-chat.ts';
import { OpenAiResponsesReader } from './openai-responses.ts';
import type { WireFormat } from './wire-format.ts';
import type { WireReader, WireReaderFactory } from './wire-reader.ts';

const READERS: { readonly [W in WireFormat]: WireReaderFactory } = {
  'openai-chat': (outlet) => new OpenAiChatReader(outlet),
  anthropic: (outlet) => new AnthropicReader(outlet),
  'openai-responses': (outlet) => new OpenAiResponsesReader(outlet),
  gemini: (outlet) => new GeminiReader(outlet),
};

export const END_RULES: { readonly [W in WireFormat]: EndRule } = {
  // streams.md "End": compatible servers send the reasons of other providers, too.
  'openai-chat': {
    completeReasons: new Set(['stop', 'tool_calls', 'function_call', 'tool_use', 'end_turn', 'stop_sequence', 'eos']),
    completeBy: 'either',
  },
  anthropic: { completeReasons: new Set(['tool_use', 'end_turn', 'stop_sequence']), completeBy: 'both' },
  'openai-responses': { completeReasons: new Set(['completed']), completeBy: 'both' },
  gemini: { completeReasons: new Set(['STOP']), completeBy: 'reason' },
};

export function createWireReader(wire: WireFormat, outlet: EventOutlet): WireReader {
  return READERS[wire](outlet);
}

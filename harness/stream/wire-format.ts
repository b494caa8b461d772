/** How providers write a streamed answer (recordings.md "wire format"); all of them are SSE. */
export const WIRE_FORMATS = ['openai-chat', 'anthropic', 'openai-responses', 'gemini'] as const;
export type WireFormat = (typeof WIRE_FORMATS)[number];

/** The DeepSeek oracle: both ways of writing a call (the grammar and its sources: parsers/deepseek.ts). */
import { nameIn } from './dialect-reading.ts';
import type { Oracle } from './oracle.ts';
import { type Form, readSectioned } from './sectioned.ts';

const FENCE = '\n```json\n';
const END_FENCE = /\n```[ \t\r\n]*$/;

const FORM: Form = {
  tokens: {
    section: token('tool calls begin'),
    endSection: token('tool calls end'),
    call: token('tool call begin'),
    endCall: token('tool call end'),
    separator: token('tool sep'),
  },
  header: (text, { start, separator, argumentsFrom, callEnd }) => {
    const plainName = nameIn(text.slice(start, separator));
    if (plainName === null) return { wrongAt: separator };
    const fence = text.slice(argumentsFrom, callEnd).indexOf(FENCE);
    if (plainName !== 'function' || fence < 0) return { name: plainName, argumentsFrom };
    const fenceAt = argumentsFrom + fence;
    const name = nameIn(text.slice(argumentsFrom, fenceAt));
    if (name === null) return { wrongAt: fenceAt };
    return { name, argumentsFrom: fenceAt + FENCE.length, closing: END_FENCE };
  },
};

export const readDeepseek: Oracle = (events, end, options) => readSectioned(FORM, { events, end, options });

/** `<｜tool▁sep｜>`, one character a byte: bars U+FF5C, low lines U+2581. */
function token(words: string): string {
  return Buffer.from(`<\uff5c${words.replaceAll(' ', '\u2581')}\uff5c>`).toString('latin1');
}

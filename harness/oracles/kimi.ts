/** The Kimi oracle (the grammar and its sources: parsers/kimi.ts). */
import { nameIn, utf8 } from './dialect-reading.ts';
import type { Oracle } from './oracle.ts';
import { type Form, readSectioned } from './sectioned.ts';

const FORM: Form = {
  tokens: {
    section: '<|tool_calls_section_begin|>',
    endSection: '<|tool_calls_section_end|>',
    call: '<|tool_call_begin|>',
    endCall: '<|tool_call_end|>',
    separator: '<|tool_call_argument_begin|>',
  },
  endsThinking: true,
  header: (text, { start, separator, argumentsFrom }) => {
    const words = text.slice(start, separator).split(/[ \t\r\n]+/);
    const [id = '', ...others] = words.filter((word) => word !== '');
    const [name = '', index = '', ...further] = id.replace(/^functions\./, '').split(':');
    const readName = /^[0-9]+$/.test(index) && others.length + further.length === 0 ? nameIn(name) : null;
    return readName === null ? { wrongAt: separator } : { id: utf8(id), name: readName, argumentsFrom };
  },
};

export const readKimi: Oracle = (events, end, options) => readSectioned(FORM, { events, end, options });

import { CtlParser } from './ctl.ts';
import { JsonObjectParser } from './json-object.ts';
import { JsonWholeParser } from './json-whole.ts';
import type { ParserFactory } from './parser.ts';
import { XmlParser } from './xml.ts';

/** The five protocols: one name for a framing together with its rule of when a call runs. */
export const PROTOCOLS = ['ctl', 'ctl-heredoc', 'xml', 'json-whole', 'json-object'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** A protocol without a parser does not compile. */
export const PARSERS = {
  ctl: (options) => new CtlParser(options),
  'ctl-heredoc': (options) => new CtlParser(options),
  xml: (options) => new XmlParser(options),
  'json-whole': (options) => new JsonWholeParser(options),
  'json-object': (options) => new JsonObjectParser(options),
} satisfies Record<Protocol, ParserFactory>;

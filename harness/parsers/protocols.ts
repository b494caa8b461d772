import { CtlParser } from './ctl.ts';
import { DeepseekParser } from './deepseek.ts';
import { GlmParser } from './glm.ts';
import { HarmonyParser } from './harmony.ts';
import { HermesParser } from './hermes.ts';
import { JsonObjectParser } from './json-object.ts';
import { JsonWholeParser } from './json-whole.ts';
import { KimiParser } from './kimi.ts';
import type { ParserFactory } from './parser.ts';
import { QwenXmlParser } from './qwen-xml.ts';
import { XmlParser } from './xml.ts';

/** The five protocols of the specification: the ones that agent, experiment E and the bench compare. */
export const CONTRACT_PROTOCOLS = ['ctl', 'ctl-heredoc', 'xml', 'json-whole', 'json-object'] as const;
export type ContractProtocol = (typeof CONTRACT_PROTOCOLS)[number];

/** Models' own tool-call forms, by the rule of the servers that people run them on (docs/dialects.md). */
export const DIALECTS = ['hermes', 'qwen-xml', 'glm', 'deepseek', 'kimi', 'harmony'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** One name for a framing together with its rule of when a call runs. */
export const PROTOCOLS = [...CONTRACT_PROTOCOLS, ...DIALECTS] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** A protocol without a parser does not compile. */
export const PARSERS: Readonly<Record<Protocol, ParserFactory>> = {
  ctl: (options) => new CtlParser(options),
  'ctl-heredoc': (options) => new CtlParser(options),
  xml: (options) => new XmlParser(options),
  'json-whole': (options) => new JsonWholeParser(options),
  'json-object': (options) => new JsonObjectParser(options),
  hermes: (options) => new HermesParser(options),
  'qwen-xml': (options) => new QwenXmlParser(options),
  glm: (options) => new GlmParser(options),
  deepseek: (options) => new DeepseekParser(options),
  kimi: (options) => new KimiParser(options),
  harmony: (options) => new HarmonyParser(options),
};

export function isContractProtocol(protocol: string): protocol is ContractProtocol {
  return CONTRACT_PROTOCOLS.some((contract) => contract === protocol);
}

/**
 * Parsers that are wrong on purpose (properties.md "Controls that must fail"): they show that the checks bite. A run in
 * which a control passes is a failed run. Each is judged by the oracle of the protocol that it misreads.
 */
import type { ParserFactory } from '../parsers/parser.ts';
import type { Protocol } from '../parsers/protocols.ts';
import { EndAnywhere } from './end-anywhere.ts';
import { JsonFirstParse } from './json-first-parse.ts';
import { JsonRepair } from './json-repair.ts';
import { XmlPerInvoke } from './xml-per-invoke.ts';

export const CONTROL_NAMES = ['json-first-parse', 'json-repair', 'end-anywhere', 'xml-per-invoke'] as const;
export type ControlName = (typeof CONTROL_NAMES)[number];

export interface Control {
  readonly create: ParserFactory;
  /** The protocols whose recordings it reads and whose oracle judges it. */
  readonly judgedAs: readonly Protocol[];
}

export const CONTROLS: Record<ControlName, Control> = {
  'json-first-parse': { create: (options) => new JsonFirstParse(options), judgedAs: ['json-object'] },
  'json-repair': { create: (options) => new JsonRepair(options), judgedAs: ['json-object'] },
  'end-anywhere': { create: (options) => new EndAnywhere(options), judgedAs: ['ctl', 'ctl-heredoc'] },
  'xml-per-invoke': { create: (options) => new XmlPerInvoke(options), judgedAs: ['xml'] },
};

/** The oracle of each protocol. Both CTL modes are one language; the JSON protocols differ in when a call may run. */
import type { Protocol } from '../parsers/protocols.ts';
import { readCtl } from './ctl.ts';
import { readDeepseek } from './deepseek.ts';
import { readGlm } from './glm.ts';
import { readHarmony } from './harmony.ts';
import { readHermes } from './hermes.ts';
import { readJsonObject, readJsonWhole } from './json.ts';
import { readKimi } from './kimi.ts';
import type { Oracle } from './oracle.ts';
import { readQwenXml } from './qwen-xml.ts';
import { readXml } from './xml.ts';

export const ORACLES: Readonly<Record<Protocol, Oracle>> = {
  ctl: readCtl,
  'ctl-heredoc': readCtl,
  xml: readXml,
  'json-whole': readJsonWhole,
  'json-object': readJsonObject,
  hermes: readHermes,
  'qwen-xml': readQwenXml,
  glm: readGlm,
  deepseek: readDeepseek,
  kimi: readKimi,
  harmony: readHarmony,
};

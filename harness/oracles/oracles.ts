/** The oracle of each protocol. Both CTL modes are one language; the JSON protocols differ in when a call may run. */
import type { Protocol } from '../parsers/protocols.ts';
import { readCtl } from './ctl.ts';
import { readJsonObject, readJsonWhole } from './json.ts';
import type { Oracle } from './oracle.ts';
import { readXml } from './xml.ts';

export const ORACLES: Readonly<Record<Protocol, Oracle>> = {
  ctl: readCtl,
  'ctl-heredoc': readCtl,
  xml: readXml,
  'json-whole': readJsonWhole,
  'json-object': readJsonObject,
};

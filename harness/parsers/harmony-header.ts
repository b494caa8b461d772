/**
 * The header of a harmony message: what stands before its `<|message|>`.
 *
 *     header    = [ "assistant" ] [ to ] "<|channel|>" CHANNEL [ to ] [ type ] *SP
 *     to        = 1*SP "to=" RECIPIENT
 *     type      = *SP "<|constrain|>" TYPE / 1*SP TYPE                      ; TYPE does not begin with "to="
 *     CHANNEL   = "analysis" / "commentary" / "final"
 *     RECIPIENT = "functions." NAME / "python" / ( "browser" / "container" ) [ "." NAME ]
 *
 * openai/harmony docs/format.md @20cd04c ("The recipient might be defined in the role or channel section of the header");
 * a type without `<|constrain|>` is what the chat template writes (models/templates/openai-gpt-oss-120b.jinja in
 * llama.cpp). `parse_header_from_string` in openai/harmony src/encoding.rs @14648ba takes more: a recipient without `to=`,
 * any role, any channel or none.
 */
import { isCallName } from './call-name.ts';

export interface HarmonyHeader {
  readonly channel: string;
  /** The name of the function that the message calls. */
  readonly call?: string;
  /** The message is addressed to a tool: a function, or one that is built in. */
  readonly hasRecipient: boolean;
}

const CHANNELS = ['analysis', 'commentary', 'final'];
const NAMESPACE = 'functions';
/** What runs at the server (openai/harmony docs/format.md, "Built-in tools"; containers: the server of gpt-oss). */
const BUILT_IN = /^(python|(browser|container)(\..+)?)$/;
const JSON_TYPE = 'json';

const TO = String.raw` +to=([^ \t\r\n<>]+)`;
const CHANNEL = String.raw`<\|channel\|>([^ \t\r\n<>]+)`;
const TYPE = String.raw`(?: *<\|constrain\|>| +)(?!to=)([^ \t\r\n<>]+)`;
const HEADER = new RegExp(`^(?:${TO})?${CHANNEL}(?:${TO})?(?:${TYPE})? *$`);

/** The header, its role left out; null if it is none. */
export function readHarmonyHeader(text: string): HarmonyHeader | null {
  const [, early, channel, late, type] = HEADER.exec(text) ?? [];
  if (channel === undefined || !CHANNELS.includes(channel)) return null;
  if (early !== undefined && late !== undefined) return null;
  const recipient = early ?? late;
  if (recipient === undefined) return { channel, hasRecipient: false };
  const [namespace, ...rest] = recipient.split('.');
  // A bare name, or one under another namespace, is a call that the model meant: it must not vanish.
  if (namespace !== NAMESPACE) return BUILT_IN.test(recipient) ? { channel, hasRecipient: true } : null;
  const call = rest.join('.');
  if (!isCallName(call) || (type !== undefined && type !== JSON_TYPE)) return null;
  return { channel, call, hasRecipient: true };
}

/** Fields of a request that are by their name for headers, credentials or keys, wherever they stand in it. */
import { type Fields, isFields } from '../stream/json-fields.ts';

/**
 * The last words of such a name: `extra_headers`, `authorization_token`, `xApiKey`. Sources: OpenAI "Remote MCP"
 * (`tools[].headers`, `tools[].authorization`), Anthropic "MCP connector" (`mcp_servers[].authorization_token`), the
 * `extra_headers` of the Python SDKs and of LiteLLM.
 */
const KEY_NAME = new RegExp(
  '(?:^|_)(?:headers?|auth|authorization|authentication|oauth2?|cookies?|credentials?|secrets?|password|passwd|' +
    'passphrase|bearer|token|(?:auth|access|refresh|bearer|api|session)_tokens|' +
    '(?:api|access|secret|private|subscription|account|signing|client|service|master|admin|project|license)_?keys?|' +
    '(?:openai|anthropic|azure|google|gemini|aws|bedrock|groq|mistral|cohere|together|openrouter|deepseek|xai|' +
    'perplexity|fireworks|hugging_?face|hf|replicate|tavily)_?keys?|access_?key_?id)$',
);
/** Tokens that are words of a vocabulary. */
const WORD_TOKEN = /(?:^|_)(?:eos|bos|pad|unk|sep|cls|mask|stop|image|audio)_token$/;

export function isKeyField(name: string): boolean {
  const words = wordsOf(name);
  return KEY_NAME.test(words) && !WORD_TOKEN.test(words);
}

/** `xApiKey` and `X-Api-Key` are `x_api_key`. */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
}

/** Where the members of a JSON schema are kept by their names: a tool may well take a `token`. */
const SCHEMAS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** What in the schema of a key would be one. */
const SCHEMA_VALUES = new Set(['default', 'const', 'enum', 'example', 'examples']);
/** How the halves of a pair `{"name": "Authorization", "value": …}` are called. */
const PAIR_NAME = /^(?:name|key|header|(?:header|param|parameter|query)_(?:name|key))$/;
const PAIR_VALUE = /^(?:value|(?:header|param|parameter|query)_value)$/;
/** Where a field `key` is Google's parameter of a URL. */
const URL_PARAMETERS = /^(?:(?:url|query|http|request)_)?(?:params|parameters)$|^query$/;

export interface WithoutKeys<T> {
  readonly value: T;
  /** How many fields were left out. */
  readonly left: number;
}

/** A copy without these fields at any depth. Flags, numbers and `null` stay: they are no keys. */
export function withoutKeyFields<T>(value: T): WithoutKeys<T> {
  const counter = { left: 0 };
  return { value: copyOf(value, '', counter) as T, left: counter.left };
}

interface Counter {
  left: number;
}

/** `holder`: the name of the field that holds the value, or that holds the array around it. */
function copyOf(value: unknown, holder: string, counter: Counter): unknown {
  if (Array.isArray(value)) return listOf(value, holder, counter);
  if (!isFields(value)) return value;
  const kept: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    if (isKeyField(name) && SCHEMAS.has(holder) && isFields(inner)) {
      kept.push([name, copyOf(withoutValues(inner, counter), name, counter)]);
    } else if (holdsKey(value, name, holder)) counter.left++;
    else kept.push([name, copyOf(inner, name, counter)]);
  }
  // Not assigned: a field `__proto__` would be lost.
  return Object.fromEntries(kept);
}

/** Without the pairs `["X-Api-Key", …]` that are elements of it. */
function listOf(list: readonly unknown[], holder: string, counter: Counter): readonly unknown[] {
  const kept = list.filter((element) => !isKeyPair(element));
  counter.left += list.length - kept.length;
  return kept.map((element) => copyOf(element, holder, counter));
}

function isKeyPair(element: unknown): boolean {
  if (!Array.isArray(element) || element.length !== 2) return false;
  const [name, value]: readonly unknown[] = element;
  return typeof name === 'string' && typeof value === 'string' && value !== '' && isKeyField(name);
}

function holdsKey(fields: Fields, name: string, holder: string): boolean {
  const value = fields[name];
  const isNothing = typeof value === 'boolean' || typeof value === 'number' || value === null || value === '';
  if (isNothing) return false;
  if (isKeyField(name)) return true;
  if (name === 'key' && typeof value === 'string' && URL_PARAMETERS.test(wordsOf(holder))) return true;
  return PAIR_VALUE.test(wordsOf(name)) && isNamedForKey(fields);
}

function isNamedForKey(pair: Fields): boolean {
  return Object.entries(pair).some(
    ([half, name]) => typeof name === 'string' && PAIR_NAME.test(wordsOf(half)) && isKeyField(name),
  );
}

function withoutValues(schema: Fields, counter: Counter): Fields {
  const kept = Object.entries(schema).filter(([name]) => !SCHEMA_VALUES.has(name));
  counter.left += Object.keys(schema).length - kept.length;
  return Object.fromEntries(kept);
}

/** The forms of keys and tokens, for `secrets.ts`. They are matched against text of one character a byte. */
import { AMPERSAND, BACKSLASHES, ESCAPED, KEY_TAIL, PASSWORD_TAIL, PEM_TAIL, TOKEN_TAIL } from './secret-extent.ts';

export interface SecretPattern {
  readonly kind: string;
  /** Flags `dg`; the group `secret` is what is masked. */
  readonly regex: RegExp;
  readonly form: SecretForm;
  /** What stands in every such secret, where it begins with nothing of its own: without it nothing needs to be matched. */
  readonly mark?: string;
  /** What belongs to it behind the group `secret`. In quotes (group `quote`, right before it) it goes to the closing one. */
  readonly tail?: RegExp;
  /** In quotes the value as a whole may be one where its beginning is none. */
  readonly shortest?: number;
}

/**
 * How a value is known to be a secret: `own`: its form tells it; `drawn`: it must look drawn by chance; `password`: it must
 * be no word, a person may have made it up; `credentials`: it is base64 of `name:password`.
 */
export type SecretForm = 'own' | 'drawn' | 'password' | 'credentials';

/**
 * Before a token stands none of `characters`, unless it ends an escape (`\n` in JSON, `\u003d`, `%3D` in a URL). Bounded,
 * so that it costs the same at every place.
 */
const before = (characters: string): string =>
  String.raw`(?<![${characters}](?<!\\[nrtbf])(?<!\\u[0-9A-Fa-f]{4})(?<!%[0-9A-Fa-f]{2}))`;
const BEFORE = before('A-Za-z0-9');

/** Repetitions at the most: without bound a long run of characters is more than the stack of a regular expression holds. */
const bounded = (form: string): string => form.replace(/,\}/g, ',2000}');

const own = (kind: string, form: string): SecretPattern => {
  const regex = new RegExp(`${BEFORE}(?<secret>${bounded(form)})`, 'dg');
  return { kind, regex, form: 'own', tail: TOKEN_TAIL };
};

/** Quotes and blanks between a field's name and its value, also in JSON within JSON (`\"key\":\"…`). */
const QUOTE = `(?:${BACKSLASHES})?["']|${BACKSLASHES}u002[27]`;
const SEPARATOR = String.raw`(?:${QUOTE})?[ \t]{0,8}(?:[:=]|%3[Dd])[ \t]{0,8}(?<quote>${QUOTE})?`;

/** The characters of most keys, a slash also escaped. */
const KEY_VALUE = `(?:[A-Za-z0-9._~+/-]|${ESCAPED}){16,1000}={0,2}`;
const SHORTEST_KEY = 16;
const SHORTEST_PASSWORD = 8;
/** Of the characters of a password those that are no code. */
const PASSWORD_VALUE = `(?:[^\\x00-\\x20"'\\\\<>{}()\\[\\]$,;&\`]|${AMPERSAND}|${ESCAPED}){${SHORTEST_PASSWORD},128}`;

const field = (kind: string, names: string, value = KEY_VALUE): SecretPattern => {
  const regex = new RegExp(`(?:${names})${SEPARATOR}(?<secret>${value})?`, 'dgi');
  return { kind, regex, form: 'drawn', tail: KEY_TAIL, shortest: SHORTEST_KEY };
};

const password = (names: string): SecretPattern => {
  return {
    ...field('password', names, PASSWORD_VALUE),
    form: 'password',
    tail: PASSWORD_TAIL,
    shortest: SHORTEST_PASSWORD,
  };
};

/**
 * Prefixes that services give their keys, with what follows (their own documents; GitHub "Supported secret scanning
 * patterns"; gitleaks `config/gitleaks.toml`).
 */
const PREFIXED: readonly (readonly [kind: string, form: string])[] = [
  ['SendGrid key', String.raw`SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}`],
  ['Replicate token', 'r8_[A-Za-z0-9]{30,}'],
  ['Perplexity key', 'pplx-[A-Za-z0-9]{40,}'],
  ['Tavily key', 'tvly-(?:[a-z]{2,8}-)?[A-Za-z0-9]{20,}'],
  ['Cerebras key', 'csk-[A-Za-z0-9]{40,}'],
  ['Bedrock key', '(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/]{100,}={0,2}'],
  ['LangSmith key', 'lsv2_(?:pt|sk)_[A-Za-z0-9]{32}_[A-Za-z0-9]{10}'],
  ['Pinecone key', 'pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{50,}'],
  ['Databricks token', 'dapi[0-9a-f]{32}(?![A-Za-z0-9])'],
  ['DigitalOcean token', 'do[opr]_v1_[0-9a-f]{64}'],
  ['Notion token', 'ntn_[A-Za-z0-9]{40,}'],
  ['Linear key', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,}'],
  ['PyPI token', 'pypi-AgE[A-Za-z0-9_-]{50,}'],
  ['Supabase key', 'sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,}'],
  ['Shopify token', 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}'],
  ['Atlassian token', 'ATATT3[A-Za-z0-9_=-]{150,}'],
  ['Slack token', 'xapp-[0-9]-[A-Z0-9]{8,}-[0-9]{8,}-[a-f0-9]{32,}'],
  ['Telegram token', '[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])'],
  ['Jina key', 'jina_[A-Za-z0-9_-]{50,}'],
  ['E2B key', 'e2b_[0-9a-f]{40}'],
  ['Vault token', String.raw`hv[sb]\.[A-Za-z0-9_-]{24,}`],
  ['Docker token', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}'],
  ['webhook secret', 'whsec_[A-Za-z0-9+/]{24,}={0,2}'],
  ['age key', 'AGE-SECRET-KEY-1[0-9A-Z]{50,}'],
];

/** A slash as it is, or as some JSON writers escape it. */
const SLASH = `(?:${BACKSLASHES})?/`;

/** Names of fields and of parameters in a URL that hold a key. */
const KEY_NAMES =
  'api[-_ ]?key|access[-_]?token|auth[-_]?token|refresh[-_]?token|client[-_]?secret|secret[-_]?key|private[-_]?key|' +
  'subscription[-_]?key|authorization[-_]?token|session[-_]?token|bearer[-_]?token|access[-_]?key|account[-_]?key';

/** So much of a key that its head is not only named. */
const PEM_HEAD = PEM_TAIL.source.replace(/\{1,[0-9]+\}$/, '{32}');

/** Of a variable in capitals: `GITHUB_TOKEN=…`, `OPENAI_KEY: …`. */
const VARIABLE = new RegExp(`(?<=[A-Z0-9]_)(?:TOKEN|SECRET|KEY)${SEPARATOR}(?<secret>${KEY_VALUE})?`, 'dg');

/** `PWD` and `OLDPWD` are working directories; `DB_PWD` is none. */
const PASSWORD_NAMES = 'password|passwd|passphrase|(?<=[_-])(?<!old[_-])pwd';

export const PATTERNS: readonly SecretPattern[] = [
  own('Anthropic key', 'sk-ant-[A-Za-z0-9_-]{20,}'),
  {
    kind: 'OpenAI key',
    // Also of the many who copied the form; words joined by hyphens (`sk-loading-indicator…`) do not look drawn.
    regex: new RegExp(`${BEFORE}(?<secret>sk-(?!ant-)[A-Za-z0-9_-]{20,1000})`, 'dg'),
    form: 'drawn',
    tail: TOKEN_TAIL,
  },
  ...PREFIXED.map(([kind, form]) => own(kind, form)),
  { ...own('Azure key', '[A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9]{20,}'), mark: 'JQQJ9' },
  {
    kind: 'Fireworks key',
    regex: new RegExp(`${BEFORE}(?<secret>fw_[A-Za-z0-9]{20,1000})`, 'dg'),
    form: 'drawn',
    tail: TOKEN_TAIL,
  },
  own('Google key', 'AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])'),
  own('Google token', String.raw`ya29\.[A-Za-z0-9_-]{20,}`),
  own('Google client secret', 'GOCSPX-[A-Za-z0-9_-]{28}'),
  own('AWS key id', '(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])'),
  own('GitHub token', '(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{36,})'),
  own('GitLab token', 'glpat-[A-Za-z0-9_-]{20,}'),
  own('Slack token', 'xox[abeoprs]-[A-Za-z0-9-]{20,}'),
  own('Hugging Face token', 'hf_[A-Za-z0-9]{30,}'),
  own('Groq key', 'gsk_[A-Za-z0-9]{40,}'),
  own('xAI key', 'xai-[A-Za-z0-9]{60,}'),
  own('NVIDIA key', 'nvapi-[A-Za-z0-9_-]{40,}'),
  own('npm token', 'npm_[A-Za-z0-9]{36}'),
  own('Stripe key', '[rs]k_live_[A-Za-z0-9]{20,}'),
  {
    kind: 'JSON web token',
    // Begins where a run of its own characters begins, so that each run is read once.
    regex: new RegExp(
      `${before('A-Za-z0-9_-')}(?<secret>eyJ[A-Za-z0-9_-]{10,20000}\\.eyJ[A-Za-z0-9_-]{10,20000}\\.[A-Za-z0-9_-]{20,2000})`,
      'dg',
    ),
    form: 'own',
  },
  {
    kind: 'private key',
    regex: new RegExp(`-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?<secret>${PEM_HEAD})`, 'dg'),
    form: 'own',
    tail: PEM_TAIL,
  },
  {
    kind: 'Bearer token',
    regex: new RegExp(`\\bBearer[ +]{1,4}(?<secret>${KEY_VALUE})`, 'dgi'),
    form: 'drawn',
    tail: KEY_TAIL,
  },
  field('authorization', 'authorization', `(?:(?:Basic|Bearer|Token|Bot)[ +]{1,4})?${KEY_VALUE}`),
  field(
    'AWS secret key',
    'aws_?secret_?access_?key|secretaccesskey',
    `(?:[A-Za-z0-9/+]|${BACKSLASHES}/|${BACKSLASHES}u002[BFbf]){40}(?![A-Za-z0-9/+=])`,
  ),
  field('key in a field', KEY_NAMES),
  { ...field('key in a field', ''), regex: VARIABLE },
  {
    kind: 'key in a URL',
    regex:
      /[?&](?:amp;)?(?:key|token|auth|secret|sig|signature|password|x-amz-(?:signature|security-token)|x-goog-signature)=(?<secret>[A-Za-z0-9._~+/%-]{16,1000})/dgi,
    form: 'drawn',
    tail: KEY_TAIL,
  },
  {
    kind: 'Slack webhook',
    regex: new RegExp(
      `hooks\\.slack\\.com${SLASH}(?:services|workflows|triggers)${SLASH}(?<secret>[A-Z0-9]{6,200}(?:${SLASH}[A-Za-z0-9]{6,200}){2,4})`,
      'dg',
    ),
    form: 'own',
  },
  {
    kind: 'Discord webhook',
    regex: new RegExp(
      `discord(?:app)?\\.com${SLASH}api${SLASH}webhooks${SLASH}[0-9]{15,20}${SLASH}(?<secret>[A-Za-z0-9_-]{60,200})`,
      'dg',
    ),
    form: 'own',
  },
  {
    kind: 'Basic credentials',
    regex: new RegExp(
      `\\bBasic[ +]{1,4}(?<secret>(?:[A-Za-z0-9+/_-]|${BACKSLASHES}/|${BACKSLASHES}u002[BFbf]){8,2000}={0,2})`,
      'dgi',
    ),
    form: 'credentials',
  },
  password(PASSWORD_NAMES),
  {
    kind: 'password in a URL',
    regex: new RegExp(
      `:${SLASH}${SLASH}[^\\s/:@"'\\\\<>]{0,128}:(?<secret>(?:[^\\s/:@"'\\\\<>{}$]|\\$(?![{(])){8,256})@[A-Za-z0-9[]`,
      'dg',
    ),
    form: 'drawn',
  },
  {
    kind: 'key in a URL',
    regex: new RegExp(`:${SLASH}${SLASH}(?<secret>[A-Za-z0-9._~-]{16,256})@[A-Za-z0-9[]`, 'dg'),
    form: 'drawn',
  },
];

/** Words that stand in examples in place of a key. */
const PLACEHOLDER = /your[-_]|example|placeholder|redacted|changeme|dummy|\*\*\*\*|\.\.\./i;

function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || entropy(value) < 2;
}

/** Bits a character (Shannon, of the value's own letters) from which on a value is taken as drawn. */
const LEAST_ENTROPY = 3;
/** A part of a name as people write them; their parts have this many letters on the average, those of keys fewer. */
const WORD = /^(?:[A-Za-z]?[a-z]+[0-9]{0,2}|[A-Z]+[0-9]{0,2}|[0-9]{1,4})$/;
const WORD_LENGTH = 3;
/** `p256`, `sha512`. */
const ALGORITHM = /^(?:sha|md|aes|rsa|dsa|ed|x|curve|secp|prime|p|rs|es|hs|ps|chacha|poly)[0-9]{1,5}(?:[krv][0-9])?$/i;

/** Bits a character from which on a password is no placeholder: it is short. */
const LEAST_PASSWORD_ENTROPY = 2.5;

/** `password123`, `Secret!2024`: what examples write. */
const WORD_AND_COUNT = /^[A-Za-z]?[a-z]+[!@#_.-]?[0-9]{1,4}!?$/;

/** Whether a value is a secret by its form. */
export function isSecret(value: string, form: SecretForm): boolean {
  if (form === 'own') return !isPlaceholder(value);
  if (form === 'credentials') return isCredentials(value);
  if (form === 'password') return !WORD_AND_COUNT.test(value) && looksDrawn(value, LEAST_PASSWORD_ENTROPY);
  return looksDrawn(value);
}

/** `name:password` in base64. */
function isCredentials(value: string): boolean {
  const text = Buffer.from(value, 'base64').toString('utf8');
  return /^[^:\p{C}\uFFFD]{0,128}:[^\p{C}\uFFFD]{1,256}$/u.test(text) && !isPlaceholder(text);
}

/** Letters and digits mixed so that no writer of names would mix them. */
export function looksDrawn(value: string, least = LEAST_ENTROPY): boolean {
  if (isPlaceholder(value) || !/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  const bare = value.replace(/^(?:Basic|Bearer|Token|Bot)[ +]+/i, '');
  const parts = bare.split(/[-_./~+=:;,@$&%]|(?<=[a-z0-9])(?=[A-Z])/).filter((part) => part !== '');
  const isName =
    parts.every((part) => WORD.test(part) || ALGORITHM.test(part)) &&
    parts.join('').length >= WORD_LENGTH * parts.length;
  return !isName && entropy(bare) >= least;
}

function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

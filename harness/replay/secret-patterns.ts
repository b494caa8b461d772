/** The forms of keys and tokens, for `secrets.ts`. They are matched against text of one character a byte. */

export interface SecretPattern {
  readonly kind: string;
  /** Flags `dg`; the group `secret` is what is masked. */
  readonly regex: RegExp;
  /** `own`: the form tells it. `drawn`: the value has no form, and must look drawn by chance. */
  readonly form: 'own' | 'drawn';
}

/**
 * Before a token stands none of `characters`, unless it ends an escape (`\n` in JSON, `\u003d`, `%3D` in a URL). Bounded,
 * so that it costs the same at every place.
 */
const before = (characters: string): string =>
  String.raw`(?<![${characters}](?<!\\[nrtbf])(?<!\\u[0-9A-Fa-f]{4})(?<!%[0-9A-Fa-f]{2}))`;
const BEFORE = before('A-Za-z0-9');

const own = (kind: string, form: string): SecretPattern => {
  return { kind, regex: new RegExp(`${BEFORE}(?<secret>${form})`, 'dg'), form: 'own' };
};

/** Quotes and blanks between a field's name and its value, also in JSON within JSON (`\"key\":\"…`). */
const SEPARATOR = String.raw`(?:\\{0,7}["'])?[ \t]{0,8}(?:[:=]|%3[Dd])[ \t]{0,8}(?:\\{0,7}["'])?`;

const field = (kind: string, names: string, value: string): SecretPattern => {
  const regex = new RegExp(`(?:${names})${SEPARATOR}(?<secret>${value})`, 'dgi');
  return { kind, regex, form: 'drawn' };
};

/** A PEM line's characters, and line ends as they are or escaped; a lone "-" stands in the headers of old keys. */
const PEM_BODY = String.raw`(?:[A-Za-z0-9+/=\s,:]|\\{1,7}[nrt]|-(?!-)){32,}`;

export const PATTERNS: readonly SecretPattern[] = [
  own('Anthropic key', 'sk-ant-[A-Za-z0-9_-]{20,}'),
  {
    kind: 'OpenAI key',
    // Also of the many who copied the form; words joined by hyphens (`sk-loading-indicator…`) do not look drawn.
    regex: new RegExp(`${BEFORE}(?<secret>sk-(?!ant-)[A-Za-z0-9_-]{20,})`, 'dg'),
    form: 'drawn',
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
      `${before('A-Za-z0-9_-')}(?<secret>eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{20,})`,
      'dg',
    ),
    form: 'own',
  },
  {
    kind: 'private key',
    regex: new RegExp(`-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY-----(?<secret>${PEM_BODY})(?:-----END)?`, 'dg'),
    form: 'own',
  },
  { kind: 'Bearer token', regex: /\bBearer[ +]{1,4}(?<secret>[A-Za-z0-9._~+/-]{16,}={0,2})/dgi, form: 'drawn' },
  field('authorization', 'authorization', '(?:(?:Basic|Bearer|Token|Bot)[ +]{1,4})?[A-Za-z0-9._~+/-]{16,}={0,2}'),
  field('AWS secret key', 'aws_?secret_?access_?key|secretaccesskey', '[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])'),
  field(
    'key in a field',
    'api[-_ ]?key|access[-_]?token|auth[-_]?token|refresh[-_]?token|client[-_]?secret|secret[-_]?key|private[-_]?key',
    '[A-Za-z0-9._~+/-]{16,}={0,2}',
  ),
  {
    kind: 'password in a URL',
    regex: /:\/\/[^\s/:@"'\\<>]{0,128}:(?<secret>[^\s/:@"'\\<>{}$]{8,256})@[A-Za-z0-9[]/dg,
    form: 'drawn',
  },
];

/** Words that stand in examples in place of a key. */
const PLACEHOLDER = /your[-_]|example|placeholder|redacted|changeme|dummy|\*\*\*\*|\.\.\./i;

export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || entropy(value) < 2;
}

/** Bits a character (Shannon, of the value's own letters) from which on a value is taken as drawn. */
const LEAST_ENTROPY = 3;
/** A part of a name as people write them; their parts have this many letters on the average, those of keys fewer. */
const WORD = /^(?:[A-Za-z]?[a-z]+[0-9]{0,2}|[A-Z]+[0-9]{0,2}|[0-9]{1,4})$/;
const WORD_LENGTH = 3;

/** Letters and digits mixed so that no writer of names would mix them. */
export function looksDrawn(value: string): boolean {
  if (isPlaceholder(value) || !/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  const bare = value.replace(/^(?:Basic|Bearer|Token|Bot)[ +]+/i, '');
  const parts = bare.split(/[-_./~+=]|(?<=[a-z0-9])(?=[A-Z])/).filter((part) => part !== '');
  const isName = parts.every((part) => WORD.test(part)) && parts.join('').length >= WORD_LENGTH * parts.length;
  return !isName && entropy(bare) >= LEAST_ENTROPY;
}

function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

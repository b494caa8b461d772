import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSecrets, redactSecrets } from './secrets.ts';

/** Put together here, so that no scanner takes the test for a leak. */
const DRAWN = 'q7Zt4Lw9Xb2Vn6Kd3Rf8Hs5Jc1Gm0PyTaUeWiQo';
/** 32 hexadecimal digits, drawn. */
const HEX = '9f3a1c7e5b2d8046a9e1f4c7b0d35286';
const BASIC = Buffer.from('admin:h8Jk-29xQ').toString('base64');
const upper = DRAWN.toUpperCase().replace(/[0189]/g, 'Q');
const KEYS: readonly [kind: string, key: string][] = [
  ['OpenAI key', `sk-${DRAWN}`],
  ['OpenAI key', `sk-proj-${DRAWN}_${DRAWN}`],
  ['Anthropic key', `sk-ant-api03-${DRAWN}-${DRAWN}`],
  ['Google key', `AIza${DRAWN.slice(0, 35)}`],
  ['AWS key id', `AKIA${upper.slice(0, 16)}`],
  ['GitHub token', `ghp_${DRAWN.slice(0, 36)}`],
  ['GitHub token', `github_pat_${DRAWN}_${DRAWN}`],
  ['Slack token', `xoxb-123456789012-${DRAWN}`],
  ['Hugging Face token', `hf_${DRAWN}`],
  ['Groq key', `gsk_${DRAWN}${DRAWN.slice(0, 13)}`],
  ['SendGrid key', `SG.${DRAWN.slice(0, 22)}.${DRAWN}${DRAWN.slice(0, 3)}`],
  ['Replicate token', `r8_${DRAWN.slice(0, 37)}`],
  ['Perplexity key', `pplx-${DRAWN}${DRAWN.slice(0, 9)}`],
  ['Tavily key', `tvly-dev-${DRAWN}`],
  ['Tavily key', `tvly-${DRAWN}`],
  ['Fireworks key', `fw_${DRAWN}`],
  ['Cerebras key', `csk-${DRAWN}${DRAWN.slice(0, 9)}`],
  ['Bedrock key', `ABSK${DRAWN.repeat(3)}`],
  ['Azure key', `${(DRAWN + DRAWN).slice(0, 52)}JQQJ99AK${DRAWN.slice(0, 24)}`],
  ['LangSmith key', `lsv2_pt_${DRAWN.slice(0, 32)}_${DRAWN.slice(0, 10)}`],
  ['Telegram token', `123456789:AA${DRAWN.slice(0, 33)}`],
  ['JSON web token', `eyJhbGciOiJIUzI1NiJ9.eyJ${DRAWN}.${DRAWN}`],
];

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function found(text: string, known?: readonly string[]): [kind: string, secret: string][] {
  const all = Buffer.from(text);
  return findSecrets(all, known).map(({ kind, offset, length }) => [
    kind,
    all.subarray(offset, offset + length).toString(),
  ]);
}

describe('secrets', () => {
  it.each(KEYS)('finds the form of an %s wherever it stands', (kind, key) => {
    const places = [key, `é語 ${key}.`, `{"a":"${key}"}`, `{"a":"x\\n${key}\\n"}`, `?key=${key}&x=1`, `a%3D${key}%26`];
    for (const text of places) expect([text, found(text)]).toEqual([text, [[kind, key]]]);
  });

  it.each(KEYS)('takes an %s that is the end of another word for none', (_, key) => {
    expect(found(`x${key}`)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['key in a field', `api_key=${DRAWN}`, DRAWN],
    ['key in a field', `{\\"apiKey\\": \\"${DRAWN}\\"}`, DRAWN],
    ['key in a field', `"client_secret" : '${DRAWN}'`, DRAWN],
    ['authorization', `"authorization":"Basic ${DRAWN}=="`, `Basic ${DRAWN}==`],
    ['authorization', `Authorization: Bearer ${DRAWN}\r\n`, `Bearer ${DRAWN}`],
    ['Bearer token', `curl -H 'X: bearer ${DRAWN}'`, DRAWN],
    ['key in a field', `api-key: ${HEX}`, HEX],
    ['key in a field', `"Ocp-Apim-Subscription-Key": "${HEX}"`, HEX],
    ['key in a field', `{"authorization_token":"${DRAWN}"}`, DRAWN],
    ['key in a field', `https://x.test/mcp?a=1&api_key=${DRAWN}#x`, DRAWN],
    ['key in a URL', `https://x.test/v1?key=${DRAWN}&alt=sse`, DRAWN],
    ['key in a URL', `https://x.test/v1?a=b&amp;token=${HEX}`, HEX],
    ['key in a URL', `https://b.test/o?X-Amz-Signature=${HEX}`, HEX],
    ['Slack webhook', `https://hooks.slack.com/services/T01ABCDEF/B02ABCDEF/${DRAWN}`, `T01ABCDEF/B02ABCDEF/${DRAWN}`],
    [
      'Slack webhook',
      `"https:\\/\\/hooks.slack.com\\/services\\/T01ABCDEF\\/B02ABCDEF\\/${DRAWN}"`,
      `T01ABCDEF\\/B02ABCDEF\\/${DRAWN}`,
    ],
    ['Discord webhook', `https://discord.com/api/webhooks/123456789012345678/${DRAWN}${DRAWN}`, DRAWN + DRAWN],
    ['Basic credentials', `curl -H "X: Basic ${BASIC}"`, BASIC],
    ['Basic credentials', `\\"Proxy\\": \\"basic ${BASIC}\\"`, BASIC],
    ['authorization', `Authorization: Basic ${BASIC}`, `Basic ${BASIC}`],
    ['password', '"password": "Tr0ub4dor&3"', 'Tr0ub4dor&3'],
    ['password', 'PGPASSWORD=xk29-Vb!q1 psql', 'xk29-Vb!q1'],
    ['password', '{\\"db_passwd\\":\\"qL7!vB2x\\"}', 'qL7!vB2x'],
    ['password', 'password: 4fG_8sPq2z', '4fG_8sPq2z'],
    ['AWS secret key', `aws_secret_access_key = ${DRAWN}/`, `${DRAWN}/`],
    ['password in a URL', `postgres://admin:${DRAWN}@db.example:5432/x`, DRAWN],
  ])('finds the value of a field: %s in %s', (kind, text, secret) => {
    expect(found(text)).toEqual([[kind, secret]]);
  });

  it.each(['\n', '\\n', '\\\\n', '\r\n'])('finds a private key with line ends %j, and masks none of them', (end) => {
    const head = '-----BEGIN RSA PRIVATE KEY-----';
    const text = `${head}${end}${DRAWN}${end}${DRAWN}${end}-----END RSA PRIVATE KEY-----${end}`;
    const masked = Buffer.from(redactSecrets(bytes(text), findSecrets(bytes(text)))).toString();
    expect(masked).not.toContain(DRAWN.slice(0, 8));
    expect(masked.length).toBe(text.length);
    expect(masked.split(/[\r\n]/).length).toBe(text.split(/[\r\n]/).length);
    expect(found(`${head}${end}...${end}-----END RSA PRIVATE KEY-----`)).toEqual([]);
  });

  it.each([
    'api_key = os.environ["OPENAI_API_KEY"]',
    'password: must be at least 8 characters',
    'password = os.environ["DB_PASSWORD_2"]',
    'password=config.db2.password',
    '"password": {"type": "string", "minLength": 12}',
    '"password": "password123"',
    'if (password === hashPassword2(input)) {',
    'passphrase: correct-horse-battery-2',
    'pwd: /home/user/project2',
    'Basic authentication/v2.0-and-later',
    'Basic Authentication',
    'Basic usage1234567890',
    '?key=application-name-2024-version',
    'https://x.test/?sort=key&token=page-2-of-the-listing',
    'https://hooks.slack.com/services/YOUR/WEBHOOK/URL',
    'fw_update_procedure_v2_for_the_board',
    'r8_register_value',
    'pplx-7b-online, pplx-70b-chat',
    'SG.something.else',
    '12345678:AAPL',
    'const apiKey = process.env.OPENAI_API_KEY_2;',
    'api_key="your-api-key-goes-here-123"',
    'Authorization: Bearer YOUR_API_KEY_1',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code as a model writes it.
    '`Bearer ${process.env.API_TOKEN_V2}`',
    'bearer authentication/v2.0-and-later',
    'AKIAIOSFODNN7EXAMPLE',
    '<div class="sk-loading-indicator-wrapper-large-2">',
    'task-sk-list-for-the-application-number-12',
    'sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'postgres://user:password@localhost:5432/db',
    'https://example.com:8080/path@v2',
    'accessToken: getAccessToken2FromConfiguration',
    '"id":"chatcmpl-BxK3v9mPq2LwZ8nR5tYd7JhF1cGs"',
    '"id":"call_q7Zt4Lw9Xb2Vn6Kd3Rf8Hs5J"',
    `"sha":"${'0123456789abcdef'.repeat(4)}"`,
  ])('leaves ordinary text alone: %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('finds a known value as it is, escaped, in a URL and within base64 at any shift', () => {
    const known = 'pa"ss/wo+rd ü';
    const json = JSON.stringify(known).slice(1, -1);
    const places = [known, json, json.replaceAll('/', '\\/'), JSON.stringify(json).slice(1, -1)];
    places.push(encodeURIComponent(known), encodeURIComponent(known).toLowerCase());
    for (const text of places) expect([text, found(`a${text}b`, [known])]).toEqual([text, [['known key', text]]]);
    for (const before of ['', 'u', 'us', 'usr']) {
      for (const alphabet of ['base64', 'base64url'] as const) {
        const text = Buffer.from(`${before}${known}tail`).toString(alphabet);
        const [hit] = found(text, [known]);
        expect(hit?.[0]).toBe('known key');
        // All of it but the digits at both ends, which other bytes have a part in.
        expect(hit?.[1].length).toBeGreaterThanOrEqual(Math.floor((Buffer.byteLength(known) * 8) / 6) - 1);
        expect(text).toContain(hit?.[1]);
      }
    }
  });

  it('does not search for a known value of less than 8 bytes', () => {
    expect(found('none none', ['none', ''])).toEqual([]);
  });

  it('merges what overlaps', () => {
    const key = `sk-${DRAWN}`;
    const text = `Authorization: Bearer ${key} and ${key} and ghp_${DRAWN.slice(0, 36)}`;
    const hits = findSecrets(bytes(text), [key.slice(5)]);
    expect(hits.map(({ offset, length }) => [offset, length])).toEqual([
      [15, 7 + key.length],
      [27 + key.length, key.length],
      [32 + 2 * key.length, 40],
    ]);
    expect(hits.map(({ kind }) => kind)).toEqual(['authorization', 'OpenAI key', 'GitHub token']);
  });

  it('masks in place: the length, the JSON and the rest stay, and nothing is found again', () => {
    const string = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '語', ' ', '/', '=', '-'), maxLength: 8 });
    const key = fc.constantFrom(...KEYS.map(([, value]) => value));
    fc.assert(
      fc.property(string, string, key, fc.boolean(), (before, after, secret, twice) => {
        const inner = { text: `${before} ${secret} ${after}`, 'api-key': secret, n: 1 };
        const text = JSON.stringify(twice ? { arguments: JSON.stringify(inner) } : inner);
        const masked = redactSecrets(bytes(text), findSecrets(bytes(text)));
        expect(masked.length).toBe(bytes(text).length);
        expect(findSecrets(masked)).toEqual([]);
        const parsed = JSON.parse(Buffer.from(masked).toString());
        const { text: maskedText } = twice ? JSON.parse(parsed.arguments) : parsed;
        expect(maskedText).toBe(`${before} ${'*'.repeat(secret.length)} ${after}`);
      }),
      { seed: 9901, numRuns: 300 },
    );
  });

  it.each([
    'eyJ',
    'eyJaaaaaaaaaa.',
    'sk-',
    'sk-a1',
    '://',
    '://a:',
    'api_key=',
    'api_key   ',
    'Bearer  ',
    '-----BEGIN RSA PRIVATE KEY-----',
    'password: ',
    'password=a1',
    'Basic  ',
    'Basic YTpi',
    '?key=',
    '&amp;',
    'JQQJ9',
    'hooks.slack.com/services/AAAAAA/',
    '123456789:',
    '-----BEGIN RSA PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\\\\',
    '\\',
    '%3D',
    'authorization: ',
  ])('takes a time that is linear in the bytes: %j over and over', (piece) => {
    const long = bytes(piece.repeat(Math.ceil(2_000_000 / piece.length)));
    const before = performance.now();
    findSecrets(long, [DRAWN]);
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});

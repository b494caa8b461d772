import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSecrets, redactSecrets } from './secrets.ts';

/** Put together here, so that no scanner takes the test for a leak. */
const DRAWN = 'q7Zt4Lw9Xb2Vn6Kd3Rf8Hs5Jc1Gm0PyTaUeWiQo';
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

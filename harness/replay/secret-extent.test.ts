import { describe, expect, it } from 'vitest';
import { findSecrets, redactSecrets } from './secrets.ts';

/** Put together here, so that no scanner takes the test for a leak. */
const HEAD = 'q7Zt4Lw9Xb2Vn6Kd3';
const TAIL = 'Rf8Hs5Jc1Gm0PaBcD3eF';
const LONG = `${HEAD}${TAIL}`.repeat(4);

/** What stands between `«` and `»` is the secret. */
function masked(marked: string): { readonly got: string; readonly wanted: string } {
  const bytes = Buffer.from(marked.replace(/[«»]/g, ''));
  const got = Buffer.from(redactSecrets(bytes, findSecrets(bytes))).toString();
  return { got, wanted: marked.replace(/«(.*?)»/gs, (_, secret: string) => '*'.repeat(Buffer.byteLength(secret))) };
}

describe('a secret is masked to its end', () => {
  it.each([
    '"password":"«Tr0ub4dor9$xyzzySecret77»","n":1',
    '"password":"«q7Z$t4Lw9Xb2»"',
    '"password":"«Tr0ub4(dor9Xq»"',
    '"password":"«q9<Zk3!mW8»"',
    `\\u0022password\\u0022:\\u0022«${HEAD}»\\u0022,n`,
    `'api_key':\\u0027«${HEAD}:${TAIL}»\\u0027`,
    `"-----BEGIN PRIVATE KEY-----«${'\\'.repeat(8)}nMIIEvQ${LONG}${'\\'.repeat(8)}n»-----END PRIVATE KEY-----"`,
    `api_key: '«${HEAD}»\\n\\nUse rm, don't`,
    `"password":"«${HEAD};${TAIL}»"`,
    `"password":"«${HEAD} and the rest»", "n": 1`,
    `"password":"«${HEAD}\\"${TAIL}»", "n": 1`,
    `"password":"«${HEAD}ü${TAIL}»"`,
    `{\\"password\\":\\"«${HEAD}\\\\\\"${TAIL}»\\",\\"n\\":1}`,
    `{"content":"password=\\"«${HEAD},${TAIL}»"},"n":1`,
    `DB_PASSWORD=«${HEAD};${TAIL}» psql`,
    `DB_PASSWORD='«${HEAD} ${TAIL}»' psql`,
    `DB_PASSWORD=«${HEAD}(${TAIL}»\\nnext`,
    `https://x.test/?password=«${HEAD}»&user=me`,
    `"api_key":"«${HEAD}:${TAIL}$ef»"`,
    `"access_token":"«${HEAD}\\/${TAIL}»"`,
    `Bearer «${HEAD}\\/${TAIL}»`,
    `Bearer «${HEAD}\\u002f${TAIL}»\\u0022`,
    `postgres://u:«pa$s${HEAD}»@h/db`,
    `"postgres:\\/\\/u:«pa$s${HEAD}»@h"`,
    `https://«${HEAD}${TAIL}»@mcp.test/sse`,
    `-----BEGIN PRIVATE KEY-----«\\nMIIEvQ${LONG}\\/${LONG}\\n»-----END PRIVATE KEY-----`,
    `-----BEGIN PGP PRIVATE KEY BLOCK-----«\\n\\n${LONG}\\n»-----END`,
  ])('%s', (text) => {
    const { got, wanted } = masked(text);
    expect(got).toBe(wanted);
  });

  it.each([
    `GITHUB_TOKEN=«${HEAD}${TAIL}»`,
    `CLOUDFLARE_API_TOKEN="«${HEAD}${TAIL}»"`,
    `OPENAI_KEY: «${HEAD}${TAIL}»`,
    `AccountName=x;AccountKey=«${LONG}==»;`,
    `«hvs.${HEAD}${TAIL}»`,
    `«dckr_pat_${HEAD}${TAIL}»`,
    `«whsec_${HEAD}${TAIL}»`,
    `«AGE-SECRET-KEY-1${'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'.repeat(2).slice(0, 58)}»`,
  ])('also where no field of JSON names it: %s', (text) => {
    const { got, wanted } = masked(text);
    expect(got).toBe(wanted);
  });

  it.each([
    'PWD=/tmp/tmp.k3J9xQ2vB1',
    'OLDPWD=/home/u1/w-7f3a9',
    '"pwd": "/var/folders/8x/k3j9zq2n1l5_xx/T"',
    'private-key: ecdsa-p256-sha256',
    '"password": "$DB_PASSWORD_2"',
    '"password": "{{ vault.db_password_2 }}"',
    '"password": "at least 8 characters, 2 of them digits"',
    '{"content":"password: "},"finish_reason":null,"created":1764720000}',
    'GITHUB_TOKEN=$GITHUB_TOKEN_FOR_RELEASE_2',
    'https://user@example.com, https://git@github.com/x2',
  ])('and what is none stays: %s', (text) => {
    expect(findSecrets(Buffer.from(text))).toEqual([]);
  });

  it.each(['-----BEGIN PRIVATE KEY-----', 'Basic ', '?key=', 'sk-', 'github_pat_', 'eyJ', 'password="', 'Bearer '])(
    'however long it is: 8 MB behind %s',
    (head) => {
      const text = Buffer.from(head + 'q7Zt4Lw9'.repeat(1_000_000));
      const hits = findSecrets(text);
      const isBounded = head === 'eyJ' || head === 'Basic ';
      const last = hits.at(-1);
      expect(last === undefined ? 0 : last.offset + last.length).toBe(isBounded ? 0 : text.length);
    },
  );
});

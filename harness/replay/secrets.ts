/**
 * Keys and tokens in the bytes of a stream or a request: what must not be written to disk, let alone be published.
 *
 * The forms are those that the providers document or that secret scanners look for (GitHub "Secret scanning patterns",
 * gitleaks). A pattern without a form of its own (`api_key=…`) asks for a value that looks drawn and not written: answers
 * are full of code that names keys. All patterns start at a fixed word and never look back over what they consumed, so
 * that the time is linear in the bytes.
 */
import { closingQuote, endOf, unescaped } from './secret-extent.ts';
import { isSecret, PATTERNS, type SecretPattern } from './secret-patterns.ts';

/** `offset` and `length` in bytes. */
export interface SecretHit {
  /** What it looks like, in a few words: `OpenAI key`. Never the secret. */
  readonly kind: string;
  readonly offset: number;
  readonly length: number;
}

/** A known value that is shorter (bytes) is not searched for: `none` or `test` would be found everywhere. */
const SHORTEST_KNOWN = 8;

const MASK = 42; // "*": means nothing in JSON, URLs and SSE
const LF = 10;
const CR = 13;

/**
 * The secrets in `bytes`, in order, none overlapping another.
 * @param known values that are secret whatever they look like; also found JSON-escaped, URL-encoded and within base64.
 */
export function findSecrets(bytes: Uint8Array, known: readonly string[] = []): readonly SecretHit[] {
  // One character a byte, so that indices are byte offsets.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const hits = [...knownHits(text, known), ...PATTERNS.flatMap((pattern) => patternHits(text, pattern))];
  return merged(hits);
}

/** A copy in which every hit is masked with `*`: lengths, line ends and so offsets, JSON and arrival times stay. */
export function redactSecrets(bytes: Uint8Array, hits: readonly SecretHit[]): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (const { offset, length } of hits) {
    for (let at = offset; at < offset + length; at++) {
      if (copy[at] !== LF && copy[at] !== CR) copy[at] = MASK;
    }
  }
  return copy;
}

function patternHits(text: string, pattern: SecretPattern): SecretHit[] {
  const hits: SecretHit[] = [];
  const { kind, regex, mark } = pattern;
  if (mark !== undefined && !text.includes(mark)) return hits;
  regex.lastIndex = 0;
  for (let match = regex.exec(text); match !== null; match = regex.exec(text)) {
    const place = match.indices?.groups?.['secret'];
    const from = place?.[0] ?? regex.lastIndex;
    const to = secretEnd(text, { from, to: place?.[1] ?? from, quote: match.groups?.['quote'] }, pattern);
    if (to === null) continue;
    hits.push({ kind, offset: from, length: to - from });
    regex.lastIndex = to;
  }
  return hits;
}

interface Beginning {
  readonly from: number;
  readonly to: number;
  readonly quote: string | undefined;
}

/** Where the secret that begins there ends, or null if it is none. */
function secretEnd(text: string, { from, to, quote }: Beginning, pattern: SecretPattern): number | null {
  const { form, tail, shortest } = pattern;
  const close = quote === undefined ? null : closingQuote(text, from, quote);
  if (to > from && isSecret(unescaped(text.slice(from, to)), form)) {
    return tail === undefined ? to : Math.max(to, close ?? endOf(text, to, tail));
  }
  if (close === null || shortest === undefined || close - from < shortest || close - from > LONGEST_WHOLE) return null;
  const whole = unescaped(text.slice(from, close));
  return !CODE.test(whole) && isSecret(whole, form) ? close : null;
}

/** A value in quotes that is longer, in bytes, is a text. */
const LONGEST_WHOLE = 256;
/** Blanks, and what templates and programs are made of: brackets in pairs. A password may have one. */
const CODE = /[\s`]|\([^)]{0,256}\)|\{[^}]{0,256}\}|\[[^\]]{0,256}\]|<[^>]{0,256}>/;

function knownHits(text: string, known: readonly string[]): SecretHit[] {
  const hits: SecretHit[] = [];
  for (const form of new Set(known.flatMap(knownForms))) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
      hits.push({ kind: 'known key', offset: at, length: form.length });
    }
  }
  return hits;
}

/** How a known value may stand in a body, one character a byte. */
function knownForms(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  if (bytes.length < SHORTEST_KNOWN) return [];
  const json = JSON.stringify(value).slice(1, -1);
  const plain = [value, json, json.replaceAll('/', '\\/'), JSON.stringify(json).slice(1, -1)];
  const url = encodeURIComponent(bytes.toString('utf8'));
  const urls = [url, url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()), url.replaceAll('%20', '+')];
  const base64 = [0, 1, 2].map((shift) => base64Within(bytes, shift));
  const forms = [...plain.map((form) => Buffer.from(form, 'utf8').toString('latin1')), ...urls];
  const hex = bytes.toString('hex');
  return [
    ...forms,
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** The base64 digits that only `bytes` decide, where `shift` (0 to 2) bytes stand before them in their group of three. */
function base64Within(bytes: Uint8Array, shift: number): string {
  const digits = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
  const from = Math.ceil((shift * 8) / 6);
  const to = Math.floor(((shift + bytes.length) * 8) / 6);
  return digits.slice(from, to);
}

/** Overlapping hits are one, and have the kind of the first. */
function merged(hits: readonly SecretHit[]): readonly SecretHit[] {
  const sorted = [...hits].sort((a, b) => a.offset - b.offset || b.length - a.length);
  const result: SecretHit[] = [];
  for (const hit of sorted) {
    const last = result.at(-1);
    if (last === undefined || hit.offset >= last.offset + last.length) result.push(hit);
    else {
      const length = Math.max(last.length, hit.offset + hit.length - last.offset);
      result[result.length - 1] = { ...last, length };
    }
  }
  return result;
}

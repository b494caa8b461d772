/** Header fields between a client and a server with a proxy in between. */
import { looksDrawn } from '../replay/secret-patterns.ts';

/** Of one connection only, so never passed on (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Names the task of a request; the target never sees it. */
export const TASK_HEADER = 'x-cst-task';

/** The target's own `Host` is another, and Node has answered `Expect` already. */
const ANSWERED_HERE = new Set(['host', 'expect', TASK_HEADER]);

/** Names and values in turn, as they came. */
export type RawHeaders = readonly string[];

/** What the target gets: names, order, case and repetitions as they came. */
export function forwardedRequest(raw: RawHeaders): string[] {
  return without(raw, (name) => ANSWERED_HERE.has(name));
}

export function forwardedResponse(raw: RawHeaders): string[] {
  return without(raw, () => false);
}

/** Values that are secret, or parts of them: whatever a name says is one, in headers and query. */
export function secretsOf(raw: RawHeaders, path: string): readonly string[] {
  // Not by `URL`: a path that a client sends need not be one (`//[/v1`).
  const [, query = ''] = /\?([^#]*)/.exec(path) ?? [];
  const fields = [...pairs(raw), ...new URLSearchParams(query)];
  // A name says so (`code`, `sig` and the like do not), or the value looks drawn.
  return fields
    .filter(([name, value]) => /auth|key|token|secret|cookie|password|credential/i.test(name) || looksDrawn(value))
    .flatMap(([, value]) => [value, ...value.split(/[\s;,=]+/)])
    .filter((value) => value !== '');
}

function without(raw: RawHeaders, isOwn: (name: string) => boolean): string[] {
  const named = pairs(raw).flatMap(([name, value]) =>
    name.toLowerCase() === 'connection' ? value.split(',').map((option) => option.trim().toLowerCase()) : [],
  );
  return pairs(raw).flatMap(([name, value]) => {
    const key = name.toLowerCase();
    return HOP_BY_HOP.has(key) || named.includes(key) || isOwn(key) ? [] : [name, value];
  });
}

function pairs(raw: RawHeaders): readonly (readonly [string, string])[] {
  return Array.from({ length: raw.length >> 1 }, (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? ''] as const);
}

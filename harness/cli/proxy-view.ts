/**
 * What `cst proxy` prints: where it listens, and a line for each request. Without headers, queries and bodies, but for the
 * error that a provider reports in one.
 */
import type { ProxyExchange, RunningProxy } from '../record/proxy.ts';
import type { ProxyEnd } from '../record/proxy-recording.ts';
import { bytesText, plural, visible } from './glyphs.ts';

interface Where {
  readonly target: URL;
  readonly out: string;
  readonly suite: string;
}

/** The first line, with its line end. */
export function proxyStartLine({ url }: RunningProxy, { target, out, suite }: Where, json: boolean): string {
  if (json) return `${JSON.stringify({ url, target: target.href, out, suite })}\n`;
  return `${url} passes on to ${visible(target.href)} and records into ${visible(`${out}/${suite}`)}; Ctrl-C stops it\n`;
}

export function exchangeLine(exchange: ProxyExchange, json: boolean): string {
  return `${json ? JSON.stringify(exchange) : exchangeText(exchange)}\n`;
}

export function warningLine(warning: string, json: boolean): string {
  return `${json ? JSON.stringify({ warning }) : visible(warning)}\n`;
}

/** The last line. */
export function proxySummary(ended: readonly ProxyExchange[], { out, suite }: Where): string {
  const stored = ended.filter(({ file }) => file !== null).length;
  const lost = ended.filter((exchange) => exchange.lost).length;
  const rest = lost === 0 ? '' : `, ${lost} not stored`;
  return `${visible(`${out}/${suite}`)}: ${plural(stored, 'answer')} recorded of ${plural(ended.length, 'request')}${rest}\n`;
}

function exchangeText({ method, path, status, bytes, end, file, problem, lost }: ProxyExchange): string {
  return [
    method === '' ? 'what is no request' : `${visible(method)} ${visible(path)}`,
    status === null ? 'no answer' : String(status),
    bytesText(bytes),
    END_TEXTS[end],
    ...(file === null ? (lost ? ['NOT STORED'] : []) : [`stored as ${visible(file)}`]),
    ...(problem === null ? [] : [visible(problem)]),
  ].join(', ');
}

const END_TEXTS: Readonly<Record<ProxyEnd, string>> = {
  complete: 'complete',
  cut: 'cut off by the target',
  'client-closed': 'the client left',
  stopped: 'stopped',
  failed: 'failed',
};

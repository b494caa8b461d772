/** What `cst serve` prints: where it listens, and a line for each request. */
import type { Exchange, ExchangeEnd } from '../serve/exchange.ts';
import type { RunningServer } from '../serve/server.ts';
import { bytesText, plural, visible } from './glyphs.ts';

const MOST_SHOWN = 200;

/** The first line, with its line end. */
export function startLine({ url, baseUrl, recordings, leftOut }: RunningServer, json: boolean): string {
  if (json) return `${JSON.stringify({ url, baseUrl, recordings })}\n`;
  const others = leftOut === 0 ? '' : `, ${leftOut} in other wire formats left out`;
  return `${baseUrl} answers from ${plural(recordings, 'recording')}${others}; Ctrl-C stops it\n`;
}

/** The line of a request that has ended, with its line end. Without headers and request body. */
export function exchangeLine(exchange: Exchange, json: boolean): string {
  return `${json ? exchangeJson(exchange) : exchangeText(exchange)}\n`;
}

function exchangeJson({ method, path, model, choice, status, taken, end, ...rest }: Exchange): string {
  const { turn = null, attempt = null, recording = null, faults = [] } = choice ?? {};
  const { missed, refusals, problem } = rest;
  const asked = { method, path, model, turn, attempt };
  return JSON.stringify({
    ...asked,
    recording,
    faults,
    status,
    bytes: taken,
    refusals: refusals.length,
    end,
    missed,
    problem,
  });
}

function exchangeText(exchange: Exchange): string {
  const { method, path, model, choice, status, taken, end, missed, problem } = exchange;
  const request = [method, shown(path), ...(model === null ? [] : [shown(model)])].join(' ');
  const parts = [
    request,
    ...(choice === null ? [] : [choiceText(choice)]),
    status === null ? 'no answer' : String(status),
    bytesText(taken),
    END_TEXTS[end ?? 'failed'],
    ...(missed.length === 0 ? [] : [`not reached: ${missed.join(', ')}`]),
    ...(problem === null ? [] : [shown(problem)]),
  ];
  return parts.join(', ');
}

function choiceText({ turn, attempt, recording, faults }: NonNullable<Exchange['choice']>): string {
  const again = attempt === 1 ? '' : ` (attempt ${attempt})`;
  const faulty = faults.length === 0 ? '' : ` with ${faults.join(', ')}`;
  return `turn ${turn}${again}: ${recording === null ? 'a text' : visible(recording)}${faulty}`;
}

const END_TEXTS: Readonly<Record<ExchangeEnd, string>> = {
  complete: 'complete',
  cut: 'cut off',
  reset: 'reset',
  'client-closed': 'the client left',
  stopped: 'stopped',
  failed: 'failed',
};

function shown(text: string): string {
  return visible(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
}

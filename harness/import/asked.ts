/** What a manifest keeps of a request: messages and parameters, never headers, keys or the place it was sent to. */
import { askedModel, bodyFields, type KeptRequest, keptRequest } from '../record/kept-request.ts';
import { isFields } from '../stream/json-fields.ts';
import type { ExchangeRequest } from './exchange.ts';

export interface Asked extends KeptRequest {
  readonly model: string | null;
  readonly provider: string | null;
}

/** Hosts that are a provider's own; others are private, and not named. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/^api\.openai\.com$/, 'openai'],
  [/\.openai\.azure\.com$|\.(?:cognitiveservices|services\.ai)\.azure\.com$/, 'azure'],
  [/^api\.anthropic\.com$/, 'anthropic'],
  [/^generativelanguage\.googleapis\.com$/, 'google'],
  [/(?:^|-)aiplatform\.googleapis\.com$/, 'vertex'],
  [/^bedrock[\w-]*\..*\.?amazonaws\.com$/, 'bedrock'],
  [/^openrouter\.ai$/, 'openrouter'],
  [/^api\.deepseek\.com$/, 'deepseek'],
  [/^api\.mistral\.ai$/, 'mistral'],
  [/^api\.groq\.com$/, 'groq'],
  [/^api\.x\.ai$/, 'xai'],
  [/^api\.together\.(?:xyz|ai)$/, 'together'],
  [/^api\.fireworks\.ai$/, 'fireworks'],
  [/^api\.cerebras\.ai$/, 'cerebras'],
  [/^api\.perplexity\.ai$/, 'perplexity'],
  [/^api\.moonshot\.(?:ai|cn)$/, 'moonshot'],
  [/^dashscope[\w-]*\.aliyuncs\.com$/, 'alibaba'],
  [/^router\.huggingface\.co$/, 'huggingface'],
  [/^models\.github\.ai$|^models\.inference\.ai\.azure\.com$/, 'github'],
];

export function askedOf(request: ExchangeRequest | null): Asked {
  if (request === null) return { model: null, provider: null, request: null, limits: ['The request is unknown.'] };
  const url = parsedUrl(request.url);
  const provider = PROVIDERS.find(([host]) => url !== null && host.test(url.hostname))?.[1] ?? null;
  const { body } = request;
  const fields =
    typeof body === 'string' || body instanceof Uint8Array ? bodyFields(body) : isFields(body) ? body : null;
  return { model: askedModel(fields, url?.pathname ?? ''), provider, ...keptRequest(fields) };
}

function parsedUrl(url: string | null): URL | null {
  return url !== null && URL.canParse(url) ? new URL(url) : null;
}

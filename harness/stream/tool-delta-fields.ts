/** The fields of one element of `delta.tool_calls` (OpenAI chat), their types checked. */
import type { DeltaIdentity } from './call-identity.ts';
import { type Fields, isAbsent, isFields } from './json-fields.ts';
import { LONE_SURROGATE } from './surrogates.ts';

export interface ToolDeltaFields extends DeltaIdentity {
  /** What the call takes: a custom tool takes free text; null where the element does not say. */
  readonly input: 'json' | 'text' | null;
  /** A fragment, whole arguments as an object, or null. */
  readonly args: string | Fields | null;
  /** What has the wrong type, or null: then the call is refused, and `args` is null. */
  readonly wrong: string | null;
}

/** The fields, or what is so wrong that nobody can say whose delta it is. */
export function toolDeltaFields(element: Fields): ToolDeltaFields | { readonly unattributable: string } {
  const { index = null, id, function: called, custom }: Element = element;
  if (index !== null && !isIndex(index)) return { unattributable: 'the index of a tool call is no integer' };
  if (!isAbsent(custom)) return customFields(index, id, custom);
  const { name, arguments: args }: Called = isFields(called) ? called : {};
  const wrong = wrongField(id, called, name) ?? (isArguments(args) ? null : 'function.arguments');
  return {
    index,
    id: textOrNull(id),
    name: textOrNull(name),
    input: isFields(called) ? 'json' : null,
    args: wrong === null && isArguments(args) ? (args ?? null) : null,
    wrong,
  };
}

/** A custom tool (openai-openapi issue 576: the chunks hold it, the published schema does not). */
function customFields(index: number | null, id: unknown, custom: unknown): ToolDeltaFields {
  const { name, input }: Custom = isFields(custom) ? custom : {};
  const isText = isAbsent(input) || typeof input === 'string';
  const named = isAbsent(name) || isWholeText(name);
  const wrongOne = isFields(custom) ? (named ? 'custom.input' : 'custom.name') : 'custom';
  const wrong = !isAbsent(id) && !isWholeText(id) ? 'id' : isFields(custom) && named && isText ? null : wrongOne;
  const args = wrong === null && typeof input === 'string' ? input : null;
  return { index, id: textOrNull(id), name: textOrNull(name), input: 'text', args, wrong };
}

interface Custom {
  readonly name?: unknown;
  readonly input?: unknown;
}

interface Element {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: unknown;
  readonly custom?: unknown;
}

interface Called {
  readonly name?: unknown;
  readonly arguments?: unknown;
}

function wrongField(id: unknown, called: unknown, name: unknown): string | null {
  if (!isAbsent(id) && !isWholeText(id)) return 'id';
  if (!isAbsent(called) && !isFields(called)) return 'function';
  return isAbsent(name) || isWholeText(name) ? null : 'function.name';
}

/** A lone surrogate has no bytes: two names that differ in one only would become the same. */
function isWholeText(value: unknown): boolean {
  return typeof value === 'string' && !LONE_SURROGATE.test(value);
}

function isArguments(value: unknown): value is string | Fields | null | undefined {
  return isAbsent(value) || typeof value === 'string' || isFields(value);
}

/** Any integer, negative ones too: servers do send -1. */
function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

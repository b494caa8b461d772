/** Crafted streams of native tool calls: one fragment of a call in each delta. */
import type { ExpectedCall } from '../../../harness/replay/recording.ts';
import type { StreamEnd } from '../../../harness/stream/event.ts';
import {
  bytesOf,
  type CraftedCase,
  delta,
  type Ending,
  ending,
  expectation,
  MARK,
  markedPlace,
  type Outcome,
  type Place,
  text,
  unmarked,
} from './case.ts';

/** A member of `delta.tool_calls`; absent members are left out. `args` may hold `␊`, `␍` and `▸`. */
export interface Fragment {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly args?: unknown;
}

export interface NativeCase {
  readonly id: string;
  readonly rule: string;
  readonly fragments: readonly Fragment[];
  readonly note?: string;
  /** Finish reason `tool_calls` and `[DONE]` if absent. */
  readonly ending?: Ending;
  /** How the stream ends by streams.md; `cut` if absent and nothing follows the fragments, else `complete`. */
  readonly end?: StreamEnd;
  readonly whole: Outcome;
  /** As `whole` if absent. */
  readonly object?: Outcome;
  /** Where `▸` cannot say it: a refused delta has no bytes. */
  readonly place?: Place;
}

export function nativeCase(written: NativeCase): CraftedCase {
  const { id, rule, note, whole, object = whole, ending: how = 'tool_calls' } = written;
  const end = written.end ?? (how === 'nothing' ? 'cut' : 'complete');
  const place = written.place ?? placeIn(written.fragments);
  return {
    id,
    framing: 'native',
    rule,
    ...(note !== undefined && { note }),
    bytes: bytesOf(fragmentEvents(written.fragments) + ending(how)),
    expect: [
      expectation('json-whole', end, { ...whole, place }),
      expectation('json-object', end, { ...object, place }),
    ],
  };
}

export function fragmentEvents(fragments: readonly Fragment[]): string {
  return fragments.map((fragment) => delta({ tool_calls: [toolCall(fragment)] })).join('');
}

export function toolCall({ index, id, name, args }: Fragment): object {
  const fn = { name, arguments: typeof args === 'string' ? unmarked(args) : args };
  return { index, id, type: id === undefined ? undefined : 'function', function: fn };
}

/** A call as it is expected, its argument text given; `object` where `JSON.parse` of it would not say it. */
export function called(id: string, name: string, argsText = '{}'): ExpectedCall {
  return { id, name, args: argsText === '' ? {} : JSON.parse(argsText), argsText };
}

/** The offset counts the arguments of all calls; the line those of the call with the same index. */
function placeIn(fragments: readonly Fragment[]): Place | null {
  const texts = fragments.map(({ args }) => (typeof args === 'string' ? args : ''));
  const at = texts.findIndex((args) => args.includes(MARK));
  if (at === -1) return null;
  const own = texts.filter((_, k) => k <= at && fragments[k]?.index === fragments[at]?.index);
  const all = markedPlace(texts.slice(0, at + 1).join(''));
  return { offset: all?.offset ?? 0, line: text(own.join('')).split(MARK)[0]?.split('\n').length ?? 1 };
}

/** Crafted streams for what holds in all text protocols: thinking, refusals, tool deltas, failures, surrogates. */
import { sseEvent } from '../../../harness/replay/envelope.ts';
import type { ExpectedCall, Framing } from '../../../harness/replay/recording.ts';
import type { StreamEnd } from '../../../harness/stream/event.ts';
import { bytesOf, type CraftedCase, delta, ending, forReaders, type Outcome, type Place, text } from './case.ts';
import { fragmentEvents } from './native-case.ts';
import { call, type TextCase, textCase } from './text-case.ts';

const THINK = '0002, all parsers: a leading think block';
const IGNORED = '0002, all parsers: text parsers ignore tool deltas';
const CHAT = 'streams.md: OpenAI chat chunks';

const c1 = call('c1', 't');
const c2 = call('c2', 't');
const FIRST = 'call c1 t␊end␊';
const SECOND = 'call c2 t␊end␊';
const BLOCK = '<minimax:tool_call><invoke name="t"></invoke></minimax:tool_call>';

const THINKING: readonly TextCase[] = [
  thinking('leading', `<think>␊${FIRST}</think>␊${SECOND}`, [c2]),
  thinking('after-blanks', `␊ \t␍<think>␊${FIRST}</think>${SECOND}`, [c2]),
  thinking('call-right-after', `<think></think>${FIRST}`, [c1]),
  thinking('never-closes', `<think>␊${FIRST}`, []),
  thinking('not-leading', `Hm.␊<think>␊${FIRST}</think>␊${SECOND}`, [c1, c2]),
  thinking('second-block', `<think>a</think>␊<think>␊${FIRST}</think>␊`, [c1]),
  thinking('other-tag', `<thinking>␊${FIRST}</thinking>␊`, [c1]),
  thinking('first-close-counts', `<think><think></think>␊${FIRST}</think>␊`, [c1]),
  { ...thinking('counts-in-offsets', '<think>é␊</think>␊▸call x␊', []), error: 'bad_call' },
];

interface EventCase {
  readonly id: string;
  readonly framing: Framing;
  readonly rule: string;
  readonly events: string;
  readonly end?: StreamEnd;
  readonly outcome: Outcome & { readonly place?: Place };
}

const EVENTS: readonly EventCase[] = [
  ctl('tool-delta-ignored', IGNORED, said('call c1 t␊') + toolDelta('{}') + said('end␊'), { calls: [c1] }),
  ctl('tool-delta-counts', IGNORED, said('call c1 t␊') + toolDelta('{"k":1}') + said('oops␊'), {
    error: 'unexpected_line',
    place: { offset: 17, line: 2 },
  }),
  ctl('refused-delta-ignored', IGNORED, fragmentEvents([{ args: '{}' }]) + said(FIRST), { calls: [c1] }),
  ctl('refusal-is-text', CHAT, delta({ refusal: text(FIRST) }), { calls: [c1] }),
  ctl('reasoning-not-searched', CHAT, delta({ reasoning_content: text(FIRST) }) + said(SECOND), { calls: [c2] }),
  ctl('reasoning-between', CHAT, said('call c1 ') + delta({ reasoning: 'hm' }) + said('t␊end␊'), { calls: [c1] }),
  ctl('surrogate-over-deltas', CHAT, `${said('call c1 t␊arg k 4␊')}${said('\ud83d')}${said('\ude00␊end␊')}`, {
    calls: [call('c1', 't', { k: '😀' })],
  }),
  {
    ...ctl(
      'failure-after-call',
      'streams.md: error object',
      said(`${FIRST}call c2`) + sseEvent('{"error":{"message":"x"}}'),
      {
        calls: [c1],
        error: 'stream_error',
        place: { offset: 21, line: 1 },
      },
    ),
    end: 'cut',
  },
  {
    ...ctl('failure-after-error', '0002, offsets: the first error noticed', said('call x␊') + sseEvent('{'), {
      error: 'bad_call',
      place: { offset: 0, line: 1 },
    }),
    end: 'cut',
  },
  {
    ...ctl('surrogate-alone', '0002: a surrogate that finds no partner', said('a\ud83d') + said('b'), {
      error: 'bad_delta',
    }),
    end: 'cut',
  },
  xml('tool-delta-ignored', IGNORED, said(BLOCK) + toolDelta('{}'), { calls: [call('call_0', 't')] }),
  xml('reasoning-not-searched', CHAT, delta({ reasoning_content: BLOCK }) + said(BLOCK), {
    calls: [call('call_0', 't')],
  }),
  xml(
    'failure-after-block',
    'streams.md: error object',
    said(BLOCK) + sseEvent('{"error":{"message":"x"}}'),
    {
      error: 'stream_error',
      place: { offset: BLOCK.length, line: 1 },
    },
    'cut',
  ),
];

export const MESSAGE_CASES: readonly CraftedCase[] = [
  ...THINKING.map((written) => textCase('ctl', written)),
  textCase('xml', {
    id: 'think-leading',
    rule: THINK,
    text: `<think>␊${BLOCK}</think>␊${BLOCK}`,
    calls: [call('call_0', 't')],
  }),
  textCase('xml', {
    id: 'think-block-right-after',
    rule: THINK,
    text: `<think></think>${BLOCK}`,
    calls: [call('call_0', 't')],
  }),
  ...EVENTS.map(eventCase),
];

function eventCase(written: EventCase): CraftedCase {
  const { id, framing, rule, events, end = 'complete', outcome } = written;
  return { id, framing, rule, bytes: bytesOf(events + ending('stop')), expect: forReaders(framing, end, outcome) };
}

function thinking(id: string, written: string, calls: readonly ExpectedCall[]): TextCase {
  return { id: `think-${id}`, rule: THINK, text: written, calls };
}

function ctl(id: string, rule: string, events: string, outcome: EventCase['outcome']): EventCase {
  return { id: `message-${id}`, framing: 'ctl', rule, events, outcome };
}

function xml(
  id: string,
  rule: string,
  events: string,
  ...[outcome, end = 'complete']: readonly [EventCase['outcome'], StreamEnd?]
): EventCase {
  return { id: `message-${id}`, framing: 'xml', rule, events, outcome, end };
}

function said(content: string): string {
  return delta({ content: text(content) });
}

function toolDelta(args: string): string {
  return fragmentEvents([{ index: 0, id: 'x1', name: 'x', args }]);
}

/** One suite for all parsers: the invariants of `parsers/parser.ts`, at every prefix of random streams. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ORACLES } from './oracles/oracles.ts';
import { argumentsAsJson } from './parsers/call.ts';
import {
  type Confirmation,
  DEFAULT_OPTIONS,
  type Frontier,
  type ParserOptions,
  type ToolCallParser,
} from './parsers/parser.ts';
import { DIALECTS, PARSERS, PROTOCOLS, type Protocol } from './parsers/protocols.ts';
import { stateDifference } from './properties/final-state.ts';
import { PendingCheck } from './properties/pending.ts';
import { SafetyCheck } from './properties/safety.ts';
import { type MeantCall, writeGlm, writeHermes, writeQwenXml } from './replay/frames.ts';
import { writeDeepseek } from './replay/frames-deepseek.ts';
import { writeHarmony } from './replay/frames-harmony.ts';
import { writeKimi } from './replay/frames-kimi.ts';
import { type DecodedStream, replayContent } from './replay/replay.ts';
import { contentLength, type StreamEvent } from './stream/event.ts';
import { callsAfterText, comesBackToAClosedCall } from './testing/early-runs.ts';
import { feed } from './testing/feed.ts';
import { PATIENCE, runs } from './testing/runs.ts';
import { snapshot } from './testing/snapshot.ts';
import { type TestCase, testCases } from './testing/streams.ts';
import { wellFormed } from './testing/well-formed.ts';

vi.setConfig({ testTimeout: PATIENCE });

const WHOLE = [Number.MAX_SAFE_INTEGER];
const XML_OPENER_HELD = 18;

const TEXT_PROTOCOLS = ['ctl', 'ctl-heredoc', 'xml', ...DIALECTS] as const satisfies readonly Protocol[];
const CTL_PROTOCOLS = ['ctl', 'ctl-heredoc'] as const satisfies readonly Protocol[];

function always(protocol: Protocol, claim: (testCase: TestCase) => void): void {
  fc.assert(fc.property(testCases(protocol), claim), runs(200, 2000, PROTOCOLS.indexOf(protocol)));
}

function fed(protocol: Protocol, { stream, options, pieces }: TestCase): ToolCallParser {
  const parser = PARSERS[protocol](options);
  feed(parser, stream, pieces);
  return parser;
}

describe.each(PROTOCOLS)('a parser of %s', (protocol) => {
  it('runs no incomplete call, changes none and takes none back (S1, S2, S3)', () => {
    always(protocol, ({ stream, options }) => {
      if (protocol === 'json-object' && (comesBackToAClosedCall(stream) || callsAfterText(stream))) return;
      const check = new SafetyCheck('content', ORACLES[protocol](stream.events, stream.end, options).calls);
      replayContent(stream, PARSERS[protocol](options), check);
      expect(check.verdicts().map(({ status }) => status)).toEqual(['holds', 'holds', 'holds']);
    });
  });

  it('can be read at every prefix, and never has more pending than was delivered', () => {
    always(protocol, ({ stream, options }) => {
      replayContent(stream, PARSERS[protocol](options), {
        step: ({ frontier, delivered }) => {
          const { pending } = frontier;
          if (!(pending >= 0 && pending <= delivered)) expect.fail(`${pending} of ${delivered} bytes are pending`);
          if (!snapshot(frontier).includes('"unfinished":')) expect.fail('no unfinished call can be read');
        },
      });
    });
  });

  it('has nothing pending and nothing unfinished after the complete end of a good message', () => {
    always(protocol, (testCase) => {
      const parser = fed(protocol, { ...testCase, stream: { ...testCase.stream, end: 'complete' } });
      if (parser.error === null) expect([parser.pending, parser.unfinished]).toEqual([0, null]);
    });
  });

  it('comes to the same state whatever the pieces', () => {
    always(protocol, (testCase) => {
      const whole = fed(protocol, { ...testCase, pieces: WHOLE });
      expect(stateDifference(whole, fed(protocol, testCase))).toBeNull();
      expect(stateDifference(whole, fed(protocol, { ...testCase, pieces: [1] }))).toBeNull();
    });
  });

  it('keeps its first error', () => {
    always(protocol, ({ stream, options }) => {
      let first: Frontier['error'] = null;
      replayContent(stream, PARSERS[protocol](options), {
        step: ({ frontier }) => {
          first ??= frontier.error;
          if (frontier.error !== first) expect(frontier.error).toEqual(first);
        },
      });
    });
  });

  it('does nothing after its end', () => {
    always(protocol, (testCase) => {
      const parser = fed(protocol, testCase);
      const state = snapshot(parser);
      parser.end('complete');
      for (const event of testCase.stream.events) parser.push(event);
      parser.end('cut');
      expect(snapshot(parser)).toBe(state);
    });
  });

  it('finds the calls that a message was written from', () => {
    fc.assert(
      fc.property(wellFormed(protocol), ({ events, calls }) => {
        const parser = PARSERS[protocol](DEFAULT_OPTIONS);
        feed(parser, { events, end: 'complete' }, [3, 1, 7]);
        expect(parser.error).toBeNull();
        expect(parser.calls.map(({ name, args }) => ({ name, args: argumentsAsJson(args) }))).toEqual(
          calls.map(({ name, values }) => ({ name, args: Object.fromEntries(values) })),
        );
      }),
      runs(300, 5000),
    );
  });

  it('confirms every call once, when it becomes executable', () => {
    always(protocol, (testCase) => {
      const { confirmed, parser } = listened(protocol, testCase);
      expect(confirmed.flatMap((what) => (what.type === 'executable' ? [what.call] : []))).toEqual([...parser.calls]);
    });
  });

  it('reads a megabyte that comes byte by byte within the patience of a test', { timeout: 20_000 }, () => {
    const parser = PARSERS[protocol](DEFAULT_OPTIONS);
    for (const event of longCall(protocol)) {
      const length = contentLength(event);
      for (let i = 0; i < length; i++) {
        parser.push(event, i, i + 1);
        if (parser.pending < 0 || parser.calls.length > 1) throw new Error('unreadable');
      }
    }
    parser.end('complete');
    expect(parser.error).toBeNull();
    expect(parser.calls).toHaveLength(1);
  });
});

describe.each(PROTOCOLS.filter((protocol) => protocol !== 'json-object'))(
  'a parser of %s that left the language',
  (protocol) => {
    it('reads nothing more, and has nothing pending', () => {
      always(protocol, ({ stream, options }) => {
        let state: string | null = null;
        replayContent(stream, PARSERS[protocol](options), {
          step: ({ frontier }) => {
            if (frontier.error === null) return;
            expect(frontier.pending).toBe(0);
            state ??= snapshot(frontier);
            if (protocol !== 'json-whole') expect(snapshot(frontier)).toBe(state);
          },
        });
      });
    });
  },
);

describe.each(CTL_PROTOCOLS)('a parser of %s', (protocol) => {
  it('never has more pending than its longest line (K)', () => {
    always(protocol, ({ stream, options }) => {
      const check = new PendingCheck('content', options.lineLimit);
      replayContent(stream, PARSERS[protocol](options), check);
      expect(check.verdict().status).toBe('holds');
    });
  });

  it('confirms the bytes of every value, and calls and arguments before them', () => {
    always(protocol, (testCase) => {
      const { confirmed, parser } = listened(protocol, testCase);
      const values = new Map<string, Uint8Array[]>();
      const opened = new Set<number>();
      for (const what of confirmed) {
        if (what.type === 'call') opened.add(what.ordinal);
        if (what.type === 'argument') {
          expect(opened).toContain(what.ordinal);
          values.set(`${what.ordinal} ${what.key}`, []);
        }
        if (what.type === 'bytes') values.get(`${what.ordinal} ${what.key}`)?.push(what.bytes);
      }
      for (const { ordinal, args } of parser.calls) {
        if (args.form !== 'values') throw new Error('a value of CTL is bytes');
        for (const { key, bytes } of args.values) {
          expect(
            Buffer.compare(Buffer.concat(values.get(`${ordinal} ${key}`) ?? [Buffer.from('unconfirmed')]), bytes),
          ).toBe(0);
        }
      }
    });
  });
});

describe.each(TEXT_PROTOCOLS)('a parser of %s', (protocol) => {
  it('counts lines from the start of the message text', () => {
    always(protocol, (testCase) => {
      const { error } = fed(protocol, testCase);
      if (error === null || error.kind === 'stream_error' || error.kind === 'sse_bad_json') return;
      expect(error.line).toBe(1 + lineFeedsBefore(testCase.stream.events, error.offset));
    });
  });

  it('confirms the text outside frames, in its order', () => {
    fc.assert(
      fc.property(wellFormed(protocol), ({ events, text }) => {
        const stream = { events, end: 'complete' } as const;
        const { confirmed } = listened(protocol, { stream, options: DEFAULT_OPTIONS, pieces: [2, 5] });
        const bytes = confirmed.flatMap((what) => (what.type === 'text' ? [what.bytes] : []));
        expect(Buffer.concat(bytes).toString().trimEnd()).toBe(text.trimEnd());
      }),
      runs(300, 5000),
    );
  });
});

describe('a parser of xml', () => {
  it('has at most 18 bytes pending outside a block', () => {
    always('xml', ({ stream, options }) => {
      replayContent(stream, PARSERS.xml(options), {
        step: ({ frontier }) => {
          if (frontier.unfinished === null && !sawOpener(stream))
            expect(frontier.pending).toBeLessThanOrEqual(XML_OPENER_HELD);
        },
      });
    });
  });
});

function sawOpener({ events }: DecodedStream): boolean {
  const texts = events.flatMap((event) => (event.type === 'text' ? [event.bytes] : []));
  return Buffer.concat(texts).includes('<minimax:tool_call>');
}

function lineFeedsBefore(events: readonly StreamEvent[], offset: number): number {
  let at = 0;
  let count = 0;
  for (const event of events) {
    if (event.type === 'text')
      for (const [i, byte] of event.bytes.entries()) if (byte === 0x0a && at + i < offset) count++;
    at += contentLength(event);
  }
  return count;
}

/** What was confirmed, its bytes copied: they are lent for the call only. */
function listened(
  protocol: Protocol,
  { stream, options, pieces }: TestCase,
): { confirmed: Confirmation[]; parser: ToolCallParser } {
  const confirmed: Confirmation[] = [];
  const listening: ParserOptions = {
    ...options,
    onConfirmed: (what) => confirmed.push('bytes' in what ? { ...what, bytes: Uint8Array.from(what.bytes) } : what),
  };
  const parser = PARSERS[protocol](listening);
  feed(parser, stream, pieces);
  return { confirmed, parser };
}

const LONG = 'long line of a value, "quoted" and \\ escaped\n'.repeat(22_000);

const LONG_CALL: MeantCall = { id: 'c1', name: 't', args: [['k', LONG]] };

function longCall(protocol: Protocol): StreamEvent[] {
  const text = (message: string): StreamEvent[] => [{ type: 'text', at: 0, bytes: Buffer.from(message) }];
  switch (protocol) {
    case 'ctl':
      return text(`call c1 t\narg k ${LONG.length}\n${LONG}\nend\n`);
    case 'ctl-heredoc':
      return text(`call c1 t\narg k <<E\n${LONG}E\nend\n`);
    case 'xml':
      return text(
        `<minimax:tool_call><invoke name="t"><parameter name="k">${LONG}</parameter></invoke></minimax:tool_call>`,
      );
    case 'hermes':
      return text(writeHermes([LONG_CALL]));
    case 'qwen-xml':
      return text(writeQwenXml([LONG_CALL]));
    case 'glm':
      return text(writeGlm([LONG_CALL]));
    case 'deepseek':
      return text(writeDeepseek([LONG_CALL]));
    case 'kimi':
      return text(writeKimi([LONG_CALL]));
    case 'harmony':
      return text(writeHarmony([LONG_CALL]));
    default:
      return [
        {
          type: 'tool-delta',
          at: 0,
          call: 0,
          id: 'c1',
          name: 't',
          bytes: Buffer.from(`${JSON.stringify({ k: LONG })}${' '.repeat(1000)}`),
        },
      ];
  }
}

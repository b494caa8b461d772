import { describe, expect, it } from 'vitest';
import { ORACLES } from '../oracles/oracles.ts';
import { DEFAULT_OPTIONS } from '../parsers/parser.ts';
import { PARSERS, type Protocol } from '../parsers/protocols.ts';
import { SafetyCheck } from '../properties/safety.ts';
import { type DecodedStream, replayContent } from '../replay/replay.ts';
import type { StreamEvent } from '../stream/event.ts';
import { delta, text } from '../testing/hand-made-events.ts';
import { CONTROL_NAMES, CONTROLS, type ControlName } from './controls.ts';
import { repair } from './json-repair.ts';

function violations(name: ControlName | Protocol, judgedAs: Protocol, stream: DecodedStream): string[] {
  const create = name in CONTROLS ? CONTROLS[name as ControlName].create : PARSERS[name as Protocol];
  const check = new SafetyCheck('content', ORACLES[judgedAs](stream.events, stream.end, DEFAULT_OPTIONS).calls);
  replayContent(stream, create(DEFAULT_OPTIONS), check);
  return check
    .verdicts()
    .flatMap((verdict) => (verdict.status === 'violated' ? [`${verdict.property}@${verdict.first.prefix}`] : []));
}

function complete(...events: StreamEvent[]): DecodedStream {
  return { events, end: 'complete' };
}

const BLOCK_OF_ONE = '<minimax:tool_call><invoke name="t"></invoke>';

/** The smallest stream on which each does what it must not, and where. */
const BITES: Record<ControlName, { readonly stream: DecodedStream; readonly found: readonly string[] }> = {
  'end-anywhere': { stream: complete(text('call c1 t\nendless\n')), found: ['S1@13'] },
  'json-first-parse': { stream: complete(delta(0, '{}', { name: 'a' }), delta(0, ',"x":1}')), found: ['S1@2'] },
  'json-repair': { stream: complete(delta(0, '{"k":12}', { name: 'a' })), found: ['S1@6', 'S2@6'] },
  'xml-per-invoke': { stream: complete(text(`${BLOCK_OF_ONE}x`)), found: ['S1@45'] },
};

describe.each(CONTROL_NAMES)('the control %s', (name) => {
  it('is caught', () => {
    const { stream, found } = BITES[name];
    for (const judgedAs of CONTROLS[name].judgedAs) expect(violations(name, judgedAs, stream)).toEqual(found);
  });

  it('misreads what the parser that it imitates reads well', () => {
    const { stream } = BITES[name];
    for (const judgedAs of CONTROLS[name].judgedAs) expect(violations(judgedAs, judgedAs, stream)).toEqual([]);
  });
});

describe('a control', () => {
  it('is not caught where nothing is left to guess', () => {
    expect(violations('end-anywhere', 'ctl', complete(text('call c1 t\narg k 3\nend\n')))).toEqual([]);
    expect(violations('json-first-parse', 'json-object', complete(delta(0, '{"k":1}', { name: 'a' })))).toEqual([]);
    expect(violations('json-repair', 'json-object', complete(delta(0, '{}', { name: 'a' })))).toEqual([]);
  });

  it('of xml is caught on a good message too: the message could still have been refused', () => {
    expect(violations('xml-per-invoke', 'xml', complete(text(`${BLOCK_OF_ONE}</minimax:tool_call>`)))).toEqual([]);
    expect(violations('xml-per-invoke', 'xml', { events: [text(BLOCK_OF_ONE)], end: 'cut' })).toEqual(['S1@45']);
  });
});

describe('the repair of partial JSON', () => {
  it.each([
    ['{"a":1', { a: 1 }],
    ['{"a":"x', { a: 'x' }],
    ['{"a":[{"b":"}', { a: [{ b: '}' }] }],
    [String.raw`{"a":"x\"`, { a: 'x"' }],
    ['{"a":', null],
    ['[1', null],
    ['', null],
  ])('of %j', (source, object) => {
    expect(repair(source)).toEqual(object);
  });
});

/** Parser against oracle, on random streams fed in random pieces: two implementations of one page. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ORACLES } from './oracles/oracles.ts';
import { PARSERS, PROTOCOLS } from './parsers/protocols.ts';
import { disagreement } from './properties/agreement.ts';
import { callsAfterText, comesBackToAClosedCall, readEveryPrefix } from './testing/early-runs.ts';
import { feed } from './testing/feed.ts';
import { HARDER, PATIENCE, runs, SEED } from './testing/runs.ts';
import { testCases } from './testing/streams.ts';

describe.each(PROTOCOLS)('the parser of %s', (protocol) => {
  it('says of every stream what the oracle says', { timeout: PATIENCE }, () => {
    const count = { cases: 0, withCalls: 0, withError: 0, early: 0 };
    fc.assert(
      fc.property(testCases(protocol), ({ stream, options, pieces }) => {
        const parser = PARSERS[protocol](options);
        feed(parser, stream, pieces);
        const early = protocol === 'json-object' && (comesBackToAClosedCall(stream) || callsAfterText(stream));
        const oracle = ORACLES[protocol];
        const truth = early ? readEveryPrefix(oracle, stream, options) : oracle(stream.events, stream.end, options);
        expect(disagreement(parser, truth)).toBeNull();
        count.cases++;
        if (truth.calls.length > 0) count.withCalls++;
        if (truth.error !== null) count.withError++;
        if (early) count.early++;
      }),
      runs(600, 40_000, PROTOCOLS.indexOf(protocol)),
    );
    if (HARDER) console.log(`${protocol}, seed ${SEED}: ${JSON.stringify(count)}`);
    expect(count.withCalls).toBeGreaterThan(count.cases / 40);
    expect(count.withError).toBeGreaterThan(count.cases / 20);
  });
});

/** The parsers that are put to the test: the five protocols and the controls, each with the oracle that judges it. */
import { CONTROLS, type ControlName } from '../controls/controls.ts';
import { ORACLES } from '../oracles/oracles.ts';
import type { ParserOptions } from '../parsers/parser.ts';
import { PARSERS, type Protocol } from '../parsers/protocols.ts';
import type { Subject } from './check.ts';

/** `K = L_line` where the protocol promises a bound (ctl.md); none elsewhere. */
export function boundOf(protocol: Protocol, options: ParserOptions): number | null {
  return protocol === 'ctl' || protocol === 'ctl-heredoc' ? options.lineLimit : null;
}

export function protocolSubject(protocol: Protocol, options: ParserOptions, seed: number): Subject {
  return {
    create: PARSERS[protocol],
    oracle: ORACLES[protocol],
    bound: boundOf(protocol, options),
    native: protocol === 'json-whole' || protocol === 'json-object',
    options,
    seed,
  };
}

/** A control is judged as the protocol that it misreads. */
export function controlSubject(name: ControlName, judgedAs: Protocol, base: Subject): Subject {
  return { ...base, create: CONTROLS[name].create, oracle: ORACLES[judgedAs] };
}

/**
 * Seeded draws. The seed is a label in words, so that every recording has draws of its own and none depends on the
 * order in which recordings are made.
 */

/** Of every draw, where no seed is given: experiments, checks and servers then draw the same. */
export const DEFAULT_SEED = 20261202;

/** Draws a whole number in `[0, below)`. */
export type Draw = (below: number) => number;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The same label gives the same draws, on every machine (FNV-1a of its UTF-16 units, then mulberry32). */
export function seededDraw(label: string): Draw {
  let state = FNV_OFFSET;
  for (let i = 0; i < label.length; i += 1) state = Math.imul(state ^ label.charCodeAt(i), FNV_PRIME) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

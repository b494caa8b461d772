/** What was measured, as data. */

/** `parsing`: one value, to decoded arguments. */
export type Topic = 'parsing' | 'sse-small' | 'sse-line' | 'every-prefix' | 'chain';
export type Feed = 'whole' | '64-byte pieces' | '4-byte pieces' | 'byte by byte';

export interface Figure {
  readonly topic: Topic;
  readonly who: string;
  readonly feed: Feed;
  /** Bytes of the value (parsing) or of the stream. */
  readonly bytes: number;
  /** Median of one run. */
  readonly ms: number;
  /** The share of it that was run, if not all: the rest is scaled. */
  readonly share?: number;
}

export type Place = Omit<Figure, 'ms' | 'share'>;

export interface Growth {
  readonly who: string;
  readonly feed: Feed;
  readonly bytes: readonly number[];
  /** Median ms at each size. */
  readonly ms: readonly number[];
}

export interface Measurements {
  readonly figures: readonly Figure[];
  readonly growths: readonly Growth[];
}

/** Undefined if it was not measured. */
export function msAt(figures: readonly Figure[], place: Place): number | undefined {
  return figures.find(
    (figure) =>
      figure.topic === place.topic &&
      figure.who === place.who &&
      figure.feed === place.feed &&
      figure.bytes === place.bytes,
  )?.ms;
}

/** Least-squares slope of log time over log size: 1 is linear, 2 quadratic. */
export function growthExponent({ bytes, ms }: Growth): number {
  const x = bytes.map(Math.log);
  const y = ms.map(Math.log);
  const meanX = mean(x);
  const meanY = mean(y);
  let covariance = 0;
  let variance = 0;
  for (const [i, value] of x.entries()) {
    covariance += (value - meanX) * (y[i]! - meanY);
    variance += (value - meanX) ** 2;
  }
  return covariance / variance;
}

/** The largest exponent between two neighbouring sizes. */
export function worstStep({ bytes, ms }: Growth): number {
  const steps = ms.slice(1).map((later, i) => Math.log(later / ms[i]!) / Math.log(bytes[i + 1]! / bytes[i]!));
  return Math.max(...steps);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

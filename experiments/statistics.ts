/** Intervals for shares and for figures of clustered values. Quantiles and regressions are simple-statistics'. */
import { linearRegression, mean, quantileSorted } from 'simple-statistics';
import { seededDraw } from '../harness/replay/seeded.ts';

/** Both ends of an interval that is meant to hold the true figure in 95 % of samples. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

const LEVEL = 0.95;
/** The 97.5 % quantile of the normal distribution (simple-statistics' `probit` is only good to two decimals). */
const Z = 1.959963984540054;
const RESAMPLES = 2000;

/** The Wilson score interval of a share (Wilson 1927); `null` for a share of nothing. */
export function wilson(successes: number, trials: number): Interval | null {
  if (trials === 0) return null;
  const share = successes / trials;
  const z2 = Z * Z;
  const centre = share + z2 / (2 * trials);
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials * trials));
  const scale = 1 + z2 / trials;
  // At 0 and at 1 rounding would step over the edge, or stop short of it.
  return {
    low: successes === 0 ? 0 : (centre - spread) / scale,
    high: successes === trials ? 1 : (centre + spread) / scale,
  };
}

/** Values by cluster: values of one cluster are not independent, clusters are drawn as a whole. */
export type Clusters<Value> = readonly (readonly Value[])[];

/**
 * The percentile bootstrap interval of a figure (Efron and Tibshirani 1993, 13.3), clusters drawn with replacement;
 * `null` with fewer than two clusters, or if the figure has no value in a resample.
 */
export function clusterBootstrap<Value>(
  clusters: Clusters<Value>,
  figure: (values: readonly Value[]) => number | null,
  seed: string,
): Interval | null {
  if (clusters.length < 2) return null;
  const draw = seededDraw(seed);
  const figures: number[] = [];
  for (let resample = 0; resample < RESAMPLES; resample++) {
    const drawn = Array.from(clusters, () => clusters[draw(clusters.length)]!).flat();
    const value = figure(drawn);
    if (value === null) return null;
    figures.push(value);
  }
  figures.sort((a, b) => a - b);
  return { low: quantileSorted(figures, (1 - LEVEL) / 2), high: quantileSorted(figures, (1 + LEVEL) / 2) };
}

export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean([...values]);
}

export function quantileOf(values: readonly number[], share: number): number | null {
  return values.length === 0
    ? null
    : quantileSorted(
        values.toSorted((a, b) => a - b),
        share,
      );
}

export interface Line {
  readonly slope: number;
  readonly intercept: number;
}

/** The least-squares line; `null` if the points do not have two different abscissas. */
export function lineThrough(points: readonly (readonly [x: number, y: number])[]): Line | null {
  const [first] = points;
  if (first === undefined || points.every(([x]) => x === first[0])) return null;
  const { m, b } = linearRegression(points.map((point) => [...point]));
  return { slope: m, intercept: b };
}

/** Values under their cluster's name, clusters in order of first appearance. */
export function clustersOf<Value>(values: readonly Value[], nameOf: (value: Value) => string): Clusters<Value> {
  const clusters = new Map<string, Value[]>();
  for (const value of values) {
    const name = nameOf(value);
    const cluster = clusters.get(name);
    if (cluster === undefined) clusters.set(name, [value]);
    else cluster.push(value);
  }
  return [...clusters.values()];
}

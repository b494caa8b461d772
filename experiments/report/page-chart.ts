/** What the page reads of a chart. */
export interface PageChart {
  readonly name: string;
  /** A Vega specification. */
  readonly spec: unknown;
}

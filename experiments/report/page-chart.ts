/** What the page reads of a chart. */
export interface PageChart {
  readonly name: string;
  /** A Vega specification without a title: that stands above it, as text that can break into lines. */
  readonly spec: unknown;
  /** The signal that says how wide the plot is (`width`; `child_width` where there are several side by side), in pixels. */
  readonly stretch: {
    readonly signal: 'width' | 'child_width';
    readonly most: number;
    /** Below it labels would run into each other: then the chart is scrolled. */
    readonly least: number;
  };
}

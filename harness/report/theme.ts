/**
 * How every chart looks: one colour, dash and point shape per protocol of the specification, in every chart and experiment.
 * Dialects stand in panels of their own and share one colour: eleven lines in one chart cannot be told apart.
 */
import { createRequire } from 'node:module';
import type { Config } from 'vega-lite';
import { CONTRACT_PROTOCOLS, type ContractProtocol, DIALECTS, type Protocol } from '../parsers/protocols.ts';

/** Colour alone must not carry the meaning: dash and shape say the same. Colours: Okabe and Ito's. */
interface ProtocolStyle {
  readonly color: string;
  /** Dash and gap lengths in pixels; `[1, 0]` for a solid line. */
  readonly dash: readonly number[];
  readonly shape: string;
}

const PROTOCOL_STYLES: Record<ContractProtocol, ProtocolStyle> = {
  ctl: { color: '#0072B2', dash: [1, 0], shape: 'circle' },
  'ctl-heredoc': { color: '#56B4E9', dash: [6, 4], shape: 'square' },
  xml: { color: '#009E73', dash: [2, 4], shape: 'triangle-up' },
  'json-whole': { color: '#D55E00', dash: [1, 0], shape: 'diamond' },
  'json-object': { color: '#E69F00', dash: [6, 4], shape: 'triangle-down' },
};

/**
 * The order to draw lines in: where several run upon each other, the solid one lies below and is wider, dashes and dots
 * above it, so that all are seen.
 */
export const DRAWING_ORDER: readonly Protocol[] = [
  'ctl',
  'json-whole',
  'ctl-heredoc',
  'json-object',
  'xml',
  ...DIALECTS,
];
function protocolScale<Key extends keyof ProtocolStyle>(key: Key) {
  return { domain: [...CONTRACT_PROTOCOLS], range: CONTRACT_PROTOCOLS.map((name) => PROTOCOL_STYLES[name][key]) };
}

/** A channel that follows `parser` without a legend of its own. */
function byProtocol<Value>(pick: (name: ContractProtocol) => Value, otherwise: Value) {
  const condition = CONTRACT_PROTOCOLS.map((name) => ({ test: { field: 'parser', equal: name }, value: pick(name) }));
  return { condition, value: otherwise };
}

const isSolid = (name: ContractProtocol): boolean => PROTOCOL_STYLES[name].dash[1] === 0;

/** Encodings of a member `parser` that holds a protocol's name; they share one legend. */
const PARSER = { field: 'parser', type: 'nominal', title: 'protocol' } as const;
const COLOR = { ...PARSER, scale: protocolScale('color') };
const WIDTH = byProtocol((name) => (isSolid(name) ? 3.5 : 2.5), 2.5);

export const LINES_BY_PROTOCOL = {
  color: COLOR,
  strokeDash: { ...PARSER, scale: protocolScale('dash') },
  strokeWidth: WIDTH,
};

/** Where points are drawn too, the legend shows their shapes, and no dashes: a dashed triangle is neither. */
export const LINES_WITH_POINTS = {
  color: COLOR,
  strokeDash: byProtocol((name) => [...PROTOCOL_STYLES[name].dash], [1, 0]),
  strokeWidth: WIDTH,
};
export const POINTS_BY_PROTOCOL = {
  color: { ...COLOR, legend: { symbolSize: 90, symbolOpacity: 1 } },
  shape: { ...PARSER, scale: protocolScale('shape') },
};

/** The line of a panel's own dialect, and those that it is compared with: `line` holds the name. */
export const PANEL_LINE = 'this dialect';
export function panelLines(references: readonly ContractProtocol[]) {
  const styles = references.map((name) => PROTOCOL_STYLES[name]);
  const domain = [PANEL_LINE, ...references];
  const line = { field: 'line', type: 'nominal', title: null } as const;
  return {
    color: { ...line, scale: { domain, range: ['#8A3A86', ...styles.map(({ color }) => color)] } },
    strokeDash: { ...line, scale: { domain, range: [[1, 0], ...references.map(() => [4, 3])] } },
  };
}

export const INK = '#222222';
export const QUIET_INK = '#5F5F5F';

const FONT = 'DejaVu Sans';
const require = createRequire(import.meta.url);
/** Absolute paths of the fonts that PNGs are drawn with: shipped by a package, never the system's. */
export const FONT_FILES: readonly string[] = [
  require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
];

/** Vega-Lite configuration (sizes in pixels). */
export const THEME = {
  background: '#FFFFFF',
  padding: 16,
  // Marks would each repeat their data in words; the chart as a whole has a description instead.
  aria: false,
  font: `${FONT}, Verdana, sans-serif`,
  title: {
    anchor: 'start',
    fontSize: 15,
    color: INK,
    offset: 14,
    subtitleFontSize: 12,
    subtitleColor: QUIET_INK,
    subtitlePadding: 6,
    subtitleLineHeight: 16,
  },
  axis: {
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'bold',
    labelColor: INK,
    titleColor: INK,
    titlePadding: 10,
    gridColor: '#E4E4E4',
    domainColor: '#8A8A8A',
    tickColor: '#8A8A8A',
    labelLimit: 400,
    labelFlush: false,
  },
  legend: {
    labelFontSize: 12,
    titleFontSize: 12,
    labelColor: INK,
    titleColor: INK,
    labelLimit: 400,
    symbolSize: 200,
    symbolStrokeWidth: 2.5,
    rowPadding: 6,
  },
  header: {
    labelFontSize: 12,
    titleFontSize: 12,
    labelColor: INK,
    titleColor: INK,
    labelFontWeight: 'bold',
    labelLimit: 600,
  },
  view: { stroke: null },
} as const satisfies Config;

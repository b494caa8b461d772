/** What the colours of the charts (`harness/report/theme.ts`) become in the page. */
import type { Theme } from './theme.ts';

interface Shade {
  readonly light?: string;
  readonly dark?: string;
  /** Dark, where it fills a bar or a cell that light text may stand on. */
  readonly darkArea?: string;
}

/** A colour that is not listed is as good on dark as on light ground. */
const SHADES: { readonly [color: string]: Shade } = {
  '#222222': { dark: '#E7E9EA' },
  '#5F5F5F': { dark: '#A9B0B5' },
  // Too light for text on white, which it is in the chart of error kinds.
  '#8A8A8A': { light: '#6B7177', dark: '#969EA4' },
  '#E4E4E4': { dark: '#33393E' },
  '#D0D0D0': { dark: '#454C52' },
  '#B8B8B8': { dark: '#596168' },
  '#FFFFFF': { dark: '#15191C' },
  '#CFE4F3': { dark: '#1D4A68' },
  '#F2CC6B': { dark: '#6B4F00' },
  '#EFEFEF': { dark: '#2A3035' },
  '#C24A00': { dark: '#F28A4B' },
  '#0072B2': { dark: '#8AA4FF' },
  '#56B4E9': { darkArea: '#2A6CA0' },
  '#D55E00': { dark: '#FF8F4A' },
  '#009E73': { dark: '#2FC99D' },
};
const KNOWN = new RegExp(Object.keys(SHADES).join('|'), 'gi');

/** A copy of a Vega specification in the colours of a theme; colours within expressions count too. */
export function inTheme(spec: unknown, theme: Theme): unknown {
  return recolored(spec, (shade) => (theme === 'light' ? shade.light : shade.dark), theme);
}

type Pick = (shade: Shade) => string | undefined;

function recolored(value: unknown, pick: Pick, theme: Theme): unknown {
  if (typeof value === 'string') {
    return value.replace(KNOWN, (color) => pick(SHADES[color.toUpperCase()] ?? {}) ?? color);
  }
  if (Array.isArray(value)) return value.map((item) => recolored(item, pick, theme));
  if (typeof value !== 'object' || value === null) return value;
  const isArea = theme === 'dark' && 'type' in value && value.type === 'rect';
  const own: Pick = isArea ? (shade) => shade.darkArea ?? shade.dark : pick;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, recolored(item, own, theme)]));
}

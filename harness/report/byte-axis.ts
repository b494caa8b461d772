/** The axis on which sizes in bytes stand, in every chart. */

/** A logarithmic axis from and to a power of two, with ticks at powers of four, named in B, KiB and MiB. */
export function byteChannel(field: string, title: string, values: readonly number[]) {
  const exponents = values.map((value) => Math.log2(value));
  const lowest = Math.floor(exponents.reduce((least, exponent) => Math.min(least, exponent), Number.POSITIVE_INFINITY));
  const highest = Math.ceil(exponents.reduce((most, exponent) => Math.max(most, exponent), lowest + 1));
  const ticks: number[] = [];
  for (let exponent = lowest + (lowest % 2); exponent <= highest; exponent += 2) ticks.push(2 ** exponent);
  return {
    field,
    type: 'quantitative' as const,
    title,
    scale: { type: 'log' as const, base: 2, domain: [2 ** lowest, 2 ** highest] },
    axis: { values: ticks, labelExpr: BYTES_EXPR },
  };
}

const BYTES_EXPR =
  "datum.value >= 1048576 ? datum.value / 1048576 + ' MiB' : datum.value >= 1024 ? datum.value / 1024 + ' KiB' : datum.value + ' B'";

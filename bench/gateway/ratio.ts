import { median } from '../report.ts';

/** For values that were measured once a round. */
export interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Undefined if no round has it. */
export function spread(values: readonly number[]): Ratio | undefined {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return undefined;
  return { median: median(known), least: Math.min(...known), most: Math.max(...known) };
}

/** `digits` after the decimal point. */
export function spreadInWords(ratio: Ratio | undefined, digits = 2): string {
  if (ratio === undefined) return '–';
  return `${ratio.median.toFixed(digits)} (${ratio.least.toFixed(digits)}–${ratio.most.toFixed(digits)})`;
}

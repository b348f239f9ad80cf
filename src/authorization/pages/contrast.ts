import type { Rgb } from '../../config/schema/theme.ts';

const black: Rgb = [0, 0, 0];
const white: Rgb = [255, 255, 255];

/** The contrast ratio, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map(linear);
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Black or white, whichever has more contrast with the color: 4.58 or more on any color. */
export function readableOn(color: Rgb): Rgb {
  return contrast(black, color) > contrast(white, color) ? black : white;
}

/**
 * The color itself if its contrast with the ground reaches the ratio (4.58 at most). Otherwise the nearest such color on the
 * way to black or white.
 */
export function standingOut(color: Rgb, ground: Rgb, ratio: number): Rgb {
  const target = readableOn(ground);
  const steps = Array.from({ length: 101 }, (_, step) => mix(color, target, step / 100));
  return steps.find((step) => contrast(step, ground) >= ratio) ?? target;
}

/** The color at this fraction of the way from one to the other. */
export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const at = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [at(0), at(1), at(2)];
}

export function hex(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

import { printableValue } from '../../base/printable.ts';
import type { Paint } from '../live/paint.ts';

/** A part of a line, and its style. */
export type Segment = readonly [text: string, style?: Parameters<Paint>[0]];

/** A line of a screen that is not wider than the screen. Nothing in it controls the terminal. */
export function fitted(segments: readonly Segment[], width: number, paint: Paint): string {
  let room = width;
  const parts = segments.map(([text, style]) => {
    const shown = cut(printableValue(text), room);
    room -= shown.length;
    return style === undefined || shown === '' ? shown : paint(style, shown);
  });
  return parts.join('');
}

/** A text in exactly this width. */
export function column(text: string, width: number): string {
  return cut(printableValue(text), width).padEnd(width);
}

/** Never cuts a surrogate pair apart. */
function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  if (width <= 0) return '';
  return `${text.slice(0, width - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

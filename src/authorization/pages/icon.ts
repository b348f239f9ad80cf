import { hex, readableOn } from './contrast.ts';
import { accentOf } from './stylesheet.ts';

/** The icon of the browser's tab: a gate in the accent color, readable on light and dark tabs. */
export function icon(theme: Readonly<Record<string, string>> = {}): string {
  const accent = accentOf(theme);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="${hex(accent)}"/>
<path fill="${hex(readableOn(accent))}" d="M6 7h4v3h4V7h4v3h4V7h4v18h-6v-5a4 4 0 0 0-8 0v5H6z"/>
</svg>
`;
}

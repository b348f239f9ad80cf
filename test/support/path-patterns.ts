import { parsePathPattern } from '../../src/config/words/path-pattern.ts';
import fc from './properties.ts';

const piece = fc.constantFrom('a', 'b', '{}', '');

/** Path patterns that often cover or overlap each other: few names, and every kind of segment. */
export const pattern = fc
  .tuple(fc.array(piece, { maxLength: 4 }), fc.constantFrom('a', 'b', '{}', '', '{*}'))
  .map(toPattern);
export const patterns = fc.array(pattern, { minLength: 1, maxLength: 25 });

/** An empty segment can only be the last. */
export function toPattern([before, last]: [string[], string]) {
  const named = [...before.filter((each) => each !== ''), last].map((each, index) => each.replace('{', `{n${index}`));
  const parsed = parsePathPattern(`/${named.join('/')}`);
  if (parsed.kind === 'fault') throw new Error(parsed.message);
  return parsed.segments;
}

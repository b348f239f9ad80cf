import type { PathSegment } from '../../config/path-pattern.ts';
import type { Placed } from './placed.ts';

/** The end of a path pattern behind the last place where the routes part: no choice is left, only whether it fits. */
export type PathTail = readonly TailSegment[];

interface TailSegment {
  readonly kind: PathSegment['kind'] | 'folded';
  /** Of a literal; of a folded one in lower case. */
  readonly text: string;
}

/** From that segment on; two routes have the same tail when it is written with the same segments. */
export function tailOf({ segments, caseSensitive }: Placed, depth: number): PathTail {
  return segments.slice(depth).map((segment) => tailSegment(segment, caseSensitive));
}

function tailSegment(segment: PathSegment, caseSensitive: boolean): TailSegment {
  if (segment.kind !== 'literal') return { kind: segment.kind, text: '' };
  return caseSensitive ? { kind: 'literal', text: segment.text } : { kind: 'folded', text: segment.text.toLowerCase() };
}

/** Whether the key from there on is what the tail asks for; past the end of the key there is no segment. */
export function fitsTail(tail: PathTail, key: string, from: number): boolean {
  let at = from;
  for (const segment of tail) {
    if (segment.kind === 'rest') return true;
    if (at > key.length) return false;
    const slash = key.indexOf('/', at);
    const end = slash === -1 ? key.length : slash;
    if (!fitsSegment(segment, key, at, end)) return false;
    at = end + 1;
  }
  return at > key.length;
}

function fitsSegment({ kind, text }: TailSegment, key: string, at: number, end: number): boolean {
  // An empty segment is no value for a name.
  if (kind === 'one') return end > at;
  if (end - at !== text.length && kind === 'literal') return false;
  return kind === 'literal' ? key.startsWith(text, at) : key.slice(at, end).toLowerCase() === text;
}

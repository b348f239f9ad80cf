import type { PathSegment } from '../../config/words/path-pattern.ts';
import { MeetingPatterns } from './meeting-patterns.ts';

type Pattern = readonly PathSegment[];

/** A path that represents all paths of its shape. */
export interface PathSample {
  readonly path: string;
  /** Its shape: `/orders/{}`, `/orders/{*}`. */
  readonly label: string;
}

/**
 * Paths that together match every pattern and every overlap of two. If one pattern has a literal and another a name,
 * there is a path for each. One more path matches no pattern.
 */
export function pathSamples(patterns: readonly Pattern[]): readonly PathSample[] {
  const distinct = unique(patterns, shapeOf);
  const meeting = new MeetingPatterns(distinct);
  const shapes = unique(
    distinct.flatMap((one) => meeting.of(one).flatMap((other) => merge(one, other) ?? [])),
    shapeOf,
  );
  const word = freshWord(patterns);
  // A path with a shape of its own gets the label of this shape, not of a wider one.
  const narrowFirst = shapes.toSorted((one, other) => Number(isOpen(one)) - Number(isOpen(other)));
  const samples = narrowFirst.flatMap((shape) => instances(shape, word));
  return unique([...samples, { path: `/${word}-other`, label: '(any other path)' }], ({ path }) => path);
}

/** In a list, since a pattern is itself a list. Undefined: no path matches both. */
function merge(one: Pattern, other: Pattern): readonly Pattern[] | undefined {
  const merged: PathSegment[] = [];
  for (let index = 0; ; index++) {
    const [left, right] = [one[index], other[index]];
    if (left?.kind === 'rest') return [[...merged, ...other.slice(index)]];
    if (right?.kind === 'rest') return [[...merged, ...one.slice(index)]];
    if (left === undefined && right === undefined) return [merged];
    const both = left === undefined || right === undefined ? undefined : narrower(left, right);
    if (both === undefined) return undefined;
    merged.push(both);
  }
}

function narrower(left: PathSegment, right: PathSegment): PathSegment | undefined {
  if (left.kind !== 'literal') return right.kind === 'literal' && right.text === '' ? undefined : right;
  if (right.kind !== 'literal') return left.text === '' ? undefined : left;
  return left.decoded === right.decoded ? left : undefined;
}

/** Samples of `{name*}`: no rest, an empty segment, one segment, and two segments. */
function instances(shape: Pattern, word: string): readonly PathSample[] {
  const fixed = shape.filter(({ kind }) => kind !== 'rest');
  const path = pieces(fixed, (index) => word + index);
  const label = pieces(fixed, () => '{}');
  if (fixed.length === shape.length) return [{ path, label }];
  const bare = fixed.length === 0 ? [] : [{ path, label }];
  const below = `${label}/{*}`;
  return [
    ...bare,
    { path: `${path}/`, label: `${label}/` },
    { path: `${path}/${word}`, label: below },
    { path: `${path}/${word}/${word}`, label: below },
  ];
}

function isOpen(shape: Pattern): boolean {
  return shape.at(-1)?.kind === 'rest';
}

/** Each name has a word of its own, because a condition for a claim can compare it with any of them. */
function pieces(segments: Pattern, stand: (index: number) => string): string {
  return segments.map((segment, index) => `/${segment.kind === 'literal' ? segment.text : stand(index)}`).join('');
}

function shapeOf(pattern: Pattern): string {
  return pattern.map((segment) => (segment.kind === 'literal' ? segment.decoded : `{${segment.kind}}`)).join('/');
}

/** A word with which no literal of any pattern begins, so that only a name can match it. */
function freshWord(patterns: readonly Pattern[]): string {
  return wordBeside(patterns.flat().map((segment) => (segment.kind === 'literal' ? segment.text.toLowerCase() : '')));
}

/** A word with which none of these texts begins. */
export function wordBeside(taken: readonly string[]): string {
  let word = 'sample';
  while (taken.some((text) => text.startsWith(word))) word += 'x';
  return word;
}

/** Keeps the first item of each key. */
export function unique<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const first = new Map<string, Item>();
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item);
  return [...first.values()];
}

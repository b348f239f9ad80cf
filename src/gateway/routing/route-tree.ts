import { foldCase } from '../../base/fold-case.ts';
import type { LiteralSegment, PathSegment } from '../../config/words/path-pattern.ts';
import type { RoutePattern } from './placed.ts';

/**
 * The routes of one host, by the segments of their paths. With thousands of routes, memory access is the slow part. So
 * a leaf has little data of its own, and shares its tail with all equal leaves.
 */
export type Node<Route> = Leaf<Route> | Branch<Route>;

export interface Leaf<Route> {
  readonly tail: PathTail;
  /** The route, if it is the only one. */
  readonly only: Route | undefined;
  /** Routes with more conditions come first. */
  readonly routes: readonly Route[];
}

interface Branch<Route> {
  readonly tail: undefined;
  readonly literals: ReadonlyMap<string, Node<Route>> | undefined;
  /** Literals of case-insensitive routes, with folded case. */
  readonly folded: ReadonlyMap<string, Node<Route>> | undefined;
  readonly one: Node<Route> | undefined;
  /** Routes that end here. Routes with more conditions come first. */
  readonly here: readonly Route[];
  /** Routes whose `{name*}` begins here. */
  readonly rest: readonly Route[];
}

/** Parts that many trees share, to stay in the processor's cache. */
export interface SharedParts {
  readonly words: Map<string, string>;
  readonly tails: Map<string, PathTail>;
}

/** Routes in the order in which they are tried. */
export function buildTree<Route extends RoutePattern>(
  routes: readonly Route[],
  shared: SharedParts,
  depth = 0,
): Node<Route> {
  return leafOf(routes, shared, depth) ?? branchOf(routes, shared, depth);
}

function leafOf<Route extends RoutePattern>(
  routes: readonly Route[],
  { tails }: SharedParts,
  depth: number,
): Leaf<Route> | undefined {
  const [first, ...others] = routes;
  if (first === undefined) return undefined;
  const tail = tailOf(first, depth);
  const text = JSON.stringify(tail);
  if (others.some((other) => JSON.stringify(tailOf(other, depth)) !== text)) return undefined;
  const known = tails.get(text) ?? tail;
  tails.set(text, known);
  return { tail: known, only: others.length === 0 ? first : undefined, routes };
}

function branchOf<Route extends RoutePattern>(
  routes: readonly Route[],
  shared: SharedParts,
  depth: number,
): Branch<Route> {
  const kindOf = ({ segments }: Route) => segments[depth]?.kind;
  const children = (fitting: readonly Route[], text: (literal: string) => string) => {
    const groups = Map.groupBy(fitting, (route) => text(literalAt(route, depth).decoded));
    const spellings = (key: string, group: readonly Route[]) => {
      const child = buildTree(group, shared, depth + 1);
      const texts = new Set([key, ...group.map((route) => text(literalAt(route, depth).strict))]);
      return Array.from(texts, (each) => [kept(shared, each), child] as const);
    };
    return groups.size === 0 ? undefined : new Map([...groups].flatMap(([key, group]) => spellings(key, group)));
  };
  const literals = routes.filter((route) => kindOf(route) === 'literal');
  const ones = routes.filter((route) => kindOf(route) === 'one');
  return {
    tail: undefined,
    literals: children(
      literals.filter(({ caseSensitive }) => caseSensitive),
      (text) => text,
    ),
    folded: children(
      literals.filter(({ caseSensitive }) => !caseSensitive),
      foldCase,
    ),
    one: ones.length === 0 ? undefined : buildTree(ones, shared, depth + 1),
    here: routes.filter((route) => kindOf(route) === undefined),
    rest: routes.filter((route) => kindOf(route) === 'rest'),
  };
}

function literalAt({ segments }: RoutePattern, depth: number): Pick<LiteralSegment, 'strict' | 'decoded'> {
  const segment = segments[depth];
  return segment?.kind === 'literal' ? segment : EMPTY;
}

const EMPTY = { strict: '', decoded: '' };

function kept({ words }: SharedParts, text: string): string {
  const known = words.get(text) ?? text;
  words.set(known, known);
  return known;
}

/** The end of a path pattern after the last branch. It has no alternatives, so it only matches or does not. */
export type PathTail = readonly TailSegment[];

export interface TailSegment {
  readonly kind: PathSegment['kind'] | 'folded';
  /** A decoded literal. For a case-insensitive route, with folded case. */
  readonly text: string;
  /** The literal without decoding, if it differs. */
  readonly strict: string | undefined;
}

/** The pattern from this segment on. Two routes with equal segments have equal tails. */
export function tailOf({ segments, caseSensitive }: RoutePattern, depth: number): PathTail {
  return segments.slice(depth).map((segment) => tailSegment(segment, caseSensitive));
}

function tailSegment(segment: PathSegment, caseSensitive: boolean): TailSegment {
  if (segment.kind !== 'literal') return { kind: segment.kind, text: '', strict: undefined };
  const [text, strict] = caseSensitive
    ? [segment.decoded, segment.strict]
    : [foldCase(segment.decoded), foldCase(segment.strict)];
  return { kind: caseSensitive ? 'literal' : 'folded', text, strict: strict === text ? undefined : strict };
}

import { choose, chooseOnly, type Search } from './choose.ts';
import { fitsTail, type PathTail, tailOf } from './path-tail.ts';
import type { Placed } from './placed.ts';

/**
 * The routes of one host, by the segments of their paths. Requests that are spread over thousands of routes wait for the
 * memory of each, so what belongs to one route alone is little: a leaf, whose tail it shares with all that end alike.
 */
export type Node<Route> = Leaf<Route> | Branch<Route>;

interface Leaf<Route> {
  readonly tail: PathTail;
  /** Where it is the only one. */
  readonly only: Route | undefined;
  /** Those with more conditions first. */
  readonly routes: readonly Route[];
}

interface Branch<Route> {
  readonly tail: undefined;
  readonly literals: ReadonlyMap<string, Node<Route>> | undefined;
  /** Literals of routes that match without regard to case, in lower case. */
  readonly folded: ReadonlyMap<string, Node<Route>> | undefined;
  readonly one: Node<Route> | undefined;
  /** Routes that end here, those with more conditions first. */
  readonly here: readonly Route[];
  /** Routes whose `{name*}` begins here. */
  readonly rest: readonly Route[];
}

/** What stands in many trees and is kept once, to stay within the processor's cache. */
export interface SharedParts {
  readonly words: Map<string, string>;
  readonly tails: Map<string, PathTail>;
}

/** Of routes that are in the order in which they are asked. */
export function buildTree<Route extends Placed>(routes: readonly Route[], shared: SharedParts, depth = 0): Node<Route> {
  return leafOf(routes, shared, depth) ?? branchOf(routes, shared, depth);
}

function leafOf<Route extends Placed>(
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

function branchOf<Route extends Placed>(routes: readonly Route[], shared: SharedParts, depth: number): Branch<Route> {
  const kindOf = ({ segments }: Route) => segments[depth]?.kind;
  const children = (fitting: readonly Route[], text: (literal: string) => string) => {
    const groups = Map.groupBy(fitting, ({ segments }) => text(literalAt(segments, depth)));
    if (groups.size === 0) return undefined;
    return new Map([...groups].map(([key, group]) => [kept(shared, key), buildTree(group, shared, depth + 1)]));
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
      (text) => text.toLowerCase(),
    ),
    one: ones.length === 0 ? undefined : buildTree(ones, shared, depth + 1),
    here: routes.filter((route) => kindOf(route) === undefined),
    rest: routes.filter((route) => kindOf(route) === 'rest'),
  };
}

function literalAt(segments: Placed['segments'], depth: number): string {
  const segment = segments[depth];
  return segment?.kind === 'literal' ? segment.text : '';
}

function kept({ words }: SharedParts, text: string): string {
  const known = words.get(text) ?? text;
  words.set(known, known);
  return known;
}

/** `from` is where the next segment begins; past the end of the key there is none. */
export function walk<Route extends Placed>(
  at: Node<Route>,
  key: string,
  from: number,
  search: Search,
): Route | undefined {
  if (at.tail !== undefined) return fitsTail(at.tail, key, from) ? chooseAt(at, search) : undefined;
  if (from > key.length) return choose(at.here, search) ?? choose(at.rest, search);
  const slash = key.indexOf('/', from);
  const end = slash === -1 ? key.length : slash;
  const segment = key.slice(from, end);
  const literal = at.literals?.get(segment);
  const found = literal && walk(literal, key, end + 1, search);
  if (found !== undefined) return found;
  const folded = at.folded?.get(segment.toLowerCase());
  const alike = folded && walk(folded, key, end + 1, search);
  if (alike !== undefined) return alike;
  // An empty segment is no value for a name.
  const one = end > from && at.one ? walk(at.one, key, end + 1, search) : undefined;
  return one ?? choose(at.rest, search);
}

function chooseAt<Route extends Placed>({ only, routes }: Leaf<Route>, search: Search): Route | undefined {
  return only === undefined ? choose(routes, search) : chooseOnly(only, search);
}

/** Every route for this path, whatever its methods and conditions. */
export function* placedAt<Route>(at: Node<Route>, key: string, from: number): Iterable<Route> {
  if (at.tail !== undefined) {
    if (fitsTail(at.tail, key, from)) yield* at.routes;
    return;
  }
  if (from > key.length) yield* at.here;
  else {
    const slash = key.indexOf('/', from);
    const end = slash === -1 ? key.length : slash;
    const segment = key.slice(from, end);
    const children = [
      at.literals?.get(segment),
      at.folded?.get(segment.toLowerCase()),
      end > from ? at.one : undefined,
    ];
    for (const child of children) if (child !== undefined) yield* placedAt(child, key, end + 1);
  }
  yield* at.rest;
}

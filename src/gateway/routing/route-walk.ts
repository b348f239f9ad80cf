import { foldCase } from '../../base/fold-case.ts';
import type { RouteLookup, RoutePattern } from './placed.ts';
import type { Leaf, Node, PathTail, TailSegment } from './route-tree.ts';

/** What a walk has found so far. */
export interface Search {
  readonly question: RouteLookup;
  /** Methods of routes that match in everything else. Undefined: no such route. */
  allow: Set<string> | undefined;
  /** The route for which a deciding field occurs twice. */
  repeated: unknown;
}

/** `from`: the start of the next segment. After the end of the key, there is no segment. */
export function walk<Route extends RoutePattern>(
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
  const folded = at.folded?.get(foldCase(segment));
  const alike = folded && walk(folded, key, end + 1, search);
  if (alike !== undefined) return alike;
  // A name needs a segment that is not empty.
  const one = end > from && at.one ? walk(at.one, key, end + 1, search) : undefined;
  return one ?? choose(at.rest, search);
}

function chooseAt<Route extends RoutePattern>({ only, routes }: Leaf<Route>, search: Search): Route | undefined {
  return only === undefined ? choose(routes, search) : chooseOnly(only, search);
}

/** Every route for this path, whatever its methods and conditions. */
export function* routesAt<Route>(at: Node<Route>, key: string, from: number): Iterable<Route> {
  if (at.tail !== undefined) {
    if (fitsTail(at.tail, key, from)) yield* at.routes;
    return;
  }
  if (from > key.length) yield* at.here;
  else {
    const slash = key.indexOf('/', from);
    const end = slash === -1 ? key.length : slash;
    const segment = key.slice(from, end);
    const children = [at.literals?.get(segment), at.folded?.get(foldCase(segment)), end > from ? at.one : undefined];
    for (const child of children) if (child !== undefined) yield* routesAt(child, key, end + 1);
  }
  yield* at.rest;
}

/** Whether the key matches the tail from this position. After the end of the key, there is no segment. */
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

function fitsSegment({ kind, text, strict }: TailSegment, key: string, at: number, end: number): boolean {
  // A name needs a segment that is not empty.
  if (kind === 'one') return end > at;
  if (kind === 'literal' && strict === undefined) return end - at === text.length && key.startsWith(text, at);
  const segment = key.slice(at, end);
  const compared = kind === 'literal' ? segment : foldCase(segment);
  return compared === text || compared === strict;
}

/**
 * Routes of one host and path. Those with more conditions come first. If a more specific route matched except for its
 * method, a later route must name the method and must not be public. So forbidding a method on one path never opens it
 * through a wider rule.
 */
export function choose<Route extends RoutePattern>(routes: readonly Route[], search: Search): Route | undefined {
  if (routes.length === 0 || search.repeated !== undefined) return undefined;
  let methodRefused = search.allow !== undefined;
  let conditions = routes[0]?.conditions.length;
  for (const route of routes) {
    if (route.conditions.length !== conditions) {
      conditions = route.conditions.length;
      methodRefused = search.allow !== undefined;
    }
    const chosen = consider(route, methodRefused, search);
    if (chosen !== undefined || search.repeated !== undefined) return chosen;
  }
  return undefined;
}

/** The same for a single route. */
function chooseOnly<Route extends RoutePattern>(route: Route, search: Search): Route | undefined {
  return search.repeated === undefined ? consider(route, search.allow !== undefined, search) : undefined;
}

function consider<Route extends RoutePattern>(route: Route, methodRefused: boolean, search: Search): Route | undefined {
  if (route.conditions.length > 0 && !conditionsHold(route, search)) return undefined;
  const takes = route.methods === undefined || route.methods.has(search.question.method);
  const isOpen = !methodRefused || (route.methods !== undefined && route.access !== 'public');
  if (takes && isOpen) return route;
  search.allow ??= new Set();
  // RFC 9110 §10.2.1: only methods that the target supports.
  for (const allowed of isOpen ? (route.methods ?? []) : []) search.allow.add(allowed);
  return undefined;
}

function conditionsHold<Route extends RoutePattern>(route: Route, search: Search): boolean {
  for (const condition of route.conditions) {
    const holds = condition.holds(search.question);
    if (holds === 'repeated') search.repeated = route;
    if (holds !== 'yes') return false;
  }
  return true;
}

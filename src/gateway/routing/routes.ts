import { compareHosts, type HostPattern, hostShape, matchHost } from '../../config/words/host-pattern.ts';
import type { Target } from '../message/target.ts';
import type { RouteLookup, RoutePattern } from './placed.ts';
import { buildTree, type Node, type SharedParts } from './route-tree.ts';
import { routesAt, type Search, walk } from './route-walk.ts';

export type { RouteLookup, RoutePattern } from './placed.ts';

export type RouteMatch<Route> =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'method_not_allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'not_found' }
  /** A header or query parameter that chooses the route occurs twice. */
  | { readonly kind: 'repeated'; readonly route: Route };

interface HostRoot<Route> {
  readonly host: HostPattern;
  readonly root: Node<Route>;
}

/**
 * The compiled routes. The most specific one wins, in any order of the file: host first (exact, pattern, none), then
 * segment by segment a literal before `{name}` before `{name*}`, then the number of conditions. A walk visits each node
 * at most once, so the size of the table limits its cost.
 */
export class RouteTable<Route extends RoutePattern> {
  readonly #exact: ReadonlyMap<string, Node<Route>>;
  /** Most specific first. */
  readonly #patterns: readonly HostRoot<Route>[];
  readonly #anyHost: Node<Route>;
  /** For requests if no host has its own routes. */
  readonly #onlyAnyHost: readonly Node<Route>[];

  constructor(routes: Iterable<Route>) {
    const shared: SharedParts = { words: new Map(), tails: new Map() };
    const hosts = Map.groupBy(inTurn(routes), ({ host }) => hostKey(host));
    const named = [...hosts.values()].flatMap((of): HostRoot<Route>[] => {
      const host = of[0]?.host;
      return host === undefined ? [] : [{ host, root: buildTree(of, shared) }];
    });
    this.#exact = new Map(named.flatMap(({ host, root }) => (host.exact === undefined ? [] : [[host.exact, root]])));
    this.#patterns = named
      .filter(({ host }) => host.exact === undefined)
      .sort((one, other) => compareHosts(one.host, other.host));
    this.#anyHost = buildTree(hosts.get(undefined) ?? [], shared);
    this.#onlyAnyHost = [this.#anyHost];
  }

  match(question: RouteLookup): RouteMatch<Route> {
    const search: Search = { question, allow: undefined, repeated: undefined };
    for (const root of this.#roots(question.host)) {
      const route = walk(root, question.key, 1, search);
      if (search.repeated !== undefined) return { kind: 'repeated', route: search.repeated as Route };
      if (route !== undefined) return { kind: 'route', route };
    }
    if (search.allow === undefined) return { kind: 'not_found' };
    return { kind: 'method_not_allowed', allow: [...search.allow].sort() };
  }

  /** Every route for this host and path, whatever its methods and conditions. */
  *placed({ host, key }: Pick<RouteLookup, 'host' | 'key'>): Iterable<Route> {
    for (const root of this.#roots(host)) yield* routesAt(root, key, 1);
  }

  /** The methods of every route for this host and path, for the answer to a preflight. */
  methods(question: RouteLookup): ReadonlySet<string> | undefined {
    const found = new Set<string>();
    for (const route of this.placed(question)) for (const method of route.methods ?? ANY) found.add(method);
    return found.size === 0 ? undefined : found;
  }

  #roots(host: string): readonly Node<Route>[] {
    const exact = this.#exact.get(host);
    if (this.#patterns.length === 0) return exact === undefined ? this.#onlyAnyHost : [exact, this.#anyHost];
    const fitting = this.#patterns.filter((pattern) => matchHost(pattern.host, host) !== undefined);
    return [...(exact === undefined ? [] : [exact]), ...fitting.map(({ root }) => root), this.#anyHost];
  }
}

/** The methods that a preflight may request, for a route that accepts every method. */
const ANY = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Equal for hosts that match the same names. An exact host never equals a pattern. */
function hostKey(host: HostPattern | undefined): string | undefined {
  if (host === undefined) return undefined;
  return host.exact === undefined ? `pattern ${hostShape(host)}` : `host ${host.exact}`;
}

/**
 * Routes with more conditions come first, then their text decides. So the order in the file never decides between equal
 * routes.
 */
function inTurn<Route extends RoutePattern>(routes: Iterable<Route>): readonly Route[] {
  return [...routes]
    .map((route) => ({
      route,
      count: route.conditions.length,
      text: route.conditions.map(({ text }) => text).join('\n'),
    }))
    .sort((one, other) => other.count - one.count || (one.text === '' ? 0 : one.text.localeCompare(other.text)))
    .map(({ route }) => route);
}

/** The readings of a path lead to different routes, or only some lead to a route. */
export interface Ambiguous<Route> {
  readonly kind: 'ambiguous';
  /** The result for the raw path, and for the path decoded in each way. */
  readonly readings: readonly RouteMatch<Route>[];
}

/**
 * Matches a raw path, and the path as decoding servers see it. If all readings lead to the same route, the upstream
 * applies the same rule. Nearly every path has one reading, and is matched once.
 */
export function matchReadings<Route extends RoutePattern>(
  table: RouteTable<Route>,
  question: RouteLookup,
  { decoded }: Pick<Target, 'decoded'>,
): RouteMatch<Route> | Ambiguous<Route> {
  const strict = table.match(question);
  if (decoded.length === 0) return strict;
  const others = decoded.map((key) => table.match({ ...question, key }));
  return others.every((other) => agree(strict, other)) ? strict : { kind: 'ambiguous', readings: [strict, ...others] };
}

function agree<Route>(one: RouteMatch<Route>, other: RouteMatch<Route>): boolean {
  if (one.kind !== 'route' || other.kind !== 'route') return one.kind !== 'route' && other.kind !== 'route';
  return one.route === other.route;
}

/** Every route for the host and any reading of the path, whatever its methods and conditions. */
export function* placedInReadings<Route extends RoutePattern>(
  table: RouteTable<Route>,
  { host, key }: Pick<RouteLookup, 'host' | 'key'>,
  { decoded }: Pick<Target, 'decoded'>,
): Iterable<Route> {
  for (const each of [key, ...decoded]) yield* table.placed({ host, key: each });
}

/** For the log and for `explain`. */
export function ambiguityDetail({ readings }: Ambiguous<{ readonly id: string }>): string {
  const [strict, ...decoded] = readings.map((match) => (match.kind === 'route' ? `\`${match.route.id}\`` : 'no route'));
  return `raw: ${strict}; decoded: ${[...new Set(decoded)].join(' or ')}`;
}

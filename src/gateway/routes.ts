import type { PathSegment } from '../config/path-pattern.ts';

/** What the table needs to know of a route to place it. */
export interface Placed {
  /** Undefined: every host. In the form of `hostName`. */
  readonly host: string | undefined;
  readonly segments: readonly PathSegment[];
  /** Undefined: every method. */
  readonly methods: ReadonlySet<string> | undefined;
  readonly access: string;
}

export type RouteMatch<Route> =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'method_not_allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'not_found' };

interface Node<Route> {
  readonly literals: Map<string, Node<Route>>;
  one: Node<Route> | undefined;
  /** Routes that end here. */
  readonly here: Route[];
  /** Routes whose `{name*}` begins here. */
  readonly rest: Route[];
}

interface Search {
  readonly method: string;
  /** Methods of routes that fit in all else; undefined until there is one. */
  allow: Set<string> | undefined;
}

/**
 * The compiled routes. The most specific wins, whatever the order in the file: host first, then segment by segment a
 * literal before `{name}` before `{name*}`. A walk visits each node at most once, so its cost is bounded by the table.
 */
export class RouteTable<Route extends Placed> {
  readonly #hosts = new Map<string, Node<Route>>();
  readonly #anyHost: Node<Route> = node();

  constructor(routes: Iterable<Route>) {
    for (const route of routes) insert(this.#root(route.host), route);
  }

  /** `key` is the judged path in the form that patterns compare with. */
  match(host: string, key: string, method: string): RouteMatch<Route> {
    const search: Search = { method, allow: undefined };
    const ofHost = this.#hosts.get(host);
    const route = (ofHost && walk(ofHost, key, 1, search)) ?? walk(this.#anyHost, key, 1, search);
    if (route !== undefined) return { kind: 'route', route };
    if (search.allow === undefined) return { kind: 'not_found' };
    return { kind: 'method_not_allowed', allow: [...search.allow].sort() };
  }

  #root(host: string | undefined): Node<Route> {
    if (host === undefined) return this.#anyHost;
    const root = this.#hosts.get(host) ?? node<Route>();
    this.#hosts.set(host, root);
    return root;
  }
}

function node<Route>(): Node<Route> {
  return { literals: new Map(), one: undefined, here: [], rest: [] };
}

function insert<Route extends Placed>(root: Node<Route>, route: Route): void {
  let at = root;
  for (const segment of route.segments) {
    if (segment.kind === 'rest') {
      at.rest.push(route);
      return;
    }
    at = segment.kind === 'one' ? oneChild(at) : literalChild(at, segment.text);
  }
  at.here.push(route);
}

function oneChild<Route>(parent: Node<Route>): Node<Route> {
  parent.one ??= node();
  return parent.one;
}

function literalChild<Route>(parent: Node<Route>, text: string): Node<Route> {
  const child = parent.literals.get(text) ?? node<Route>();
  parent.literals.set(text, child);
  return child;
}

/** `from` is where the next segment begins; past the end of the key there is none. */
function walk<Route extends Placed>(at: Node<Route>, key: string, from: number, search: Search): Route | undefined {
  if (from > key.length) return choose(at.here, search) ?? choose(at.rest, search);
  const slash = key.indexOf('/', from);
  const end = slash === -1 ? key.length : slash;
  const segment = key.slice(from, end);
  const literal = at.literals.get(segment);
  const found = literal && walk(literal, key, end + 1, search);
  if (found !== undefined) return found;
  // An empty segment is no value for a name.
  const one = end > from && at.one ? walk(at.one, key, end + 1, search) : undefined;
  return one ?? choose(at.rest, search);
}

/**
 * Once a more specific route fitted in all but its method, a later one must name the method and must not be public:
 * forbidding a method on one path never opens it through a wider rule.
 */
function choose<Route extends Placed>(routes: readonly Route[], search: Search): Route | undefined {
  if (routes.length === 0) return undefined;
  const passedOver = search.allow !== undefined;
  for (const route of routes) {
    if (!takes(route, search.method)) continue;
    if (!passedOver || (route.methods !== undefined && route.access !== 'public')) return route;
  }
  search.allow ??= new Set();
  for (const route of routes) for (const method of route.methods ?? []) search.allow.add(method);
  return undefined;
}

function takes(route: Placed, method: string): boolean {
  return route.methods === undefined || route.methods.has(method);
}

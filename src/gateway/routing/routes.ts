import { compareHosts, type HostPattern, hostShape, matchHost } from '../../config/host-pattern.ts';
import type { PathSegment } from '../../config/path-pattern.ts';
import type { Conditioned, MatchCondition } from './match-conditions.ts';

/** What the table needs to know of a route to place it. */
export interface Placed {
  /** Undefined: every host. */
  readonly host: HostPattern | undefined;
  readonly segments: readonly PathSegment[];
  /** Undefined: every method. */
  readonly methods: ReadonlySet<string> | undefined;
  readonly conditions: readonly MatchCondition[];
  /** false: literals match without regard to case, as the upstream compares them. */
  readonly caseSensitive: boolean;
  readonly access: string;
}

export type RouteMatch<Route> =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'method_not_allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'not_found' }
  /** A header or query parameter that chooses the route occurs twice. */
  | { readonly kind: 'repeated'; readonly route: Route };

export interface Question extends Conditioned {
  /** In the form of `normalizeHost`. */
  readonly host: string;
  /** The judged path in the form that patterns compare with. */
  readonly key: string;
  readonly method: string;
}

interface Node<Route> {
  literals: Map<string, Node<Route>> | undefined;
  /** Literals of routes that match without regard to case, in lower case. */
  folded: Map<string, Node<Route>> | undefined;
  one: Node<Route> | undefined;
  /** Routes that end here, those with more conditions first. */
  readonly here: Route[];
  /** Routes whose `{name*}` begins here. */
  readonly rest: Route[];
}

interface HostRoot<Route> {
  readonly host: HostPattern;
  readonly root: Node<Route>;
}

interface Search {
  readonly question: Question;
  /** Methods of routes that fit in all else; undefined until there is one. */
  allow: Set<string> | undefined;
  /** The route at which a deciding field was found twice. */
  repeated: unknown;
}

/**
 * The compiled routes. The most specific wins, whatever the order in the file: host first (exact, pattern, none), then
 * segment by segment a literal before `{name}` before `{name*}`, then the number of conditions. A walk visits each node
 * at most once, so its cost is bounded by the table.
 */
export class RouteTable<Route extends Placed> {
  readonly #exact = new Map<string, Node<Route>>();
  /** Most specific first. */
  readonly #patterns: readonly HostRoot<Route>[];
  readonly #anyHost: Node<Route> = node();

  constructor(routes: Iterable<Route>) {
    const byShape = new Map<string, HostRoot<Route>>();
    const words = new Map<string, string>();
    for (const route of inTurn(routes)) insert(this.#root(route.host, byShape), route, words);
    this.#patterns = [...byShape.values()].sort((one, other) => compareHosts(one.host, other.host));
  }

  match(question: Question): RouteMatch<Route> {
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
  *placed({ host, key }: Pick<Question, 'host' | 'key'>): Iterable<Route> {
    for (const root of this.#roots(host)) yield* placedAt(root, key, 1);
  }

  /** The methods of every route for this host and path: what a preflight is told. */
  methods(question: Question): ReadonlySet<string> | undefined {
    const found = new Set<string>();
    for (const route of this.placed(question)) for (const method of route.methods ?? ANY) found.add(method);
    return found.size === 0 ? undefined : found;
  }

  #roots(host: string): readonly Node<Route>[] {
    const exact = this.#exact.get(host);
    if (this.#patterns.length === 0) return exact === undefined ? [this.#anyHost] : [exact, this.#anyHost];
    const fitting = this.#patterns.filter((pattern) => matchHost(pattern.host, host) !== undefined);
    return [...(exact === undefined ? [] : [exact]), ...fitting.map(({ root }) => root), this.#anyHost];
  }

  #root(host: HostPattern | undefined, byShape: Map<string, HostRoot<Route>>): Node<Route> {
    if (host === undefined) return this.#anyHost;
    if (host.exact !== undefined) return childOf(this.#exact, host.exact);
    const shape = hostShape(host);
    const same = byShape.get(shape) ?? { host, root: node<Route>() };
    byShape.set(shape, same);
    return same.root;
  }
}

/** The methods that browsers ask a preflight for, of a route that takes every method. */
const ANY = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

function node<Route>(): Node<Route> {
  return { literals: undefined, folded: undefined, one: undefined, here: [], rest: [] };
}

function childOf<Route>(children: Map<string, Node<Route>>, text: string): Node<Route> {
  const child = children.get(text) ?? node<Route>();
  children.set(text, child);
  return child;
}

/** `words`: a literal that stands in many routes is kept once, so that comparing with it stays within the processor's cache. */
function insert<Route extends Placed>(root: Node<Route>, route: Route, words: Map<string, string>): void {
  let at = root;
  for (const segment of route.segments) {
    if (segment.kind === 'rest') {
      at.rest.push(route);
      return;
    }
    if (segment.kind === 'one') {
      at.one ??= node();
      at = at.one;
    } else at = literalChild(at, kept(words, segment.text), route.caseSensitive);
  }
  at.here.push(route);
}

function kept(words: Map<string, string>, text: string): string {
  const known = words.get(text) ?? text;
  words.set(known, known);
  return known;
}

function literalChild<Route>(at: Node<Route>, text: string, caseSensitive: boolean): Node<Route> {
  if (caseSensitive) {
    at.literals ??= new Map();
    return childOf(at.literals, text);
  }
  at.folded ??= new Map();
  return childOf(at.folded, text.toLowerCase());
}

/** More conditions first, then by their text, so that the order in the file never decides between equals. */
function inTurn<Route extends Placed>(routes: Iterable<Route>): readonly Route[] {
  return [...routes]
    .map((route) => ({
      route,
      count: route.conditions.length,
      text: route.conditions.map(({ text }) => text).join('\n'),
    }))
    .sort((one, other) => other.count - one.count || (one.text === '' ? 0 : one.text.localeCompare(other.text)))
    .map(({ route }) => route);
}

/** `from` is where the next segment begins; past the end of the key there is none. */
function walk<Route extends Placed>(at: Node<Route>, key: string, from: number, search: Search): Route | undefined {
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

/** Every route for this path, whatever its methods and conditions. */
function* placedAt<Route>(at: Node<Route>, key: string, from: number): Iterable<Route> {
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

/**
 * Once a more specific route fitted in all but its method, a later one must name the method and must not be public:
 * forbidding a method on one path never opens it through a wider rule.
 */
function choose<Route extends Placed>(routes: readonly Route[], search: Search): Route | undefined {
  if (routes.length === 0 || search.repeated !== undefined) return undefined;
  const { method } = search.question;
  let passedOver = search.allow !== undefined;
  let conditions = routes[0]?.conditions.length;
  for (const route of routes) {
    if (route.conditions.length !== conditions) {
      conditions = route.conditions.length;
      passedOver = search.allow !== undefined;
    }
    const fits = route.conditions.length === 0 || conditionsHold(route, search);
    if (search.repeated !== undefined) return undefined;
    if (!fits) continue;
    const takes = route.methods === undefined || route.methods.has(method);
    if (takes && (!passedOver || (route.methods !== undefined && route.access !== 'public'))) return route;
    search.allow ??= new Set();
    for (const allowed of route.methods ?? []) search.allow.add(allowed);
  }
  return undefined;
}

function conditionsHold<Route extends Placed>(route: Route, search: Search): boolean {
  for (const condition of route.conditions) {
    const holds = condition.holds(search.question);
    if (holds === 'repeated') search.repeated = route;
    if (holds !== 'yes') return false;
  }
  return true;
}

import { foldCase } from '../../base/fold-case.ts';
import type { GatewayFile, RouteFile } from '../schema/gateway.ts';
import { CoveringPatterns } from '../words/covering-patterns.ts';
import { hostShape, parseHostPattern } from '../words/host-pattern.ts';
import { methodsOf } from '../words/mcp-methods.ts';
import { compareSegments, type PathSegment, parsePathPattern } from '../words/path-pattern.ts';
import type { Member } from './checks.ts';

/** The part of a route that selects requests. */
export interface RouteShape {
  readonly route: Member<RouteFile>;
  /** In the form for comparison, if the upstream ignores case in paths. */
  readonly segments: readonly PathSegment[];
  readonly open: boolean;
  readonly conditional: boolean;
}

interface Routes {
  readonly routes: readonly Member<RouteFile>[];
  readonly config: Pick<GatewayFile, 'defaults' | 'upstreams'>;
}

/** A route with an invalid path has no shape. */
export function shapesOf({ routes, config }: Routes): readonly RouteShape[] {
  return routes.flatMap((route): RouteShape[] => {
    const { path, headers, query, soap_action } = route.value.match;
    const pattern = parsePathPattern(path);
    if (pattern.kind === 'fault') return [];
    const conditional = Object.keys({ ...headers, ...query }).length > 0 || soap_action !== undefined;
    const segments = isCaseSensitive(route.value, config) ? pattern.segments : pattern.segments.map(withoutCase);
    return [{ route, segments, open: segments.at(-1)?.kind === 'rest', conditional }];
  });
}

/** True if the upstream of a route distinguishes `/API` from `/api`. */
export function isCaseSensitive({ upstream }: RouteFile, { defaults, upstreams }: Routes['config']): boolean {
  const name = upstream ?? defaults.upstream;
  return name === undefined || upstreams[name]?.case_sensitive !== false;
}

function withoutCase(segment: PathSegment): PathSegment {
  return segment.kind === 'literal' ? { ...segment, decoded: foldCase(segment.decoded) } : segment;
}

/** Finds, in the given order, the routes that get a request which another route does not match. */
export type Takers = (shape: RouteShape, left: readonly PathSegment[]) => readonly RouteShape[];

export function takersAmong(shapes: readonly RouteShape[]): Takers {
  const everyHost = new CoveringPatterns<Ordered>();
  const byHost = new Map<string | undefined, CoveringPatterns<Ordered>>();
  for (const [order, shape] of shapes.entries()) {
    const { host } = shape.route.value.match;
    const ofHost = host === undefined ? everyHost : (byHost.get(hostOf(host)) ?? new CoveringPatterns<Ordered>());
    if (host !== undefined) byHost.set(hostOf(host), ofHost);
    ofHost.add(shape.segments, { shape, order });
  }
  return (shape, left) =>
    [everyHost, byHost.get(hostOf(shape.route.value.match.host))]
      .flatMap((patterns) => patterns?.of(left) ?? [])
      .filter((one) => one.shape !== shape && shareMethod(one.shape.route.value, shape.route.value))
      .sort((one, other) => one.order - other.order)
      .map((one) => one.shape);
}

interface Ordered {
  readonly shape: RouteShape;
  readonly order: number;
}

/** The routes in the order in which the gateway tries them, up to the first one without conditions. */
export function askedAmong(takers: readonly RouteShape[]): readonly RouteShape[] {
  const inOrder = takers.toSorted(
    (one, other) => compareShapes(one, other) || Number(other.conditional) - Number(one.conditional),
  );
  const last = inOrder.findIndex((one) => !one.conditional);
  return last === -1 ? inOrder : inOrder.slice(0, last + 1);
}

/** True if some method fits both routes. */
export function shareMethod(one: RouteFile, other: RouteFile): boolean {
  const [mine, theirs] = [methodsOf(one), methodsOf(other)];
  const methods = mine ?? theirs;
  return methods === undefined || (theirs ?? methods).some((method) => methods.includes(method));
}

/** A route without a host accepts every host. */
export function shareHost({ match: mine }: RouteFile, { match: other }: RouteFile): boolean {
  return mine.host === undefined || other.host === undefined || hostOf(mine.host) === hostOf(other.host);
}

/** Below zero: the gateway tries `one` before `other`, regardless of conditions. */
export function compareShapes(one: RouteShape, other: RouteShape): number {
  const hosts = Number(one.route.value.match.host === undefined) - Number(other.route.value.match.host === undefined);
  return hosts || compareSegments(one.segments, other.segments);
}

/** The host in its form for comparison; undefined if the text is not a host. */
export function hostOf(text: string | undefined): string | undefined {
  const pattern = text === undefined ? undefined : parseHostPattern(text);
  return pattern && hostShape(pattern);
}

import { foldCase } from '../../base/fold-case.ts';
import type { GatewayFile, RouteFile } from '../schema/gateway.ts';
import { CoveringPatterns } from '../words/covering-patterns.ts';
import { hostShape, parseHostPattern } from '../words/host-pattern.ts';
import { compareSegments, type PathSegment, parsePathPattern } from '../words/path-pattern.ts';
import type { Member } from './checks.ts';

/** A route as far as it says which requests come to it. */
export interface RouteShape {
  readonly route: Member<RouteFile>;
  /** In the form in which they compare, where the upstream treats paths alike whatever their case. */
  readonly segments: readonly PathSegment[];
  readonly open: boolean;
  readonly conditional: boolean;
}

interface Routes {
  readonly routes: readonly Member<RouteFile>[];
  readonly config: Pick<GatewayFile, 'defaults' | 'upstreams'>;
}

/** None for a path that is no pattern. */
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

/** Whether the upstream of a route tells `/API` from `/api`. */
export function isCaseSensitive({ upstream }: RouteFile, { defaults, upstreams }: Routes['config']): boolean {
  const name = upstream ?? defaults.upstream;
  return name === undefined || upstreams[name]?.case_sensitive !== false;
}

function withoutCase(segment: PathSegment): PathSegment {
  return segment.kind === 'literal' ? { ...segment, decoded: foldCase(segment.decoded) } : segment;
}

/** Which of some routes would get a request for what another leaves, in the order in which they were given. */
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

/** In the order in which they are asked, up to the one that takes what it is asked about without conditions. */
export function askedAmong(takers: readonly RouteShape[]): readonly RouteShape[] {
  const inOrder = takers.toSorted(
    (one, other) => compareShapes(one, other) || Number(other.conditional) - Number(one.conditional),
  );
  const last = inOrder.findIndex((one) => !one.conditional);
  return last === -1 ? inOrder : inOrder.slice(0, last + 1);
}

/** Whether some request could come to either. */
export function shareMethod({ match: mine }: RouteFile, { match: other }: RouteFile): boolean {
  const methods = mine.methods ?? other.methods;
  return methods === undefined || (other.methods ?? methods).some((method) => methods.includes(method));
}

/** A route without a host takes every one. */
export function shareHost({ match: mine }: RouteFile, { match: other }: RouteFile): boolean {
  return mine.host === undefined || other.host === undefined || hostOf(mine.host) === hostOf(other.host);
}

/** Below zero: `one` is asked before `other`. Conditions aside. */
export function compareShapes(one: RouteShape, other: RouteShape): number {
  const hosts = Number(one.route.value.match.host === undefined) - Number(other.route.value.match.host === undefined);
  return hosts || compareSegments(one.segments, other.segments);
}

/** In the form in which hosts compare; undefined where it is none. */
export function hostOf(text: string | undefined): string | undefined {
  const pattern = text === undefined ? undefined : parseHostPattern(text);
  return pattern && hostShape(pattern);
}

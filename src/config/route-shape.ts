import type { Member } from './checks.ts';
import { CoveringPatterns } from './covering-patterns.ts';
import type { RouteFile } from './gateway.ts';
import { hostShape, parseHostPattern } from './host-pattern.ts';
import { compareSegments, type PathSegment, parsePathPattern } from './path-pattern.ts';

/** A route as far as it says which requests come to it. */
export interface Shape {
  readonly route: Member<RouteFile>;
  readonly segments: readonly PathSegment[];
  readonly open: boolean;
  readonly conditional: boolean;
}

/** None for a path that is no pattern. */
export function shapeOf(route: Member<RouteFile>): readonly Shape[] {
  const { path, headers, query, soap_action } = route.value.match;
  const pattern = parsePathPattern(path);
  if (pattern.kind === 'fault') return [];
  const conditional = Object.keys({ ...headers, ...query }).length > 0 || soap_action !== undefined;
  return [{ route, segments: pattern.segments, open: pattern.segments.at(-1)?.kind === 'rest', conditional }];
}

/** Which of some routes would get a request for what another leaves, in the order in which they were given. */
export type Takers = (shape: Shape, left: readonly PathSegment[]) => readonly Shape[];

export function takersAmong(shapes: readonly Shape[]): Takers {
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
  readonly shape: Shape;
  readonly order: number;
}

function shareMethod({ match: mine }: RouteFile, { match: other }: RouteFile): boolean {
  const methods = mine.methods ?? other.methods;
  return methods === undefined || (other.methods ?? methods).some((method) => methods.includes(method));
}

/** Below zero: `one` is asked before `other`. Conditions aside. */
export function compareShapes(one: Shape, other: Shape): number {
  const hosts = Number(one.route.value.match.host === undefined) - Number(other.route.value.match.host === undefined);
  return hosts || compareSegments(one.segments, other.segments);
}

function hostOf(text: string | undefined): string | undefined {
  const pattern = text === undefined ? undefined : parseHostPattern(text);
  return pattern && hostShape(pattern);
}

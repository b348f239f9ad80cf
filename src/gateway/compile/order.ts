import { foldCase } from '../../base/fold-case.ts';
import { compareHosts, type HostPattern, hostShape } from '../../config/words/host-pattern.ts';
import { covers as coversPath, type PathSegment } from '../../config/words/path-pattern.ts';
import type { PlanEntry, PlannedRoute, UnjudgedRoute } from './plan.ts';

/**
 * The routes as a list in which the first match decides, with the same verdicts as `RouteTable`. A target that tries
 * entries in turn needs no other rule.
 */
export function planEntries(routes: readonly PlannedRoute[]): readonly PlanEntry[] {
  const ordered = inMatchingOrder(routes);
  const entries: PlanEntry[] = [];
  const waiting = new Set<PlannedRoute>();
  for (const [index, route] of ordered.entries()) {
    if (isForAnyMethod(route)) {
      for (const earlier of [...waiting]) {
        if (groupOf(earlier) === groupOf(route) || !mayShareAPath(earlier, route)) continue;
        entries.push(methodEntry(earlier, ordered));
        waiting.delete(earlier);
      }
    }
    entries.push({ kind: 'route', route: ordered[index] as PlannedRoute });
    if (route.methods !== undefined) waiting.add(route);
  }
  return [...entries, ...[...waiting].map((route) => methodEntry(route, ordered))];
}

/**
 * If a more specific route does not accept the method, a route that names no method, or that is public, does not match
 * either.
 */
function isForAnyMethod({ methods, access }: PlannedRoute): boolean {
  return methods === undefined || access === 'public';
}

/**
 * Methods of a wider route count too, if it accepts them on all these paths (RFC 9110 §15.5.6). Methods that another
 * route accepts on some of these paths are left out, because one entry has one answer.
 */
function methodEntry(route: PlannedRoute, all: readonly PlannedRoute[]): PlanEntry {
  const accepted = all.filter(
    (other) => placeOf(other) === placeOf(route) || (acceptsByMethod(other) && covers(other, route)),
  );
  const allow = [...new Set(accepted.flatMap(({ methods }) => methods ?? []))].sort();
  return { kind: 'method', route, allow };
}

/** Whether the method alone decides if the route matches a request on its paths. */
function acceptsByMethod(route: PlannedRoute): boolean {
  return !isForAnyMethod(route) && route.conditions === 0;
}

/** Whether the wide route matches each request that the other one matches, apart from its method. */
function covers(wide: PlannedRoute, narrow: PlannedRoute): boolean {
  if (wide.host !== undefined && (narrow.host === undefined || hostShape(wide.host) !== hostShape(narrow.host)))
    return false;
  const isExact = wide.caseSensitive && !narrow.caseSensitive && wide.segments.some(({ kind }) => kind === 'literal');
  return !isExact && coversPath(comparable(wide, wide), comparable(narrow, wide));
}

function comparable({ segments }: PlannedRoute, { caseSensitive }: PlannedRoute): readonly PathSegment[] {
  if (caseSensitive) return segments;
  return segments.map((each) => (each.kind === 'literal' ? { ...each, decoded: foldCase(each.decoded) } : each));
}

export function inMatchingOrder(routes: readonly PlannedRoute[]): readonly PlannedRoute[] {
  return routes.toSorted(
    (one, other) =>
      byHost(one.host, other.host) ||
      bySegments(one, other) ||
      other.conditions - one.conditions ||
      compareText(placeOf(one), placeOf(other)) ||
      compareText((one.methods ?? []).join(), (other.methods ?? []).join()) ||
      compareText(one.id, other.id),
  );
}

/** Independent of the language of the machine. */
function compareText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function byHost(one: HostPattern | undefined, other: HostPattern | undefined): number {
  const rank = (host: HostPattern | undefined) => (host === undefined ? 2 : host.exact === undefined ? 1 : 0);
  if (one === undefined || other === undefined || rank(one) !== rank(other)) return rank(one) - rank(other);
  return compareHosts(one, other) || compareText(hostShape(one), hostShape(other));
}

/** Segment by segment, as a walk of the table: a literal, a literal of any case, a name, the end, the rest. */
function bySegments(one: PlannedRoute, other: PlannedRoute): number {
  const length = Math.max(one.segments.length, other.segments.length);
  for (let index = 0; index < length; index++) {
    const difference = rankOf(one, index) - rankOf(other, index);
    if (difference !== 0) return difference;
  }
  return 0;
}

const ranks: Readonly<Record<PathSegment['kind'], number>> = { literal: 0, one: 2, rest: 4 };
const [FOLDED, END] = [1, 3];

function rankOf({ segments, caseSensitive }: PlannedRoute, index: number): number {
  const segment = segments[index];
  if (segment === undefined) return END;
  return segment.kind === 'literal' && !caseSensitive ? FOLDED : ranks[segment.kind];
}

/** Equal for routes of one place in the table. */
export function placeOf({ host, segments, caseSensitive }: PlannedRoute): string {
  const pieces = segments.map((segment) => {
    if (segment.kind !== 'literal') return segment.kind === 'one' ? '{}' : '{*}';
    return caseSensitive ? segment.decoded : `~${foldCase(segment.decoded)}`;
  });
  return `${host === undefined ? '' : hostShape(host)}/${pieces.join('/')}`;
}

function groupOf(route: PlannedRoute): string {
  return `${route.conditions} ${placeOf(route)}`;
}

/** Whether one path can match both. Hosts are not compared, so the answer may be a needless yes. */
export function mayShareAPath(one: UnjudgedRoute, other: UnjudgedRoute): boolean {
  const length = Math.max(one.segments.length, other.segments.length);
  for (let index = 0; index < length; index++) {
    const [mine, theirs] = [one.segments[index], other.segments[index]];
    if (mine?.kind === 'rest' || theirs?.kind === 'rest') return true;
    if (mine === undefined || theirs === undefined) return false;
    if (mine.kind === 'literal' && theirs.kind === 'literal' && foldCase(mine.decoded) !== foldCase(theirs.decoded))
      return false;
  }
  return true;
}

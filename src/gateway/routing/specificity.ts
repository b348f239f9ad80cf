import { compareHosts, type HostPattern, hostShape } from '../../config/words/host-pattern.ts';
import { compareSegments, type PathSegment } from '../../config/words/path-pattern.ts';
import type { RoutePattern } from './routes.ts';

/** Negative if `RouteTable` tries the first route before the second: host, path, conditions. */
export function compareSpecificity(one: RoutePattern, other: RoutePattern): number {
  return (
    compareRank(one, other) ||
    conditionText(one).localeCompare(conditionText(other)) ||
    pathText(one).localeCompare(pathText(other))
  );
}

/** The same, but zero if only the text decides which route is tried first. */
export function compareRank(one: RoutePattern, other: RoutePattern): number {
  return (
    byHost(one.host, other.host) ||
    compareSegments(one.segments, other.segments) ||
    other.conditions.length - one.conditions.length
  );
}

function conditionText({ conditions }: RoutePattern): string {
  return conditions.map(({ text }) => text).join('\n');
}

function byHost(one: HostPattern | undefined, other: HostPattern | undefined): number {
  const rank = (host: HostPattern | undefined) => (host === undefined ? 2 : host.exact === undefined ? 1 : 0);
  if (one === undefined || other === undefined || rank(one) !== rank(other)) return rank(one) - rank(other);
  return compareHosts(one, other) || hostShape(one).localeCompare(hostShape(other));
}

export function hostText({ labels }: HostPattern): string {
  return labels.map((label) => (label.kind === 'literal' ? label.text : `{${label.name}}`)).join('.');
}

export function pathText({ segments }: Pick<RoutePattern, 'segments'>): string {
  return `/${segments.map(segmentText).join('/')}`;
}

function segmentText(segment: PathSegment): string {
  if (segment.kind === 'literal') return segment.text;
  return segment.kind === 'one' ? `{${segment.name}}` : `{${segment.name}*}`;
}

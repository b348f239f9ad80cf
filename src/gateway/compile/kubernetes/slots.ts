import type { HostPattern } from '../../../config/words/host-pattern.ts';
import type { LiteralSegment, PathSegment } from '../../../config/words/path-pattern.ts';
import type { UnjudgedRoute } from '../plan.ts';

/**
 * The place of a route in Gateway API: one path, or all paths below a prefix. A slot covers every path of its route, and
 * may cover more. So only Gatehouse can judge a route whose slot is wider than the route.
 */
export interface Slot {
  readonly type: 'Exact' | 'PathPrefix';
  readonly segments: readonly string[];
}

/** A literal with one spelling that every server reads in the same way. */
const PLAIN = /^[A-Za-z0-9._~!$&'()*+,=:@-]*$/;

export function isPlain(segment: PathSegment): segment is LiteralSegment {
  return segment.kind === 'literal' && segment.text === segment.decoded && PLAIN.test(segment.text);
}

export function routeSlot({ segments, caseSensitive }: UnjudgedRoute): Slot {
  const end = segments.findIndex((segment) => !isPlain(segment));
  const literals = segments.slice(0, end === -1 ? segments.length : end).filter(isPlain);
  const isExact = end === -1 && caseSensitive;
  return { type: isExact ? 'Exact' : 'PathPrefix', segments: literals.map(({ text }) => text) };
}

export function slotPath({ segments }: Slot): string {
  return `/${segments.join('/')}`;
}

/** Whether one request can belong to both routes, in any spelling of its path. */
export function slotsMayMeet(one: UnjudgedRoute, other: UnjudgedRoute): boolean {
  return hostsMayMeet(one.host, other.host) && slotsMeet(routeSlot(one), routeSlot(other));
}

/** The answer may be a needless yes for a host with names. */
export function hostsMayMeet(one: HostPattern | undefined, other: HostPattern | undefined): boolean {
  return one?.exact === undefined || other?.exact === undefined || one.exact === other.exact;
}

function slotsMeet(one: Slot, other: Slot): boolean {
  const [short, long] = one.segments.length <= other.segments.length ? [one, other] : [other, one];
  const isBelow = short.segments.every((segment, index) => segment === long.segments[index]);
  return isBelow && (short.type === 'PathPrefix' || short.segments.length === long.segments.length);
}

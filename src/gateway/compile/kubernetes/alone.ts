import { mayShareAPath } from '../order.ts';
import type { UnjudgedRoute } from '../plan.ts';
import { MOST_REMOVED, namesRemoved } from './removed-headers.ts';
import { hostsMayMeet, isPlain, routeSlot, slotPath } from './slots.ts';

/** Methods that a route without `methods` accepts in the output. The gateway answers some others itself. */
export const FORWARDED = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const;

export function acceptedMethods({ methods = FORWARDED }: UnjudgedRoute): readonly string[] {
  return methods;
}

/**
 * Why a proxy without patterns cannot judge the route. Such a proxy cannot refuse `;`, `%2F` or `%2E%2E` in the middle of
 * a path, so only one plain path is safe. It also must not need to know about another route.
 */
export function notAlone(route: UnjudgedRoute, all: readonly UnjudgedRoute[]): string | undefined {
  if (!route.segments.every(isPlain))
    return 'the proxy cannot refuse `;`, `%2F` or encoded dots inside a path, so it judges only routes with one fixed path';
  if (!route.caseSensitive) return 'the proxy distinguishes upper-case and lower-case letters in a path';
  if (route.host !== undefined && route.host.exact === undefined)
    return 'in the proxy, a name such as `{tenant}` in a host can match several labels';
  const method = acceptedMethods(route).find((each) => !(FORWARDED as readonly string[]).includes(each));
  if (method !== undefined) return `the proxy does not judge requests with the method ${method}`;
  if (namesRemoved(route).length > MOST_REMOVED) return `the proxy removes at most ${MOST_REMOVED} headers`;
  const other = all.find((each) => each !== route && mayWin(each, route));
  return other && `for the same path, Gatehouse can choose the route \`${other.id}\` instead`;
}

/** Whether the gateway may choose the other route for a request that the target gives to this one. */
function mayWin(other: UnjudgedRoute, route: UnjudgedRoute): boolean {
  if (!mayShareAPath(other, route) || !hostsMayMeet(other.host, route.host)) return false;
  if (route.host === undefined && other.host !== undefined) return true;
  const isSamePath =
    other.segments.length === route.segments.length && slotPath(routeSlot(other)) === slotPath(routeSlot(route));
  return isSamePath && acceptedMethods(other).some((method) => acceptedMethods(route).includes(method));
}

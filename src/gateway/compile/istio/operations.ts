import { acceptedMethods } from '../kubernetes/alone.ts';
import { routeSlot, slotPath } from '../kubernetes/slots.ts';
import type { PlannedRoute } from '../plan.ts';

/** An operation of an AuthorizationPolicy: everything in it must hold. */
export interface PolicyOperation {
  readonly paths?: readonly string[];
  readonly notPaths?: readonly string[];
  readonly methods?: readonly string[];
  readonly notMethods?: readonly string[];
  readonly hosts?: readonly string[];
  readonly notHosts?: readonly string[];
}

function pathOf(route: PlannedRoute): string {
  return slotPath(routeSlot(route));
}

/** The requests of a route that the proxy judges. */
export function policyOperation(route: PlannedRoute): PolicyOperation {
  return { paths: [pathOf(route)], methods: acceptedMethods(route), ...hostsPart(route) };
}

function hostsPart({ host }: PlannedRoute): Pick<PolicyOperation, 'hosts'> {
  return host?.exact === undefined ? {} : { hosts: withPort(host.exact) };
}

function withPort(host: string): readonly string[] {
  return [host, `${host}:*`];
}

/**
 * All other requests, as alternatives. Policies that allow are alternatives too, so these must never match a request of
 * a route that the proxy judges. Empty: there is no condition.
 */
export function otherOperations(here: readonly PlannedRoute[]): readonly PolicyOperation[] {
  const byPath = Map.groupBy(here, pathOf);
  if (byPath.size === 0) return [];
  return [{ notPaths: [...byPath.keys()] }, ...[...byPath].flatMap(([path, routes]) => othersOfPath(path, routes))];
}

/** The routes of one path have either all a host, or none. */
function othersOfPath(path: string, routes: readonly PlannedRoute[]): readonly PolicyOperation[] {
  const byHost = Map.groupBy(routes, ({ host }) => host?.exact);
  const hosts = [...byHost.keys()].filter((host) => host !== undefined);
  const atHosts = [...byHost].map(([host, members]) => ({
    paths: [path],
    ...(host !== undefined && { hosts: withPort(host) }),
    notMethods: [...new Set(members.flatMap(acceptedMethods))],
  }));
  return hosts.length === 0 ? atHosts : [{ paths: [path], notHosts: hosts.flatMap(withPort) }, ...atHosts];
}

import type { RouteGroup } from './groups.ts';
import { GATEWAY, type KubernetesObject } from './objects.ts';
import { ALWAYS_REMOVED, namesRemoved } from './removed-headers.ts';
import { serviceOf } from './services.ts';
import { slotPath } from './slots.ts';

export type RouteFilter = Readonly<Record<string, unknown>>;

/** One HTTPRoute for each group, with the filters that the target adds. */
export function httpRoutes(
  groups: readonly RouteGroup[],
  filtersOf: (group: RouteGroup) => readonly RouteFilter[] = () => [],
): readonly KubernetesObject[] {
  return groups.map((group) => ({
    comments: commentsOf(group),
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    name: group.name,
    spec: routeSpec(group, filtersOf(group)),
  }));
}

const judges: Readonly<Record<RouteGroup['judged'], string>> = {
  here: 'the proxy judges it',
  asked: 'Gatehouse judges it',
};

export function commentsOf({ routes, judged }: RouteGroup): readonly string[] {
  return routes.map(({ at, id }) => `${at}: ${id}: ${judges[judged]}`);
}

function routeSpec(group: RouteGroup, filters: readonly RouteFilter[]): object {
  const path = { type: group.slot.type, value: slotPath(group.slot) };
  const matches = group.methods === undefined ? [{ path }] : group.methods.map((method) => ({ path, method }));
  return {
    parentRefs: [{ name: GATEWAY }],
    ...(group.hostname !== undefined && { hostnames: [group.hostname] }),
    rules: [{ matches, filters: [...filters, removing(group)], backendRefs: group.upstream.urls.map(backendRef) }],
  };
}

function backendRef(url: string): object {
  const { name, namespace, port } = serviceOf(url) ?? { name: '', namespace: '', port: 0 };
  return { name, namespace, port };
}

/** Gatehouse removes the credential and forged identity headers of the routes that it judges. */
function removing({ judged, routes }: RouteGroup): RouteFilter {
  const [first] = routes;
  const remove = judged === 'asked' || first === undefined ? ALWAYS_REMOVED : namesRemoved(first);
  return { type: 'RequestHeaderModifier', requestHeaderModifier: { remove } };
}

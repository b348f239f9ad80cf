import { isDeepStrictEqual } from 'node:util';
import type { RouteConfig } from '../../config/schema/gateway.ts';

/** Ids of routes. */
export interface RouteChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** How a new file changes the routes of the old one. A route stays the same as long as it keeps its id. */
export function routeChanges(before: readonly RouteConfig[], after: readonly RouteConfig[]): RouteChanges {
  const old = new Map(before.map((route) => [route.id, route]));
  const kept = new Set(after.map(({ id }) => id));
  return {
    added: after.filter(({ id }) => !old.has(id)).map(({ id }) => id),
    removed: before.filter(({ id }) => !kept.has(id)).map(({ id }) => id),
    changed: after.filter((route) => isChanged(old.get(route.id), route)).map(({ id }) => id),
  };
}

function isChanged(before: RouteConfig | undefined, after: RouteConfig): boolean {
  return before !== undefined && !isDeepStrictEqual(before, after);
}

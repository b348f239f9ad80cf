import type { CompilePlan, PlannedRoute } from '../plan.ts';
import { acceptedMethods } from './alone.ts';
import { objectNames } from './objects.ts';
import { hostnameOf } from './shared-limits.ts';
import { routeSlot, type Slot, slotPath } from './slots.ts';

/** Routes that become one rule of Gateway API. */
export interface RouteGroup {
  /** The name of its object. */
  readonly name: string;
  readonly judged: 'here' | 'asked';
  readonly routes: readonly PlannedRoute[];
  /** Undefined: every host. */
  readonly hostname: string | undefined;
  readonly slot: Slot;
  /** Undefined: every method. */
  readonly methods: readonly string[] | undefined;
  readonly upstream: PlannedRoute['upstreamConfig'];
}

/**
 * A route that the proxy judges has a rule with its methods. Routes for Gatehouse share the rule of their slot, without
 * methods: Gatehouse finds the route, and answers 404 and 405. In Gateway API, a rule with a method comes before one
 * without.
 */
export function groupsOf({ routes }: CompilePlan): readonly RouteGroup[] {
  const passing = routes.filter(({ judged }) => judged !== 'omitted');
  const names = objectNames(passing.map(({ id }) => id));
  return [...Map.groupBy(passing, groupKey).values()].map((members) => groupOf(members, names));
}

function groupKey(route: PlannedRoute): string {
  if (route.judged === 'here') return `here ${route.id}`;
  const slot = routeSlot(route);
  return `asked ${hostOf(route) ?? '*'} ${slot.type} ${slotPath(slot)}`;
}

function hostOf({ host }: PlannedRoute): string | undefined {
  return host && hostnameOf(host);
}

function groupOf(routes: readonly PlannedRoute[], names: ReadonlyMap<string, string>): RouteGroup {
  const [first] = routes as [PlannedRoute];
  const judged = first.judged === 'here' ? 'here' : 'asked';
  return {
    name: names.get(first.id) ?? first.id,
    judged,
    routes,
    hostname: hostOf(first),
    slot: routeSlot(first),
    methods: judged === 'here' ? acceptedMethods(first) : undefined,
    upstream: first.upstreamConfig,
  };
}

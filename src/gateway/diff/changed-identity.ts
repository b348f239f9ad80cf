import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { identityHeadersOf } from '../generation/identity-headers-of.ts';
import { ofNeighbours } from '../generation/neighbours.ts';

/**
 * Routes whose callers can now write a header that an upstream trusts, and the names of these headers. A route also drops the
 * headers of other routes to its upstream, so a change of another route counts too.
 */
export function changedIdentity(old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const before = droppedIn(old);
  const headersOf = identityHeadersOf(now);
  const byChange = Map.groupBy(now.routes, (route) => {
    const { spoofs } = headersOf(route);
    const passed = before.get(route.id)?.filter(({ name }) => !spoofs(name.toLowerCase())) ?? [];
    return passed.map(({ shown }) => shown).join(', ');
  });
  return [...byChange].flatMap(([names, routes]) =>
    names === '' ? [] : [`identity_headers of ${inShort(routes.map(({ id }) => id))}: callers can now send ${names}`],
  );
}

/** A header that a route does not let through from a caller. */
interface Dropped {
  readonly name: string;
  readonly shown: string;
}

/** Route id → the names that the gateway sets on a route to the same upstream, and the prefixes that it drops there. */
function droppedIn(config: GatewayConfig): ReadonlyMap<string, readonly Dropped[]> {
  const [headersOf, neighbours] = [identityHeadersOf(config), ofNeighbours(config)];
  const rows = config.routes.map((route) => {
    const { spoofs } = headersOf(route);
    const { set, prefix } = route.identity_headers ?? config.defaults.identity_headers;
    const { names, prefixes } = neighbours(route);
    const all = [
      ...spelled(Object.keys(set), names).map((name) => ({ name, shown: name })),
      ...spelled([prefix], prefixes).map((each) => ({ name: `${each}anything`, shown: `other ${each}…` })),
    ];
    return [route.id, all.filter(({ name }) => spoofs(name.toLowerCase()))] as const;
  });
  return new Map(rows);
}

/** The names of the route itself keep their spelling in the file. */
function spelled(own: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(own.map((name) => name.toLowerCase()));
  return [...own, ...others.filter((name) => !known.has(name))];
}

const SHOWN = 3;

function inShort(ids: readonly string[]): string {
  const rest = ids.length - SHOWN;
  return rest > 0 ? `${ids.slice(0, SHOWN).join(', ')} and ${rest} more` : ids.join(', ');
}

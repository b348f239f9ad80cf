import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import type { AlsoOurs } from '../decide/identity-headers.ts';
import { addressesOf } from './shadow-mode.ts';

/**
 * The headers that the gateway writes on any route to the same upstream. A server trusts such a header on every route,
 * so a caller may write it on none of them.
 */
export function ofNeighbours(config: GatewayConfig): (route: RouteConfig) => AlsoOurs {
  const addresses = addressesOf(config);
  const byAddress = new Map<string, { readonly names: Set<string>; readonly prefixes: Set<string> }>();
  for (const route of config.routes) {
    const { set, prefix } = route.identity_headers ?? config.defaults.identity_headers;
    for (const address of addresses(route)) {
      const ours = byAddress.get(address) ?? { names: new Set(), prefixes: new Set() };
      byAddress.set(address, ours);
      for (const name of Object.keys(set)) ours.names.add(name.toLowerCase());
      ours.prefixes.add(prefix.toLowerCase());
    }
  }
  return (route) => {
    const all = addresses(route).flatMap((address) => byAddress.get(address) ?? []);
    return { names: joined(all.map(({ names }) => names)), prefixes: joined(all.map(({ prefixes }) => prefixes)) };
  };
}

function joined(sets: readonly ReadonlySet<string>[]): readonly string[] {
  return [...new Set(sets.flatMap((set) => [...set]))].sort();
}

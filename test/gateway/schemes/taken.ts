import { loadGatewayText } from '../../../src/config/load/load.ts';
import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import type { Assumed } from '../../../src/gateway/schemes/scheme.ts';
import { schemesTaken, type TakenScheme } from '../../../src/gateway/schemes/schemes-of.ts';

/** A loaded gateway file with these routes. */
export function gatewayOf(routes: readonly object[], more: object = {}): GatewayConfig {
  const base = { version: 1, listen: '127.0.0.1:0', upstreams: { api: { url: 'http://127.0.0.1:9' } } };
  const loaded = loadGatewayText(JSON.stringify({ ...base, defaults: { upstream: 'api' }, ...more, routes }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

/** A route that accepts only this scheme. */
export function routeWith(id: string, name: string, block: object): object {
  return { id, match: { path: `/${id}` }, access: 'authenticated', auth: name, [name]: block };
}

/** A file whose only route accepts only this scheme. */
export function gatewayWith(name: string, block: object, more: object = {}): GatewayConfig {
  return gatewayOf([routeWith('r', name, block)], more);
}

/** The first scheme of the first route. */
export function firstTaken(config: GatewayConfig): TakenScheme {
  const [taken] = schemesTaken(config.routes[0] as GatewayConfig['routes'][number]);
  if (taken === undefined) throw new Error('the route takes no scheme');
  return taken;
}

/** The scheme of this block as `explain` assumes it. */
export function assumedOf(name: string, block: object, directory?: string, more: object = {}): Assumed {
  const config = gatewayWith(name, block, more);
  const { row, block: parsed } = firstTaken(config);
  return row.assume(parsed, config, directory);
}

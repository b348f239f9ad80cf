import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import { oncePerInput } from './once-per-input.ts';

export function isShadow(config: GatewayConfig, { mode = config.mode }: RouteConfig): boolean {
  return mode === 'shadow';
}

/**
 * Whether a route is in shadow mode and no route to its upstream enforces. Such an upstream does not rely on the
 * gateway.
 */
export function inShadowMode(config: GatewayConfig): (route: RouteConfig) => boolean {
  const addresses = addressesOf(config);
  const enforced = new Set(config.routes.filter((route) => !isShadow(config, route)).flatMap(addresses));
  return (route) => isShadow(config, route) && !addresses(route).some((address) => enforced.has(address));
}

/**
 * The addresses to which a route's requests go, each as scheme, host and port. Two blocks of the file may name the same
 * server.
 */
export function addressesOf({ upstreams, defaults }: GatewayConfig): (route: RouteConfig) => readonly string[] {
  // Most routes share an upstream, and a comparison of two files asks about one route at a time.
  const of = oncePerInput((name: string) => upstreams[name]?.urls.map(addressOf) ?? []);
  return ({ upstream = defaults.upstream ?? '' }) => of(upstream);
}

function addressOf(url: string): string {
  const { host, protocol } = new URL(url);
  return `${protocol}//${host}`;
}

import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';

export function isShadow(config: GatewayConfig, { mode = config.mode }: RouteConfig): boolean {
  return mode === 'shadow';
}

/** Whether a route is in shadow mode and no route to its upstream enforces: nothing there trusts what the gateway says. */
export function lookingOn(config: GatewayConfig): (route: RouteConfig) => boolean {
  const upstreamName = ({ upstream = config.defaults.upstream }: RouteConfig) => upstream;
  const enforced = new Set(config.routes.filter((route) => !isShadow(config, route)).map(upstreamName));
  return (route) => isShadow(config, route) && !enforced.has(upstreamName(route));
}

import type { GatewayConfig } from '../../config/schema/gateway.ts';

/** Routes that now forward a header that can change an upstream's path or method. */
export function changedPasses(old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const before = new Map(passesOf(old));
  return passesOf(now).flatMap(([id, names]) => {
    const more = names.filter((name) => !(before.get(id) ?? names).includes(name));
    return more.length === 0 ? [] : [`routes.${id}.pass_headers: now also ${more.join(', ')}`];
  });
}

function passesOf({ routes, defaults }: GatewayConfig) {
  return routes.map(({ id, pass_headers = defaults.pass_headers }) => [id, pass_headers] as const);
}

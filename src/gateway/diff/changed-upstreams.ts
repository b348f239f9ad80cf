import type { GatewayConfig } from '../../config/schema/gateway.ts';

type Upstreams = GatewayConfig['upstreams'];

/**
 * Changes of the upstreams, or of the way to forward to them. No probe can see such a change. The names of keys, never
 * their values, because some are secrets.
 */
export function changedUpstreams(
  { upstreams: old }: GatewayConfig,
  { upstreams: now }: GatewayConfig,
): readonly string[] {
  return Object.entries(now).flatMap(([name, block]) => {
    const earlier = (old as Upstreams)[name];
    if (earlier === undefined) return [];
    const keys = [...new Set([...Object.keys(earlier), ...Object.keys(block)])] as (keyof typeof block)[];
    return keys
      .filter((key) => JSON.stringify(earlier[key]) !== JSON.stringify(block[key]))
      .map((key) => `upstreams.${name}.${key}`)
      .toSorted();
  });
}

import type { GatewayConfig } from '../../config/schema/gateway.ts';

/** Settings of the other listeners that now allow more, and that a reload applies. No request to a route shows them. */
export function changedListeners(old: GatewayConfig, now: GatewayConfig): readonly string[] {
  return [...changedHealthPasses(old, now), ...longerDecisions(old, now)];
}

/** Paths of the health listener that now lead to another target of an upstream. Anyone may ask the health listener. */
function changedHealthPasses({ health_passes: before }: GatewayConfig, { health_passes: passes }: GatewayConfig) {
  return Object.entries(passes).flatMap(([asked, { upstream, path }]) => {
    const was = before[asked];
    return was?.upstream === upstream && was.path === path ? [] : [`health.pass.${asked}: now ${path} of ${upstream}`];
  });
}

/** A proxy may now keep a decision for longer, also one about a token that is revoked in the meantime. */
function longerDecisions({ decision_max_age: was }: GatewayConfig, { decision_max_age: is }: GatewayConfig) {
  return is > was ? [`decision.max_age: was ${was / 1000}s, now ${is / 1000}s`] : [];
}

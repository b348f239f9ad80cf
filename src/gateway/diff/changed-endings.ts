import type { GatewayConfig } from '../../config/schema/gateway.ts';

/** Routes whose open streams no longer end with their token. */
export function changedEndings(old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const ended = new Set(old.routes.filter(({ end_with }) => end_with === 'token').map(({ id }) => id));
  return now.routes
    .filter(({ id, end_with }) => end_with !== 'token' && ended.has(id))
    .map(({ id }) => `routes.${id}.end_with: was token, now request`);
}

import type { GatewayConfig, RateLimitConfig } from '../../config/schema/gateway.ts';
import { countedByText } from '../../config/words/counted-by.ts';
import { limitText } from '../decide/rate-limit.ts';

/** Limits that now let more requests through, or count by another key. A route is the same if it has the same id. */
export function changedLimits(old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const limits = new Map(now.routes.map(({ id, rate_limit }) => [id, rate_limit]));
  return old.routes.flatMap(({ id, rate_limit: was }) => {
    const is = limits.get(id);
    if (was === undefined || !limits.has(id) || isAsTight(was, is)) return [];
    return [`routes.${id}.rate_limit: was ${limitText(was)}, now ${is === undefined ? 'none' : limitText(is)}`];
  });
}

/** Fewer requests in a longer window. Everything that passes now also passed before. */
function isAsTight(was: RateLimitConfig, is: RateLimitConfig | undefined): boolean {
  if (is === undefined || countedByText(is.by) !== countedByText(was.by)) return false;
  return is.requests <= was.requests && is.per >= was.per;
}

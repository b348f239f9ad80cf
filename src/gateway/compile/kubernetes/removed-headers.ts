import { overrideHeaders } from '../../../config/words/override-headers.ts';
import type { UnjudgedRoute } from '../plan.ts';

/** The most names that Gateway API allows in one filter. */
export const MOST_REMOVED = 16;

/** Headers that only a client sends, to name another path or method. */
export const ALWAYS_REMOVED: readonly string[] = overrideHeaders;

/**
 * What the proxy removes on a route that it judges. The filter runs after the token is verified, so it removes identity
 * headers only where no token has set them.
 */
export function namesRemoved({ access, config, identity }: UnjudgedRoute): readonly string[] {
  if (access === 'public') return [...ALWAYS_REMOVED, ...Object.keys(identity.set)];
  return config.forward_credential ? ALWAYS_REMOVED : ['Authorization', ...ALWAYS_REMOVED];
}

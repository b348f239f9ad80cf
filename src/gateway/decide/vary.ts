import { headersLookedAt } from '../../config/rules/looked-at.ts';
import type { RouteConfig } from '../../config/schema/gateway.ts';
import { credentialHeadersOf } from '../../config/schema/http-schemes.ts';

/**
 * `Vary` (RFC 9110 §12.5.5) of a decision that a proxy may cache: the credential, the page's origin, and every header
 * that any route reads. `*`: the list is open.
 */
export function varyOf(routes: readonly RouteConfig[]): string {
  const names = new Set(['authorization', 'origin']);
  for (const route of routes) {
    const looked = headersLookedAt(route);
    if (looked === 'any') return '*';
    for (const name of [...credentialHeadersOf(route), ...looked]) names.add(name);
  }
  return [...names].join(', ');
}

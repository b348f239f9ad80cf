import { fold } from '../../../config/words/fold-name.ts';
import type { Forward } from '../../decide/outcome.ts';
import { credentialHeaders } from '../../decide/placed-credentials.ts';
import { isHandedOn } from '../../forward/upstream-fields.ts';
import type { RequestHead } from '../../message/request-head.ts';
import { OURS } from '../../message/reserved-headers.ts';

/** Headers that a proxy writes itself, or that others write for it under the proxy's own name. */
const OF_PROXIES = /^(?:forwarded|x-forwarded(?:-[a-z]+)+)$/;

/**
 * Headers that must not reach the upstream as the client sent them (T28). They are the names that the gateway writes,
 * in every spelling of the request, and the credential unless the route forwards it.
 */
export function clearedFrom(head: RequestHead, plan: Forward): readonly string[] {
  const { identityHeaders, schemes, upstream } = plan.route;
  // The proxy sends the upstream's credential itself, or none. The client's own never takes its place.
  const ofUpstream = plan.shadow === undefined ? upstream.credential?.folded : undefined;
  const placed = isHandedOn(plan) ? undefined : credentialHeaders(schemes);
  const came = head.fields.filter((name, index) => {
    if (index % 2 === 1 || OURS.has(name) || OF_PROXIES.test(name)) return false;
    if (placed?.has(fold(name)) || fold(name) === ofUpstream) return true;
    // The asking proxy is trusted, and it sends the request that it forwards.
    return identityHeaders.spoofs(name, true);
  });
  const credential = isHandedOn(plan) ? [] : ['authorization'];
  return [...new Set([...identityHeaders.names, ...came, ...credential])];
}

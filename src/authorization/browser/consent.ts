import { isLoopback } from '../../config/words/host.ts';
import type { Consent } from '../../storage/records/records.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** Why the user must be asked; undefined if no question is needed. */
export function whyAsk(
  request: AuthorizationRequest,
  before: Consent | undefined,
): 'consent_required' | 'interaction_required' | undefined {
  if (before === undefined || request.prompt.has('consent')) return 'consent_required';
  // Consent is separate for `code` and `token`: different programs see the token, and its lifetime differs (RFC 9700 §2.1.2).
  const known = before.byGrant[request.responseType.grant];
  if (known === undefined) return 'consent_required';
  if (!request.scope.every((scope) => known.includes(scope))) return 'consent_required';
  return isOwnAddress(request) ? undefined : 'interaction_required';
}

/**
 * True if only the client itself can receive the response. Without a secret, any program on the device can imitate the client
 * on a loopback address or a private-use scheme (RFC 8252 §8.6).
 */
function isOwnAddress({ client, redirectUri }: AuthorizationRequest): boolean {
  if (!client.isPublic) return true;
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'https:' && !isLoopback(hostname);
}

/**
 * Validates the page's answer: never more than the client requested. Undefined if the user ticked nothing, although there is
 * something to grant.
 */
export function tickedScope(request: AuthorizationRequest, boxes: readonly string[]): readonly string[] | undefined {
  const ticked = boxes.flatMap((box) => box.split(' '));
  const granted = request.scope.filter((scope) => ticked.includes(scope));
  return granted.length === 0 && request.scope.length > 0 ? undefined : granted;
}

import { isLoopback } from '../../config/words/host.ts';
import type { Consent } from '../../storage/records/records.ts';
import { isSelfMade } from '../clients/clients.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** What the user decides about: the scope, and the scopes of single claims. */
export function consentScopes({ scope, openid }: Pick<AuthorizationRequest, 'scope' | 'openid'>): readonly string[] {
  return [...scope, ...(openid?.claimScopes ?? [])];
}

/** Why the user must be asked; undefined if no question is needed. */
export function whyAsk(
  request: AuthorizationRequest,
  before: Consent | undefined,
): 'consent_required' | 'interaction_required' | undefined {
  if (request.prompt.has('consent')) return 'consent_required';
  if (request.isLoginOnly) return isOwnAddress(request) ? undefined : 'interaction_required';
  if (before === undefined) return 'consent_required';
  // Consent is separate for `code` and `token`: different programs see the token, and its lifetime differs (RFC 9700 §2.1.2).
  const known = before.byGrant[request.responseType.grant];
  if (known === undefined) return 'consent_required';
  if (!consentScopes(request).every((scope) => known.includes(scope))) return 'consent_required';
  return isOwnAddress(request) ? undefined : 'interaction_required';
}

/**
 * False for `openid`: a user who allows the request allows the client to know who they are. Without OpenID Connect, `openid` is
 * a scope like any other.
 */
export function hasCheckbox({ openid }: Pick<AuthorizationRequest, 'openid'>, scope: string): boolean {
  return openid === undefined || scope !== 'openid';
}

/** The client only wants to know who the user is, as the client sees the user. A client that names an API wants more. */
export function asksOnlyForLogin({
  resources,
  ...request
}: Pick<AuthorizationRequest, 'scope' | 'openid'> & { readonly resources: readonly string[] }): boolean {
  if (request.openid === undefined || resources.length > 0) return false;
  return !consentScopes(request).some((scope) => hasCheckbox(request, scope));
}

/**
 * True if only the client itself can receive the response. Without a secret, any program on the device can imitate the client
 * on a loopback address or a private-use scheme (RFC 8252 §8.6). A client that describes itself may add an address after the
 * user's consent.
 */
function isOwnAddress({ client, redirectUri }: AuthorizationRequest): boolean {
  if (isSelfMade(client)) return false;
  if (!client.isPublic) return true;
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'https:' && !isLoopback(hostname);
}

/**
 * Validates the page's answer: never more than the client requested. Undefined if the user ticked nothing, although there is
 * something to grant.
 */
export function tickedScope(request: AuthorizationRequest, boxes: readonly string[]): readonly string[] | undefined {
  const ticked = new Set(boxes.flatMap((box) => box.split(' ')));
  const asked = consentScopes(request);
  const granted = asked.filter((scope) => !hasCheckbox(request, scope) || ticked.has(scope));
  return granted.length === 0 && asked.length > 0 ? undefined : granted;
}

import { OAuthError } from '../../oauth/errors.ts';
import { parseScope } from '../../oauth/scope.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Account } from '../people/accounts.ts';

/** The rights of a grant. `issue.ts` makes tokens from them. */
export interface Granted {
  readonly client: RegisteredClient;
  readonly subject: string;
  /** Undefined if the client acts for itself. */
  readonly account: Account | undefined;
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  /** The grant that the tokens belong to. They end with it. */
  readonly grantId: string | undefined;
  /** When the user logged in, NumericDate. */
  readonly authTime: number | undefined;
  /** NumericDate. No token outlives its grant. */
  readonly notAfter: number | undefined;
}

/**
 * Never more than the registered scope: the rest is refused or left out. Without a request, the whole registered scope (RFC
 * 6749 §3.3).
 */
export function grantedScope(
  requested: string | undefined,
  registered: readonly string[],
  excess: 'reject' | 'narrow',
): readonly string[] {
  if (requested === undefined) return registered;
  const wanted = requestedScope(requested);
  const granted = wanted.filter((scope) => registered.includes(scope));
  const isTooMuch = granted.length === 0 || (excess === 'reject' && granted.length < wanted.length);
  if (isTooMuch)
    throw new OAuthError('invalid_scope', { description: 'The scope exceeds what the client registered.' });
  return granted;
}

/**
 * RFC 6749 §6: a refresh may request less than was granted, never more. Scopes that the client has lost since then are left
 * out.
 */
export function refreshedScope(
  requested: string | undefined,
  granted: readonly string[],
  registered: readonly string[],
): readonly string[] {
  const wanted = requested === undefined ? granted : requestedScope(requested);
  if (!wanted.every((scope) => granted.includes(scope)))
    throw new OAuthError('invalid_scope', { description: 'The scope exceeds the granted scope.' });
  return stillRegistered(wanted, registered);
}

/** Rejects a client that has lost all granted scopes of its registration. */
export function stillRegistered(granted: readonly string[], registered: readonly string[]): readonly string[] {
  const left = granted.filter((scope) => registered.includes(scope));
  if (granted.length > 0 && left.length === 0)
    throw new OAuthError('invalid_scope', { description: 'The client is no longer registered for this scope.' });
  return left;
}

function requestedScope(text: string): readonly string[] {
  const wanted = parseScope(text);
  if (wanted === undefined) throw new OAuthError('invalid_scope', { description: 'The scope is malformed.' });
  return wanted;
}

/** RFC 8707 §2: every `resource` must equal one of ours, byte by byte. Without `resource`, the first of ours. */
export function grantedAudience(requested: readonly string[], resources: readonly string[]): readonly string[] {
  if (requested.length === 0) return resources.slice(0, 1);
  return within(requested, resources);
}

/** RFC 8707 §2.2: an exchange may request some of the granted resources. Without a request, all of them. */
export function narrowedAudience(requested: readonly string[], granted: readonly string[]): readonly string[] {
  return requested.length === 0 ? granted : within(requested, granted);
}

function within(requested: readonly string[], allowed: readonly string[]): readonly string[] {
  if (!requested.every((resource) => allowed.includes(resource))) throw new OAuthError('invalid_target');
  return [...new Set(requested)];
}
